// Package toolcalls puts the fragments of tool calls together that protocols of
// the chat completions family stream.
//
// A [List] takes each [Fragment] as it comes, with or without index, repeated
// id or name, and gives the builder of the answer one call after the other.
package toolcalls

import (
	"encoding/json"
	"strings"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/toolargs"
)

// Fragment is a piece of a tool call, as a member of tool_calls.
type Fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	// Custom is in the place of Function for a tool that is called with text.
	Custom *struct {
		Name  string `json:"name"`
		Input string `json:"input"`
	} `json:"custom"`
}

// List puts the calls of one answer together; its zero value is empty. The events of a stream show one
// block after the other, so only the first unfinished call is shown; the
// fragments of later ones wait until its arguments are a whole object.
type List struct {
	Plain toolargs.Plain // the tools that are called with text

	list  []*pending
	shown int  // list[:shown] have ended, list[shown] may be open
	extra bool // some call got more after its end
}

type pending struct {
	index    *int
	id, name string
	text     strings.Builder
	sent     int // of text, given to the builder
	open     bool
	extra    bool
	plain    bool // of text, whose object is not yet complete
}

// seal completes the object of a call with text.
func (p *pending) seal() {
	if p.plain {
		p.plain = false
		p.text.WriteString(toolargs.Shut)
	}
}

// Len is the number of calls that have begun.
func (c *List) Len() int { return len(c.list) }

// Changed reports whether a call got more of its arguments after it had ended;
// Amend then mends it.
func (c *List) Changed() bool { return c.extra }

// Amend is for [answer.Builder.AmendCalls]: it replaces call n by what it
// became after its end.
func (c *List) Amend(n int, call *ai.ToolCall) {
	if n < len(c.list) && c.list[n].extra {
		*call = *answer.Call(call.ID, call.Name, c.list[n].text.String(), "")
	}
}

// Add takes the next fragment.
func (c *List) Add(b *answer.Builder, f *Fragment) {
	args := argumentText(f.Function.Arguments)
	if f.Custom != nil {
		f.Function.Name, args = f.Custom.Name, toolargs.Escape(f.Custom.Input)
	}
	p := c.find(f)
	if p == nil {
		if f.ID == "" && f.Function.Name == "" && args == "" {
			return
		}
		for _, before := range c.list {
			before.seal()
		}
		if f.Custom != nil {
			args = c.Plain.Open(f.Custom.Name) + args
		}
		p = &pending{index: f.Index, id: f.ID, name: f.Function.Name, plain: f.Custom != nil}
		c.list = append(c.list, p)
	} else {
		// The name may come after the id, but is then not repeated in pieces.
		if p.id == "" {
			p.id = f.ID
		}
		if p.name == "" {
			p.name = f.Function.Name
		}
	}
	p.text.WriteString(args)
	c.show(b)
	for _, ended := range c.list[:c.shown] {
		if ended == p && strings.TrimSpace(args) != "" {
			p.extra, c.extra = true, true
		}
	}
}

// find returns the call that the fragment belongs to, nil if it begins one.
// The index decides if there is one; but some servers give every call of a
// batch the index 0, and only the id tells them apart.
func (c *List) find(f *Fragment) *pending {
	if f.Index == nil {
		if len(c.list) == 0 {
			return nil
		}
		last := c.list[len(c.list)-1]
		if f.ID == "" && f.Function.Name != "" && last.name != "" && last.whole() || f.ID != "" && last.id != "" && f.ID != last.id {
			return nil
		}
		if f.ID != "" && f.ID == last.id && f.Function.Name != "" && last.whole() {
			return nil
		}
		return last
	}
	for i := len(c.list) - 1; i >= 0; i-- {
		p := c.list[i]
		if p.index == nil || *p.index != *f.Index {
			continue
		}
		if f.ID != "" && p.id != "" && f.ID != p.id || f.ID == "" && f.Function.Name != "" && p.name != "" && p.whole() {
			return nil
		}
		return p
	}
	return nil
}

// whole reports whether the arguments are complete.
func (p *pending) whole() bool {
	text := strings.TrimSpace(p.text.String())
	return strings.HasSuffix(text, "}") && json.Valid([]byte(text))
}

// show gives the builder what can be shown by now.
func (c *List) show(b *answer.Builder) {
	for c.shown < len(c.list) {
		p := c.list[c.shown]
		p.send(b)
		if c.shown+1 == len(c.list) || !p.whole() {
			return
		}
		b.End()
		c.shown++
	}
}

// Close ends all calls, and reports whether none is left unfinished. Without
// force it ends them only if all are whole.
func (c *List) Close(b *answer.Builder, force bool) bool {
	if c.shown == len(c.list) {
		return true
	}
	if !force {
		for _, p := range c.list[c.shown:] {
			if !p.whole() {
				return false
			}
		}
	}
	for ; c.shown < len(c.list); c.shown++ {
		c.list[c.shown].seal()
		c.list[c.shown].send(b)
		b.End()
	}
	return true
}

// LeaveLast ends all calls but the last, which is left open for the builder to
// end with the reason why it is not whole.
func (c *List) LeaveLast(b *answer.Builder) {
	for ; c.shown < len(c.list)-1; c.shown++ {
		c.list[c.shown].send(b)
		b.End()
	}
	if c.shown < len(c.list) {
		c.list[c.shown].send(b)
	}
}

// send gives the builder what it has not got yet.
func (p *pending) send(b *answer.Builder) {
	if !p.open {
		p.open = true
		b.ToolCall(p.id, p.name, "")
	}
	text := p.text.String()
	b.Arguments(text[p.sent:])
	p.sent = len(text)
}

// argumentText reads arguments as the string they should be, or as the object
// that some servers send.
func argumentText(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if raw[0] != '"' {
		return string(raw)
	}
	var text string
	_ = json.Unmarshal(raw, &text) // it is valid, the chunk was
	return text
}
