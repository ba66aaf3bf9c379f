package session

import (
	"slices"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session/prompt"
)

// Tools returns the tools the model may call.
func (s *Session) Tools() []*agent.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tools)
}

// SetTools changes what the model may call, from the next request on; also
// during a run. The conversation gets a system message that says what was added
// and removed, with what the prompt says now.
func (s *Session) SetTools(tools []*agent.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = slices.Clone(tools)
	s.retooled = true
}

// Declared returns the tools that the conversation has declared, those of
// earlier processes included. It reads the conversation if that was not done
// yet.
func (s *Session) Declared() []ai.ToolDef {
	s.load()
	return prompt.Replay(s.agent.State().Context.Messages).Tools
}

// instruct returns the system prompt and the tools that hold now, and the
// message that brings a conversation up to date with them, or nil.
func (s *Session) instruct(msgs []ai.Message) (system string, tools []*agent.Tool, change ai.Message) {
	have := prompt.Replay(msgs)
	tools = s.Tools()
	var defs []ai.ToolDef
	for _, t := range tools {
		defs = append(defs, t.Def())
	}
	m := prompt.Diff(have, s.opts.Prompt(tools), defs)
	system = have.Prompt()
	if m != nil {
		m.Timestamp = time.Now().UnixMilli()
		system = prompt.Replay([]ai.Message{&ai.SystemMessage{Sections: have.Sections}, m}).Prompt()
		change = m
	}
	s.agent.Configure(func(_ *agent.Config, ac *agent.Context) { ac.System, ac.Tools = system, tools })
	return system, tools, change
}
