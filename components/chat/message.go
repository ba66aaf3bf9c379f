package chat

import (
	"math"
	"strings"
	"time"

	"tau/themes"
	"tau/tui/text"
)

// User is a message of the user.
type User struct {
	base
	look *Look
	body string
	at   time.Time
}

// NewUser returns the message; a zero time is not shown.
func NewUser(look *Look, body string, at time.Time) *User {
	return &User{look: look, body: body, at: at}
}

// Text returns what the user said.
func (u *User) Text() string { return u.body }

// Settled implements tui.Settler.
func (u *User) Settled(int) int { return math.MaxInt }

// PromptStart marks the place that jumping from prompt to prompt goes to.
func (u *User) PromptStart() bool { return true }

// Render implements tui.Component.
func (u *User) Render(width int) []string {
	return u.cached(width, func() []string {
		clock := ""
		w := inner(width)
		if !u.at.IsZero() && width >= narrow {
			clock = u.at.Format("15:04")
		}
		body := text.Wrap(text.ExpandTabs(text.Sanitize(strings.TrimSpace(u.body))), max(1, w-len(clock)-1))
		for i, l := range body {
			body[i] = u.look.fg(themes.UserMessageText, l)
		}
		lines := barred(u.look.fg(themes.Accent, "▌"), body, width)
		if clock != "" && len(lines) > 0 {
			lines[0] = line(lines[0], u.look.fg(themes.Dim, clock), width)
		}
		return lines
	})
}

// Kind says how loud a notice is.
type Kind uint8

// The kinds of notices.
const (
	Info Kind = iota
	Success
	Warning
	Failure
)

// Notice is a remark of the program itself.
type Notice struct {
	base
	look *Look
	kind Kind
	body string
}

// NewNotice returns a remark. The text may have several lines.
func NewNotice(look *Look, kind Kind, body string) *Notice {
	return &Notice{look: look, kind: kind, body: body}
}

// Settled implements tui.Settler.
func (n *Notice) Settled(int) int { return math.MaxInt }

// Render implements tui.Component.
func (n *Notice) Render(width int) []string {
	return n.cached(width, func() []string {
		mark, tok := "·", themes.Muted
		switch n.kind {
		case Success:
			mark, tok = "✓", themes.Success
		case Warning:
			mark, tok = "!", themes.Warning
		case Failure:
			mark, tok = "✗", themes.ErrorColor
		}
		textTok := themes.Muted
		if n.kind == Failure || n.kind == Warning {
			textTok = tok
		}
		var out []string
		for i, l := range text.Wrap(text.ExpandTabs(text.Sanitize(strings.TrimSpace(n.body))), max(1, width-2*indent-1)) {
			lead := text.Spaces(2)
			if i == 0 {
				lead = n.look.fg(tok, mark) + " "
			}
			out = append(out, text.Truncate(text.Spaces(indent)+lead+n.look.fg(textTok, l), width, "…"))
		}
		return out
	})
}

// Spaced puts an empty line above a part.
type Spaced struct {
	base
	child part
	last  []string
}

type part interface {
	Render(width int) []string
	Version() uint64
	Invalidate()
}

// NewSpaced returns the part with an empty line above it. A part without lines
// has no empty line either.
func NewSpaced(p part) *Spaced { return &Spaced{child: p} }

// Child returns the part.
func (s *Spaced) Child() any { return s.child }

// Version implements tui.Versioned.
func (s *Spaced) Version() uint64 { return s.child.Version() }

// Invalidate drops what was built.
func (s *Spaced) Invalidate() { s.child.Invalidate() }

// Settled implements tui.Settler.
func (s *Spaced) Settled(width int) int {
	settler, ok := s.child.(interface{ Settled(int) int })
	if !ok {
		return 0
	}
	if n := settler.Settled(width); n > 0 && n < math.MaxInt {
		return n + 1
	} else {
		return n
	}
}

// PromptStart reports whether the part begins a turn.
func (s *Spaced) PromptStart() bool {
	p, ok := s.child.(interface{ PromptStart() bool })
	return ok && p.PromptStart()
}

// Height implements tui.Ranger.
func (s *Spaced) Height(width int) int {
	n := 0
	if r, ok := s.child.(ranger); ok {
		n = r.Height(width)
	} else {
		n = len(s.child.Render(width))
	}
	if n == 0 {
		return 0
	}
	return n + 1
}

// RenderRange implements tui.Ranger.
func (s *Spaced) RenderRange(width, from, to int) []string {
	r, ok := s.child.(ranger)
	if !ok {
		return s.Render(width)[from:to]
	}
	if from > 0 {
		return r.RenderRange(width, from-1, to-1)
	}
	if to <= 0 {
		return nil
	}
	return append([]string{""}, r.RenderRange(width, 0, to-1)...)
}

type ranger interface {
	Height(width int) int
	RenderRange(width, from, to int) []string
}

// Render implements tui.Component.
func (s *Spaced) Render(width int) []string {
	lines := s.child.Render(width)
	if s.valid && s.width == width && same(lines, s.last) {
		return s.lines
	}
	s.last, s.width, s.valid = lines, width, true
	s.lines = nil
	if len(lines) > 0 {
		s.lines = append([]string{""}, lines...)
	}
	return s.lines
}

// same reports whether two results of Render are the same slice.
func same(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
