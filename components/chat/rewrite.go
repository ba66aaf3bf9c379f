package chat

import (
	"math"
	"strings"
)

// Rewrite asks for another form of the text of a message.
type Rewrite struct {
	Kind      string // user, assistant, assistant-thinking, custom or summary
	Text      string
	Width     int  // columns there are for it
	Streaming bool // more is coming
	Origin
}

// Origin is the entry of the session that a message was read from; empty for one
// that has just come.
type Origin struct{ ID, Time string }

// rewriting is the text of a part that may be shown in another form. What was
// shown stays until the new form is there; at most one request is under way, and
// the text it is then is what the next is for. Without anybody who rewrites it
// does nothing.
type rewriting struct {
	look   *Look
	kind   string // empty: never rewritten
	origin Origin
	show   func(text string) // takes what is to be shown
	after  func()            // a container is told of a change

	raw       strings.Builder // the text, while on
	on        bool
	busy      bool
	fixed     bool // it is in the scrollback and stays as it is
	streaming bool
	edits     int
	done      form
}

// form is what a form was made for.
type form struct {
	edits, width, by int
	streaming        bool
}

func (r *rewriting) append(piece string) {
	r.raw.WriteString(piece)
	r.streaming = true
	r.edits++
}

func (r *rewriting) set(s string) {
	if !r.streaming && s == r.raw.String() {
		return
	}
	r.raw.Reset()
	r.raw.WriteString(s)
	r.streaming = false
	r.edits++
}

func (r *rewriting) by() int {
	if r.kind == "" || r.look.Rewriting == nil {
		return 0
	}
	return r.look.Rewriting(r.kind)
}

func (r *rewriting) want(width int) form { return form{r.edits, width, r.by(), r.streaming} }

// check asks for the form that is wanted, if it is another than what is shown.
// source returns the text as it is shown now.
func (r *rewriting) check(width int, source func() string) {
	by := r.by()
	if r.fixed || by == 0 && !r.on {
		return
	}
	if by == 0 {
		r.on, r.done = false, form{}
		r.show(r.raw.String())
		r.raw.Reset()
		return
	}
	if !r.on {
		r.on = true
		r.raw.Reset()
		r.raw.WriteString(source())
	}
	want := r.want(width)
	if r.busy || want == r.done {
		return
	}
	if strings.TrimSpace(r.raw.String()) == "" {
		r.done = want
		return
	}
	r.busy = true
	r.look.Rewrite(Rewrite{r.kind, r.raw.String(), width, r.streaming, r.origin}, func(text string) {
		r.busy = false
		if !r.on || r.fixed {
			return
		}
		r.done = want
		r.show(text)
		if r.after != nil {
			r.after()
		}
	})
}

// settles reports whether what is shown stays. A part that has said so once is
// not rewritten any more: its lines may be in the terminal's scrollback.
func (r *rewriting) settles(width int, over bool) bool {
	if r.fixed || r.by() == 0 && !r.on {
		r.fixed = r.fixed || over && r.kind != ""
		return true
	}
	if r.busy || r.streaming || r.want(width) != r.done {
		return false
	}
	r.fixed = over
	return true
}

// settled is what a part answers whose lines only rewriting changes.
func (r *rewriting) settled(width int) int {
	if r.settles(width, true) {
		return math.MaxInt
	}
	return 0
}

// OnRewrite has f called after a part was rewritten.
func (r *rewriting) OnRewrite(f func()) { r.after = f }
