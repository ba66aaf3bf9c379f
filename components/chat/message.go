package chat

import (
	"math"
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
	look *Look
	body string
	at   time.Time

	images []*components.Image
}

// NewUser returns the message; a zero time is not shown.
func NewUser(look *Look, body string, at time.Time) *User {
	return &User{look: look, body: body, at: at}
}

// AddImages shows the pictures of the message below its text.
func (u *User) AddImages(content []ai.Block) {
	u.images = append(u.images, u.look.images(content, "")...)
	u.changed()
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
