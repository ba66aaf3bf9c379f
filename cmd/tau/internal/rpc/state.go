package rpc

import (
	"slices"

	"tau/agent"
	"tau/ai"
	"tau/session/resources"
)

type state struct {
	Model                 *ai.Model        `json:"model,omitempty"`
	ThinkingLevel         ai.ThinkingLevel `json:"thinkingLevel"`
	IsStreaming           bool             `json:"isStreaming"`
	IsCompacting          bool             `json:"isCompacting"`
	SteeringMode          agent.QueueMode  `json:"steeringMode"`
	FollowUpMode          agent.QueueMode  `json:"followUpMode"`
	SessionFile           string           `json:"sessionFile,omitempty"`
	SessionID             string           `json:"sessionId"`
	SessionName           string           `json:"sessionName,omitempty"`
	AutoCompactionEnabled bool             `json:"autoCompactionEnabled"`
	MessageCount          int              `json:"messageCount"`
	PendingMessageCount   int              `json:"pendingMessageCount"`
}

func getState(c *conn, _ command) (any, error) {
	s := c.session
	steering, followUp := s.QueueModes()
	return state{
		Model: s.Model(), ThinkingLevel: s.Thinking(), IsStreaming: s.Busy(), IsCompacting: s.Compacting(),
		SteeringMode: steering, FollowUpMode: followUp, SessionFile: s.Store().Path(), SessionID: s.Store().Header().ID,
		SessionName: s.Store().Name(), AutoCompactionEnabled: s.AutoCompaction(),
		MessageCount: s.MessageCount(), PendingMessageCount: s.Pending(),
	}, nil
}

type messages struct {
	Messages []ai.Message `json:"messages"`
}

func getMessages(c *conn, _ command) (any, error) {
	return messages{some(c.session.Messages())}, nil
}

type stats struct {
	SessionFile       string        `json:"sessionFile,omitempty"`
	SessionID         string        `json:"sessionId"`
	UserMessages      int           `json:"userMessages"`
	AssistantMessages int           `json:"assistantMessages"`
	ToolCalls         int           `json:"toolCalls"`
	ToolResults       int           `json:"toolResults"`
	TotalMessages     int           `json:"totalMessages"`
	Tokens            tokens        `json:"tokens"`
	Cost              float64       `json:"cost"`
	ContextUsage      *contextUsage `json:"contextUsage,omitempty"`
}

type tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Total      int64 `json:"total"`
}

// contextUsage says how full the window is. Tokens and Percent are null between
// a compaction and the next answer.
type contextUsage struct {
	Tokens        *int64   `json:"tokens"`
	ContextWindow int64    `json:"contextWindow"`
	Percent       *float64 `json:"percent"`
}

func getStats(c *conn, _ command) (any, error) {
	s := c.session
	st, err := s.Stats()
	if err != nil {
		return nil, err
	}
	u := st.Usage
	out := stats{
		SessionFile: s.Store().Path(), SessionID: s.Store().Header().ID, UserMessages: st.UserMessages,
		AssistantMessages: st.AssistantMessages, ToolCalls: st.ToolCalls, ToolResults: st.ToolResults, TotalMessages: st.TotalMessages,
		Tokens: tokens{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Input + u.Output + u.CacheRead + u.CacheWrite},
		Cost:   u.Cost.Total,
	}
	if window := s.Model().ContextWindow; window > 0 {
		out.ContextUsage = &contextUsage{ContextWindow: window}
		if st.ContextKnown {
			percent := float64(st.ContextTokens) / float64(window) * 100
			out.ContextUsage.Tokens, out.ContextUsage.Percent = &st.ContextTokens, &percent
		}
	}
	return out, nil
}

type lastText struct {
	Text *string `json:"text,omitempty"`
}

func getLastText(c *conn, _ command) (any, error) {
	text, ok := c.session.LastText()
	if !ok {
		return lastText{}, nil
	}
	return lastText{&text}, nil
}

type commandList struct {
	Commands []resources.Command `json:"commands"`
}

// getCommands lists what a prompt can begin with: commands of extensions and of
// tau's own, templates and skills.
func getCommands(c *conn, _ command) (any, error) {
	return commandList{slices.Concat(c.app.Runner(c.session).CommandList(), c.mcpCommand(), c.app.Resources().Commands())}, nil
}
