package session

import (
	"tau/ai"
	"tau/session/prompt"
)

// Declared returns the tools that the conversation has declared, those of
// earlier processes included. It reads the conversation if that was not done
// yet.
func (s *Session) Declared() []ai.ToolDef {
	s.load()
	return prompt.Replay(s.agent.State().Context.Messages).Tools
}
