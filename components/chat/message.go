package chat

import (
	"strings"
	"time"

	"tau/ai"
	"tau/components"
	"tau/themes"
	"tau/tui/text"
)

// User is a message of the user.
type User struct {
	base
	rewriting
	look  *Look
	body  string
	shown string
	at    time.Time

	images []*components.Image
}

// NewUser returns the message; a zero time is not shown.
func NewUser(look *Look, body string, at time.Time) *User {
	return &User{look: look, body: body, shown: body, at: at}
}

// Rewritten is as that of [Answer].
func (u *User) Rewritten(from Origin) {
	u.rewriting = rewriting{look: u.look, kind: "user", origin: from, show: func(s string) {
		u.shown = s
		u.changed()
	}}
}

// AddImages shows the pictures of the message below its text.
func (u *User) AddImages(content []ai.Block) {
	u.images = append(u.images, u.look.images(content, "")...)
	u.changed()
}

// Text returns what the user said.
func (u *User) Text() string { return u.body }

// Settled implements tui.Settler.
func (u *User) Settled(width int) int { return u.settled(u.room(width)) }

// room is how wide the text is.
func (u *User) room(width int) int {
	if u.at.IsZero() || width < narrow {
		return max(1, inner(width)-1)
	}
	return max(1, inner(width)-len("15:04")-1)
}

// PromptStart marks the place that jumping from prompt to prompt goes to.
func (u *User) PromptStart() bool { return true }

// Render implements tui.Component.
func (u *User) Render(width int) []string {
	u.check(u.room(width), u.Text)
	return u.cached(width, func() []string {
		clock := ""
		w := inner(width)
		if !u.at.IsZero() && width >= narrow {
			clock = u.at.Format("15:04")
		}
		body := text.Wrap(text.ExpandTabs(text.Sanitize(strings.TrimSpace(u.shown))), u.room(width))
		for i, l := range body {
			body[i] = u.look.fg(themes.UserMessageText, l)
		}
		for _, m := range u.images {
			body = append(body, m.Render(max(1, w-1))...)
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
	rewriting
	look *Look
	kind Kind
	head string // above what may be rewritten
	body string
	was  string
}

// NewNotice returns a remark. The text may have several lines.
func NewNotice(look *Look, kind Kind, body string) *Notice {
	return &Notice{look: look, kind: kind, body: body}
}

// Rewritten is as that of [Answer], for a remark that tells a message of this
// kind: custom or summary. head stands above it and stays as it is.
func (n *Notice) Rewritten(kind, head string, from Origin) {
	n.head, n.was = head, n.body
	n.rewriting = rewriting{look: n.look, kind: kind, origin: from, show: func(s string) {
		n.body = s
		n.changed()
	}}
}

// Settled implements tui.Settler.
func (n *Notice) Settled(width int) int { return n.settled(n.room(width)) }

func (n *Notice) room(width int) int { return max(1, width-2*indent-1) }

// Render implements tui.Component.
func (n *Notice) Render(width int) []string {
	n.check(n.room(width), func() string { return n.was })
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
		for i, l := range text.Wrap(text.ExpandTabs(text.Sanitize(strings.TrimSpace(n.head+n.body))), n.room(width)) {
			lead := text.Spaces(2)
			if i == 0 {
				lead = n.look.fg(tok, mark) + " "
			}
			out = append(out, text.Truncate(text.Spaces(indent)+lead+n.look.fg(textTok, l), width, "…"))
		}
		return out
	})
}
