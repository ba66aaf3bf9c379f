package interactive

import (
	"math"

	"tau/ai"
	"tau/components/chat"
	"tau/session/store"
	"tau/tui"
)

// chunk is how many entries of a stored conversation are one node of the
// transcript.
const chunk = 40

// history adds the conversation of the store to a transcript. Entries are read
// when they come in sight: opening costs the same for a long conversation as
// for a short one.
func (t *transcript) history(st *store.Store) {
	path := st.PathTo("")
	for len(path) > 0 {
		// The last chunk is the short one, so that what is in sight is soon read.
		n := len(path) % chunk
		if n == 0 {
			n = chunk
		}
		if len(path) <= chunk {
			n = len(path)
		}
		t.list.Append(&past{in: t.list, look: t.look, store: st, entries: path[:n], after: path[n:]})
		path = path[n:]
	}
	t.batch = nil
}

// said reports whether there is anything but a choice of model in the
// conversation.
func said(st *store.Store) bool {
	for n := range st.Back() {
		if n.Type != "model_change" && n.Type != "thinking_level_change" {
			return true
		}
	}
	return false
}

// past is a stretch of a stored conversation.
type past struct {
	look    *chat.Look
	store   *store.Store
	entries []store.Node
	after   []store.Node // where results of the last calls may be

	in     *tui.List // it is a part of
	list   *tui.List // made when it is first drawn
	width  int
	lines  []string
	starts []int // first line of each part, for clicks
	dirty  bool
	count  uint64
}

// Version implements tui.Versioned.
func (p *past) Version() uint64 { return p.count }

// Invalidate implements tui.Invalidator.
func (p *past) Invalidate() {
	p.count++
	p.dirty = true
	if p.list != nil {
		p.list.Invalidate()
	}
}

// rewritten is a part that extensions may show in another form.
type rewritten interface {
	tui.Settler
	OnRewrite(f func())
}

func (p *past) build() {
	p.list = &tui.List{Gap: 1}
	t := newTranscript(p.look, p.list)
	for _, n := range p.entries {
		e, err := p.store.Entry(n.ID)
		if err != nil {
			t.notice(chat.Warning, err.Error())
			continue
		}
		if c, ok := e.(*store.CustomEntry); ok {
			t.entry(c)
		} else if m := store.AsMessage(e); m != nil {
			b := store.EntryBase(e)
			t.from = chat.Origin{ID: b.ID, Time: b.Timestamp}
			t.message(m)
		}
	}
	for _, n := range p.after {
		if !t.waiting() {
			break
		}
		if e, err := p.store.Entry(n.ID); err == nil {
			m, ok := store.AsMessage(e).(*ai.ToolResultMessage)
			if !ok {
				break
			}
			t.result(m)
		}
	}
	t.settle()
	for i := range p.list.Len() {
		if c, ok := p.list.At(i).Component().(rewritten); ok {
			c.OnRewrite(func() { p.count++; p.dirty = true })
		}
	}
}

// Settled implements tui.Settler. As anything that does not say, a stretch is
// final when something follows it, but not before all of it is rewritten.
func (p *past) Settled(width int) int {
	if p.list == nil || p.in.Len() > 0 && p.in.At(p.in.Len()-1).Component() == tui.Component(p) {
		return 0
	}
	for i := range p.list.Len() {
		if c, ok := p.list.At(i).Component().(rewritten); ok && c.Settled(width) != math.MaxInt {
			return 0
		}
	}
	return math.MaxInt
}

// Render implements tui.Component.
func (p *past) Render(width int) []string {
	if p.list == nil {
		p.build()
		p.dirty = true
	}
	if p.dirty || p.width != width {
		p.lines = p.lines[:0:0]
		p.starts = p.starts[:0]
		for i := range p.list.Len() {
			part := p.list.At(i).Component().Render(width)
			if len(part) > 0 && len(p.lines) > 0 {
				p.lines = append(p.lines, "")
			}
			p.starts = append(p.starts, len(p.lines))
			p.lines = append(p.lines, part...)
		}
		p.width, p.dirty = width, false
	}
	return p.lines
}

// HandleMouse implements tui.MouseHandler.
func (p *past) HandleMouse(ev tui.MouseEvent) bool {
	for i := len(p.starts) - 1; i >= 0; i-- {
		if ev.Y < p.starts[i] {
			continue
		}
		h, ok := p.list.At(i).Component().(tui.MouseHandler)
		ev.Y -= p.starts[i]
		if ok && h.HandleMouse(ev) {
			p.count++
			p.dirty = true
			return true
		}
		return false
	}
	return false
}

// promptsKept is how many earlier prompts the editor's history begins with.
const promptsKept = 50

// prompts puts the last prompts of a stored conversation into the history of
// the editor. Only the last entries are looked at.
func (p *program) prompts(st *store.Store) {
	const most = 400
	var found []string
	seen := 0
	for n := range st.Back() {
		if seen++; seen > most || len(found) == promptsKept {
			break
		}
		if n.Type != "message" || n.Role != ai.RoleUser {
			continue
		}
		e, err := st.Entry(n.ID)
		if err != nil {
			continue
		}
		if u, ok := store.AsMessage(e).(*ai.UserMessage); ok {
			found = append(found, ai.ContentText(u.Content))
		}
	}
	for i := len(found) - 1; i >= 0; i-- {
		p.editor.AddToHistory(found[i])
	}
}
