package chat

import (
	"math"

	"tau/components"
	"tau/themes"
	"tau/tui/text"
)

// Answer is a text block of the model, shown as Markdown while it is written.
type Answer struct {
	rewriting
	look    *Look
	md      *components.Markdown
	changes uint64 // that the Markdown does not know of
}

// NewAnswer returns an empty answer.
func NewAnswer(look *Look) *Answer {
	return &Answer{look: look, md: components.NewMarkdown(components.MarkdownOptions{
		PadX: indent, Style: look.Markdown(), Highlight: look.Highlight, Hyperlinks: look.Hyperlinks, Diagrams: look.Diagrams,
	})}
}

// Rewritten makes the answer one that is shown in another form if somebody
// wants that; see [Look.Rewriting].
func (a *Answer) Rewritten(from Origin) {
	a.rewriting = rewriting{look: a.look, kind: "assistant", origin: from, show: a.md.SetText}
}

// Append adds the next piece of the text.
func (a *Answer) Append(piece string) {
	if a.on {
		a.append(piece)
		a.changes++
		return
	}
	a.streaming = true
	a.md.Append(piece)
}

// SetText sets the complete text.
func (a *Answer) SetText(s string) {
	if a.on {
		a.set(s)
		a.changes++
		return
	}
	a.streaming = false
	a.md.SetText(s)
}

// Text returns the Markdown source.
func (a *Answer) Text() string {
	if a.on {
		return a.raw.String()
	}
	return a.md.Text()
}

// Version implements tui.Versioned.
func (a *Answer) Version() uint64 { return a.md.Version() + a.changes }

func (a *Answer) rewrite(width int) { a.check(max(1, width-2*indent), a.md.Text) }

// Invalidate takes the colours of the look over.
func (a *Answer) Invalidate() {
	a.md.SetStyle(a.look.Markdown(), a.look.Highlight)
	a.md.SetDiagrams(a.look.Diagrams)
	a.md.Invalidate()
}

// Render implements tui.Component.
func (a *Answer) Render(width int) []string {
	a.rewrite(width)
	return a.md.Render(width)
}

// Height implements tui.Ranger.
func (a *Answer) Height(width int) int {
	a.rewrite(width)
	return a.md.Height(width)
}

// RenderRange implements tui.Ranger.
func (a *Answer) RenderRange(width, from, to int) []string { return a.md.RenderRange(width, from, to) }

// Settled implements tui.Settler.
func (a *Answer) Settled(width int) int {
	n := a.md.Settled(width)
	if !a.settles(max(1, width-2*indent), n > 0) {
		return 0
	}
	return n
}

// Thinking is what the model thought. It can be hidden behind a label.
type Thinking struct {
	base
	rewriting
	look  *Look
	md    *components.Markdown
	whole bool
}

// NewThinking returns an empty thought.
func NewThinking(look *Look) *Thinking {
	return &Thinking{look: look, md: components.NewMarkdown(components.MarkdownOptions{Style: look.thinking(), Diagrams: components.DiagramsOff})}
}

// Rewritten is as that of [Answer].
func (t *Thinking) Rewritten(from Origin) {
	t.rewriting = rewriting{look: t.look, kind: "assistant-thinking", origin: from, show: func(s string) {
		t.md.SetText(s)
		t.changed()
	}}
}

// Append adds the next piece of the thought.
func (t *Thinking) Append(piece string) {
	if t.on {
		t.append(piece)
	} else {
		t.streaming = true
		t.md.Append(piece)
	}
	t.changed()
}

// SetText sets the complete thought.
func (t *Thinking) SetText(s string) {
	if t.on {
		t.set(s)
	} else {
		t.streaming = false
		t.md.SetText(s)
	}
	t.whole = true
	t.changed()
}

// Invalidate takes the colours of the look over.
func (t *Thinking) Invalidate() {
	t.md.SetStyle(t.look.thinking(), nil)
	t.md.Invalidate()
	t.changed()
}

// Settled implements tui.Settler.
func (t *Thinking) Settled(width int) int {
	switch {
	case !t.whole:
		return 0
	case t.look.HideThinking:
		return math.MaxInt
	}
	return t.settled(inner(width))
}

// Height implements tui.Ranger.
func (t *Thinking) Height(width int) int {
	if t.look.HideThinking {
		return 1
	}
	t.check(inner(width), t.md.Text)
	return t.md.Height(inner(width))
}

// RenderRange implements tui.Ranger.
func (t *Thinking) RenderRange(width, from, to int) []string {
	bar := t.look.fg(themes.Dim, "┊")
	if t.look.HideThinking {
		if from > 0 || to < 1 {
			return nil
		}
		label := "thinking…"
		if t.whole {
			label = "thought"
		}
		if t.look.ThinkingLabel != "" {
			label = t.look.ThinkingLabel
		}
		return barred(bar, []string{t.look.Theme.Italic(t.look.fg(themes.ThinkingText, label))}, width)
	}
	lines := barred(bar, t.md.RenderRange(inner(width), from, to), width)
	if from == 0 && len(lines) > 0 && width >= narrow {
		if right := t.look.fg(themes.Dim, "thinking"); text.Width(lines[0])+text.Width(right)+3 <= width {
			lines[0] = line(lines[0], right, width)
		}
	}
	return lines
}

// Render implements tui.Component.
func (t *Thinking) Render(width int) []string {
	return t.cached(width, func() []string { return t.RenderRange(width, 0, t.Height(width)) })
}

// Markdown returns the colours of answers.
func (l *Look) Markdown() components.MarkdownStyle {
	th := l.Theme
	fg := func(tok themes.Token) components.Style { return th.Style(tok) }
	return components.MarkdownStyle{
		Text: fg(themes.Text), Heading: fg(themes.MdHeading), Link: fg(themes.MdLink), LinkURL: fg(themes.MdLinkURL),
		Code: fg(themes.MdCode), CodeBlock: fg(themes.MdCodeBlock), CodeBlockBorder: fg(themes.MdCodeBlockBorder),
		Quote: fg(themes.MdQuote), QuoteBorder: fg(themes.MdQuoteBorder), Hr: fg(themes.MdHr), ListBullet: fg(themes.MdListBullet),
		TableBorder: fg(themes.BorderMuted), Bold: th.Bold, Italic: th.Italic, Underline: th.Underline, Strike: th.Strike,
		DiagramBox: fg(themes.Dim), DiagramEdge: fg(themes.Accent), DiagramLabel: fg(themes.Muted),
		DiagramTitle: func(s string) string { return th.Bold(th.Fg(themes.MdHeading, s)) },
	}
}

func (l *Look) thinking() components.MarkdownStyle {
	s := l.Markdown()
	soft := func(x string) string { return l.Theme.Italic(l.fg(themes.ThinkingText, x)) }
	s.Text, s.Heading, s.Code, s.CodeBlock = soft, soft, soft, soft
	return s
}
