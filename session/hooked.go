package session

import (
	"context"
	"slices"

	"tau/agent"
	"tau/ai"
	"tau/session/message"
	"tau/session/prompt"
	"tau/session/store"
)

// turnState is what hooks are told of the turn that is under way. Only the
// loop's goroutine uses it.
type turnState struct {
	index     int
	resultIDs []string
}

// told lets hooks see an event before anything comes of it.
func (s *Session) told(ev *agent.Event) {
	switch ev.Type {
	case agent.AgentStart:
		s.turn = turnState{}
	case agent.TurnStart:
		s.turn.resultIDs = nil
	case agent.TurnEnd:
		s.turn.index++
		return // finishTurn has asked
	}
	h := s.hooked(string(ev.Type))
	if h == nil {
		return
	}
	if m := h.Agent(s.runContext(), *ev, s.turn.index); m != nil && ev.Type == agent.MessageEnd {
		replace(ev.Message, m)
	}
}

// replace makes a message another one of the same role: the loop has it too.
func replace(old, by ai.Message) {
	switch o := old.(type) {
	case *ai.AssistantMessage:
		if n, ok := by.(*ai.AssistantMessage); ok {
			n.Failure = o.Failure
			*o = *n
		}
	case *ai.UserMessage:
		if n, ok := by.(*ai.UserMessage); ok {
			*o = *n
		}
	case *ai.ToolResultMessage:
		if n, ok := by.(*ai.ToolResultMessage); ok {
			*o = *n
		}
	case *message.Custom:
		if n, ok := by.(*message.Custom); ok {
			*o = *n
		}
	}
}

func (s *Session) runContext() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return context.Background()
	}
	return s.running
}

// entryOf is how a message of a run is stored.
func entryOf(m ai.Message) store.Entry {
	if c, ok := m.(*message.Custom); ok {
		return &store.CustomMessageEntry{CustomType: c.CustomType, Content: c.Content, Display: c.Display, Details: c.Details}
	}
	return &store.MessageEntry{Message: m}
}

func (s *Session) beforeToolCall(ctx context.Context, c agent.ToolContext) (*agent.Block, error) {
	if f := s.opts.BeforeToolCall; f != nil {
		if b, err := f(ctx, c); b != nil || err != nil {
			return b, err
		}
	}
	if h := s.hooked("tool_call"); h != nil {
		return h.ToolCall(ctx, c)
	}
	return nil, nil
}

func (s *Session) afterToolCall(ctx context.Context, c agent.ToolContext, r agent.Result) (*agent.Result, error) {
	var out *agent.Result
	if h := s.hooked("tool_result"); h != nil {
		changed, err := h.ToolResult(ctx, c, r)
		if err != nil {
			return nil, err
		}
		if changed != nil {
			r, out = *changed, changed
		}
	}
	if f := s.opts.AfterToolCall; f != nil {
		changed, err := f(ctx, c, r)
		if changed != nil || err != nil {
			return changed, err
		}
	}
	return out, nil
}

// hookedContext lets hooks change what is sent.
func (s *Session) hookedContext(ctx context.Context, msgs []ai.Message) []ai.Message {
	h := s.hooks()
	if h == nil || !h.Wants("context") && !h.Wants("context_with_system") {
		return msgs
	}
	return h.Context(ctx, msgs)
}

func (s *Session) finishTurn(ctx context.Context, t agent.Turn) (agent.Decision, error) {
	h := s.hooked("turn_end")
	if h == nil {
		return agent.Proceed, nil
	}
	s.mu.Lock()
	id := s.lastID
	s.mu.Unlock()
	in := Boundary{
		Turn: s.turn.index, Message: t.Message, Results: t.ToolResults, MessageEntryID: id, ResultEntryIDs: s.turn.resultIDs,
		Continue: len(t.ToolResults) > 0, Outcome: outcome(t.Message), ContextMessages: t.Context.Messages,
	}
	change := h.TurnEnd(ctx, in)
	s.appendDrafts(change.Entries)
	if change.Continue && !in.Continue {
		return agent.ContinueTurn, nil
	}
	return agent.Proceed, nil
}

func outcome(m *ai.AssistantMessage) string {
	switch {
	case m == nil:
		return "completed"
	case m.StopReason == ai.StopAborted:
		return "aborted"
	case m.StopReason == ai.StopError:
		return "error"
	}
	return "completed"
}

// appendDrafts stores entries that hooks ask for.
func (s *Session) appendDrafts(entries []store.Entry) {
	edited := false
	for _, e := range entries {
		s.appendEntry(e)
		switch e.(type) {
		case *store.CustomEntry:
		default:
			edited = true
		}
	}
	if edited {
		_ = s.reload() // a conversation that cannot be read is told of when it is needed
	}
}

// beforeSettle asks hooks when the agent would stop, and reports whether the
// model is to be asked once more.
func (s *Session) beforeSettle(ctx context.Context) bool {
	h := s.hooked("agent_before_settle")
	if h == nil || ctx.Err() != nil {
		return false
	}
	msgs := s.agent.State().Context.Messages
	change := h.BeforeSettle(ctx, Boundary{Turn: s.turn.index, Message: s.Last(), Outcome: outcome(s.Last()), ContextMessages: msgs})
	s.appendDrafts(change.Entries)
	if !change.Continue || ctx.Err() != nil {
		return false
	}
	msgs = s.agent.State().Context.Messages
	return len(msgs) > 0 && msgs[len(msgs)-1].MessageRole() != ai.RoleAssistant
}

// beforeStart asks hooks about a run, and adds what was kept for it.
func (s *Session) beforeStart(ctx context.Context, msgs []ai.Message) []ai.Message {
	s.mu.Lock()
	s.override = nil
	kept := s.nextTurnMsgs
	s.nextTurnMsgs = nil
	s.mu.Unlock()
	msgs = append(msgs[:len(msgs):len(msgs)], kept...)
	h := s.hooked("before_agent_start")
	if h == nil || len(msgs) == 0 {
		return msgs
	}
	s.load()
	sections := s.opts.Prompt(s.Tools())
	change := h.BeforeStart(ctx, Start{Message: msgs[0], System: prompt.Render(sections), Sections: sections})
	for _, m := range change.Messages {
		msgs = append(msgs, m)
	}
	over := change.Sections
	if change.System != "" {
		over = ai.Sections{{Name: "preamble", Text: &change.System}}
	}
	s.mu.Lock()
	s.override = over
	s.mu.Unlock()
	return msgs
}

// settled tells hooks, and then everybody, that the run is over. A message that
// a hook sends begins a new one.
func (s *Session) settled() {
	s.mu.Lock()
	aborted, told := s.aborted, s.settledTold
	s.mu.Unlock()
	if told {
		return
	}
	var after func()
	if h := s.hooked("agent_settled"); h != nil {
		after = h.Settled(aborted)
	}
	s.emit(Event{Type: Settled, Aborted: aborted})
	if after != nil {
		after()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel == nil && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}

// SystemPrompt returns the prompt of the next request.
func (s *Session) SystemPrompt() string { return prompt.Render(s.PromptSections()) }

// PromptSections returns the parts of the prompt of the next request.
func (s *Session) PromptSections() ai.Sections { return slices.Clone(s.sections(s.Tools())) }
