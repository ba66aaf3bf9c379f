package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"tau/agent"
	"tau/ai"
	"tau/session"
	"tau/session/store"
)

// translator turns the events of a session into updates:
//
//	text and thoughts of an answer    agent_message_chunk, agent_thought_chunk
//	a call while it is written        tool_call, pending; its arguments as an update
//	execution                         tool_call_update: in_progress, output, completed or failed
//	edit and write                    a diff and the places of the change
//	a plan in the details of a result plan
//	compaction                        a tool call of kind think
//	a repetition after a failure      a thought
//	name, model, mode                 session_info_update, config_option_update, current_mode_update
//
// It is safe for concurrent use, and never blocks.
type translator struct {
	id   string
	cwd  string
	peer *peer

	mu          sync.Mutex
	calls       map[string]*call
	compactions int
}

// call is a tool call that the client knows of.
type call struct {
	name string
	args map[string]json.RawMessage
	old  *string // what is in the file that write replaces; nil if there is none
	open bool
}

func newTranslator(id, cwd string, p *peer) *translator {
	return &translator{id: id, cwd: cwd, peer: p, calls: map[string]*call{}}
}

func (t *translator) send(update any) {
	t.peer.notify("session/update", notification{t.id, update})
}

// says lets the agent say something that no model did.
func (t *translator) says(text string) { t.chunk("agent_message_chunk", text) }

func (t *translator) chunk(kind, text string) {
	if text != "" {
		t.send(chunk{kind, content{Type: "text", Text: text}})
	}
}

// event takes an event of the session, under its lock.
func (t *translator) event(ev session.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch a := ev.Agent; ev.Type {
	case session.EventType(agent.MessageUpdate):
		t.step(a.Stream)
	case session.EventType(agent.ToolExecutionStart):
		t.announce(a.ToolCallID, a.ToolName)
		u := t.described("tool_call_update", a.ToolCallID, a.Args)
		u.Status = "in_progress"
		t.send(u)
	case session.EventType(agent.ToolExecutionUpdate):
		if a.Result != nil {
			t.send(toolCall{Update: "tool_call_update", ToolCallID: a.ToolCallID, Content: shown(a.Result.Content)})
		}
	case session.EventType(agent.ToolExecutionEnd):
		if a.Result != nil {
			t.end(a.ToolCallID, a.Result.Content, a.Result.Details, a.Result.IsError)
		}
	case session.EventType(agent.AgentEnd):
		// Calls of an answer that broke off are never executed.
		for id, c := range t.calls {
			if c.open {
				c.open = false
				t.send(toolCall{Update: "tool_call_update", ToolCallID: id, Status: "failed"})
			}
		}
	case session.CompactionStart:
		t.compactions++
		t.send(toolCall{
			Update: "tool_call", ToolCallID: t.compaction(), Title: "Summarise the conversation", Kind: "think", Status: "in_progress",
		})
	case session.CompactionEnd:
		t.compacted(ev.Compaction)
	case session.RetryStart:
		t.chunk("agent_thought_chunk", fmt.Sprintf("%s; trying again in %v (%d of %d)\n", ev.Retry.Reason, ev.Retry.Delay, ev.Retry.Attempt, ev.Retry.Max))
	case session.InfoChanged:
		t.send(infoUpdate{"session_info_update", ev.Name})
	}
}

func (t *translator) compaction() string { return fmt.Sprintf("compaction-%d", t.compactions) }

func (t *translator) compacted(c session.Compaction) {
	if t.compactions == 0 {
		return // it was never tried
	}
	u := toolCall{Update: "tool_call_update", ToolCallID: t.compaction(), Status: "completed"}
	if c.Result == nil {
		u.Status = "failed"
		if c.Error != "" {
			u.Content = shown(ai.TextBlocks(c.Error))
		}
	} else {
		u.Content = shown(ai.TextBlocks(c.Result.Summary))
	}
	t.send(u)
}

// step is a piece of an answer.
func (t *translator) step(ev *ai.Event) {
	if ev == nil {
		return
	}
	switch ev.Type {
	case ai.EventTextDelta:
		t.chunk("agent_message_chunk", ev.Delta)
	case ai.EventThinkingDelta:
		t.chunk("agent_thought_chunk", ev.Delta)
	case ai.EventToolCallStart:
		if ev.ToolCall != nil && ev.ToolCall.ID != "" {
			t.announce(ev.ToolCall.ID, ev.ToolCall.Name)
		}
	case ai.EventToolCallEnd:
		if c := ev.ToolCall; c != nil {
			t.announce(c.ID, c.Name)
			t.send(t.described("tool_call_update", c.ID, c.Arguments))
		}
	}
}

// announce tells of a call, once.
func (t *translator) announce(id, name string) {
	if t.calls[id] != nil {
		return
	}
	t.calls[id] = &call{name: name, open: true}
	t.send(toolCall{Update: "tool_call", ToolCallID: id, Title: name, Kind: kindOf(name), Status: "pending"})
}

// described is an update with all that the arguments say.
func (t *translator) described(update, id string, args json.RawMessage) toolCall {
	c := t.calls[id]
	if c == nil {
		c = &call{}
	}
	if c.args == nil {
		_ = json.Unmarshal(args, &c.args) // arguments that are no object say nothing
	}
	u := toolCall{Update: update, ToolCallID: id, Title: t.title(c), Kind: kindOf(c.name)}
	if json.Valid(args) {
		u.RawInput = args
	}
	if path := c.text("path"); path != "" {
		u.Locations = []location{{Path: t.absolute(path), Line: c.number("offset")}}
	}
	return u
}

// end tells how a call ended.
func (t *translator) end(id string, result []ai.Block, details json.RawMessage, failed bool) {
	c := t.calls[id]
	if c == nil {
		return
	}
	c.open = false
	u := toolCall{Update: "tool_call_update", ToolCallID: id, Status: "completed", Content: shown(result)}
	if failed {
		u.Status = "failed"
	} else if diffs := t.diffs(c); diffs != nil {
		u.Content = diffs
	}
	if len(details) > 2 {
		u.RawOutput = details
	}
	var d struct {
		FirstChangedLine int         `json:"firstChangedLine"`
		Plan             []planEntry `json:"plan"`
	}
	if json.Unmarshal(details, &d) == nil {
		if d.FirstChangedLine > 0 {
			u.Locations = []location{{Path: t.absolute(c.text("path")), Line: d.FirstChangedLine}}
		}
		if len(d.Plan) > 0 {
			t.send(plan{"plan", d.Plan})
		}
	}
	c.args, c.old = nil, nil // whole files are not kept
	t.send(u)
}

// before takes the arguments as they were mended, and remembers what is in the
// file that a call replaces.
func (t *translator) before(c agent.ToolContext) {
	var args map[string]json.RawMessage
	if json.Unmarshal(c.Args, &args) != nil {
		return
	}
	t.mu.Lock()
	if known := t.calls[c.Call.ID]; known != nil {
		known.args = args
	}
	t.mu.Unlock()
	if c.Call.Name != "write" {
		return
	}
	const most = 1 << 20
	path := t.absolute((&call{args: args}).text("path"))
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > most {
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return
	}
	text := strings.ToValidUTF8(string(b), "\ufffd")
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.calls[c.Call.ID]; known != nil {
		known.old = &text
	}
}

// proposal describes a call that waits to be allowed.
func (t *translator) proposal(c agent.ToolContext) toolCall {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.described("", c.Call.ID, c.Args)
	u.Status = "pending"
	if known := t.calls[c.Call.ID]; known != nil {
		u.Content = t.diffs(known)
	}
	return u
}

// diffs is what a call changes, or nil.
func (t *translator) diffs(c *call) []toolContent {
	path := t.absolute(c.text("path"))
	switch c.name {
	case "write":
		text := c.text("content")
		return []toolContent{{Type: "diff", Path: path, OldText: c.old, NewText: &text}}
	case "edit":
		var edits []struct {
			Old string `json:"oldText"`
			New string `json:"newText"`
		}
		if json.Unmarshal(c.args["edits"], &edits) != nil {
			return nil
		}
		var out []toolContent
		for _, e := range edits {
			out = append(out, toolContent{Type: "diff", Path: path, OldText: &e.Old, NewText: &e.New})
		}
		return out
	}
	return nil
}

// history tells what was said before.
func (t *translator) history(ctx context.Context, st *store.Store) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range st.PathTo("") {
		t.peer.out.Wait(ctx)
		if n.Type != "message" {
			continue
		}
		e, err := st.Entry(n.ID)
		if err != nil {
			return err
		}
		entry, ok := e.(*store.MessageEntry)
		if !ok {
			continue
		}
		switch m := entry.Message.(type) {
		case *ai.UserMessage:
			for _, c := range blocks(m.Content) {
				t.send(chunk{"user_message_chunk", c})
			}
		case *ai.AssistantMessage:
			t.answered(m)
		case *ai.ToolResultMessage:
			t.end(m.ToolCallID, m.Content, m.Details, m.IsError)
		}
	}
	return nil
}

func (t *translator) answered(m *ai.AssistantMessage) {
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			t.chunk("agent_message_chunk", b.Text)
		case *ai.Thinking:
			t.chunk("agent_thought_chunk", b.Thinking)
		case *ai.ToolCall:
			t.announce(b.ID, b.Name)
			t.send(t.described("tool_call_update", b.ID, b.Arguments))
		}
	}
}

// shown is the content of a call.
func shown(result []ai.Block) []toolContent {
	var out []toolContent
	for _, c := range blocks(result) {
		out = append(out, toolContent{Type: "content", Content: &c})
	}
	return out
}

func blocks(in []ai.Block) []content {
	var out []content
	for _, b := range in {
		switch b := b.(type) {
		case *ai.Text:
			if b.Text != "" {
				out = append(out, content{Type: "text", Text: b.Text})
			}
		case *ai.Image:
			out = append(out, content{Type: "image", Data: b.Data, MimeType: b.MimeType})
		}
	}
	return out
}

func kindOf(tool string) string {
	switch tool {
	case "read", "ls":
		return "read"
	case "edit", "write":
		return "edit"
	case "grep", "find":
		return "search"
	case "bash":
		return "execute"
	}
	return "other"
}

// title is a call as a person reads it.
func (t *translator) title(c *call) string {
	what := ""
	for _, key := range []string{"command", "pattern", "path"} {
		if what = c.text(key); what != "" {
			break
		}
	}
	if what == "" {
		return c.name
	}
	return c.name + " " + store.OneLine(what, 200)
}

func (t *translator) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.cwd, path)
}

func (c *call) text(key string) string {
	var s string
	_ = json.Unmarshal(c.args[key], &s) // anything else says nothing
	return s
}

func (c *call) number(key string) int {
	var n float64
	_ = json.Unmarshal(c.args[key], &n)
	return max(int(n), 0)
}
