package chat

import (
	"encoding/json"
	"fmt"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/ai/partialjson"
	"tau/components"
	"tau/themes"
	"tau/tui/text"
)

type state uint8

const (
	writing state = iota // the model is still writing the arguments
	waiting              // the call is complete but has not begun
	running
	done
	failed
)

// Card shows one tool call, from its first argument to its result.
type Card struct {
	base
	look *Look
	name string
	id   string

	args   json.RawMessage // complete, or nil while they are being written
	writer partialjson.Scanner
	fields map[string]any // decoded args, or as much as is written
	parsed bool

	state   state
	began   time.Time
	now     time.Time
	took    time.Duration
	timed   bool
	frame   string // of the spinner
	result  *agent.Result
	opened  bool
	toggled bool // opened or closed by hand
	note    string
	images  []*components.Image
}

// NewCard returns the card of a call whose arguments are to come.
func NewCard(look *Look, name, id string) *Card {
	return &Card{look: look, name: name, id: id, frame: "·"}
}

// ID returns the id of the call.
func (c *Card) ID() string { return c.id }

// Name returns the name of the tool.
func (c *Card) Name() string { return c.name }

// Write takes the next piece of the raw argument text. It is parsed when the
// card is drawn, not here.
func (c *Card) Write(piece string) {
	if c.args != nil {
		return
	}
	c.writer.Write(piece)
	c.parsed = false
	c.changed()
}

// SetArgs sets the complete arguments.
func (c *Card) SetArgs(args json.RawMessage) {
	c.args = args
	c.parsed = false
	if c.state == writing {
		c.state = waiting
	}
	c.changed()
}

// Start marks the call as running.
func (c *Card) Start(now time.Time) {
	c.state, c.began, c.now = running, now, now
	c.changed()
}

// Began returns when the call began.
func (c *Card) Began() time.Time { return c.began }

// SetNote sets a remark that stands before the outcome.
func (c *Card) SetNote(note string) {
	c.note = note
	c.changed()
}

// Running reports whether the card has a spinner and a timer.
func (c *Card) Running() bool { return c.state == running || c.state == writing }

// Finished reports whether the card has its result.
func (c *Card) Finished() bool { return c.state == done || c.state == failed }

// Tick moves the spinner and the timer.
func (c *Card) Tick(now time.Time, frame string) {
	if c.Running() {
		c.now, c.frame = now, frame
		c.changed()
	}
}

// Update shows a partial result.
func (c *Card) Update(r *agent.Result) {
	if c.state == running || c.state == waiting {
		c.result = r
		c.changed()
	}
}

// Finish shows the result. A negative time is not shown.
func (c *Card) Finish(r *agent.Result, took time.Duration) {
	c.result, c.took, c.timed = r, took, took >= 0
	c.state = done
	if r != nil && r.IsError {
		c.state = failed
	}
	c.images = nil
	if r != nil {
		c.images = c.look.images(r.Content, c.field("path"))
	}
	c.changed()
}

// drawn reports whether a picture of the result is shown.
func (c *Card) drawn() bool {
	for _, m := range c.images {
		if m.Drawable() {
			return true
		}
	}
	return false
}

// pictures returns the lines of the result's pictures. Where they cannot be
// shown, the card's own line says what they are, and the opened card more.
func (c *Card) pictures(width int) []string {
	var out []string
	for _, m := range c.images {
		if m.Drawable() || c.Open() {
			out = append(out, m.Render(width)...)
		}
	}
	return out
}

// Toggle opens or closes the card.
func (c *Card) Toggle() {
	c.opened, c.toggled = !c.Open(), true
	c.changed()
}

// Open reports whether the card shows all it has.
func (c *Card) Open() bool {
	if c.toggled {
		return c.opened
	}
	return c.look.Expanded
}

// ResetToggle makes the card follow the look again.
func (c *Card) ResetToggle() {
	c.toggled = false
	c.changed()
}

// field returns an argument as text.
func (c *Card) field(name string) string {
	c.parse()
	switch v := c.fields[name].(type) {
	case string:
		return v
	case nil:
		return ""
	case float64:
		return fmt.Sprint(v)
	default:
		b, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(b)
	}
}

func (c *Card) parse() {
	if c.parsed {
		return
	}
	c.parsed = true
	src := []byte(c.args)
	if c.args == nil {
		src = c.writer.Closed()
	}
	c.fields = nil
	_ = json.Unmarshal(src, &c.fields)
}

// output returns the text of the result so far.
func (c *Card) output() string {
	if c.result == nil {
		return ""
	}
	return ai.ContentText(c.result.Content)
}

// Settled implements tui.Settler: a finished card changes only when it is
// opened.
func (c *Card) Settled(int) int { return 0 }

// Render implements tui.Component.
func (c *Card) Render(width int) []string {
	return c.cached(width, func() []string {
		v := c.view(width)
		mark, tok := c.mark()
		call, result, self := c.drawnBy(width)
		if self {
			return append(call, result...)
		}
		if result != nil {
			v.body = result
		}
		if len(call) > 0 {
			head := text.Spaces(indent) + c.look.fg(tok, mark) + " "
			for i, l := range call[1:] {
				call[i+1] = text.Spaces(indent+2) + l
			}
			call[0] = head + call[0]
		}
		name := text.Pad(c.title(), nameWidth)
		left := text.Spaces(indent) + c.look.fg(tok, mark) + " " + c.look.Theme.Bold(c.look.fg(themes.ToolTitle, name)) + " " + v.subject
		right := v.outcome
		if c.note != "" {
			right = join(c.look.fg(themes.Dim, c.note), right, c.look.fg(themes.Dim, " · "))
		}
		if t := c.timer(); t != "" {
			if right != "" {
				right += c.look.fg(themes.Dim, " · ")
			}
			right += c.look.fg(themes.Dim, t)
		}
		if width < narrow {
			left = c.look.fg(tok, mark) + " " + c.look.fg(themes.ToolTitle, c.title()) + " " + v.subject
			if right != "" && c.state != done {
				left += " " + right
			}
		}
		lines := []string{line(left, right, width)}
		if len(call) > 0 {
			lines = lines[:0]
			for _, l := range call {
				lines = append(lines, text.Truncate(l, width, "…"))
			}
		}
		bar := text.Spaces(indent) + c.look.fg(tok, "│") + "  "
		room := c.bodyWidth(width)
		for _, l := range append(v.body, c.pictures(room)...) {
			if width < narrow {
				lines = append(lines, text.Truncate(" "+l, width, "…"))
			} else {
				lines = append(lines, bar+text.Truncate(l, room, "…"))
			}
		}
		return lines
	})
}

// drawnBy asks whoever draws the tool in another way.
func (c *Card) drawnBy(width int) (call, result []string, self bool) {
	if c.look.Tool == nil || !c.look.DrawsTool(c.name) {
		return nil, nil, false
	}
	c.parse()
	args := c.args
	if args == nil {
		args, _ = json.Marshal(c.fields) // what was decoded encodes
	}
	took := c.took
	if !c.timed {
		took = -1
	}
	return c.look.Tool(ToolState{
		Name: c.name, ID: c.id, Args: args, Complete: c.args != nil, Started: c.state >= running, Result: c.result,
		Done: c.Finished(), Expanded: c.Open(), Took: took,
	}, c.bodyWidth(width))
}

const nameWidth = 6

func (c *Card) bodyWidth(width int) int {
	if width < narrow {
		return max(1, width-1)
	}
	return width - indent - 4
}

func (c *Card) title() string {
	if c.name == "" {
		return "…"
	}
	return clean(c.name)
}

func (c *Card) mark() (string, themes.Token) {
	switch c.state {
	case done:
		return "✓", themes.Success
	case failed:
		return "✗", themes.ErrorColor
	case running:
		return c.frame, themes.Accent
	}
	return c.frame, themes.Muted
}

// timer shows how long the call takes, once it takes long enough to matter.
func (c *Card) timer() string {
	switch {
	case c.state == running:
		if d := c.now.Sub(c.began); d >= time.Second {
			return Duration(d)
		}
	case c.timed && (c.state == done || c.state == failed):
		return Duration(c.took)
	}
	return ""
}

func join(a, b, sep string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + sep + b
}

// Duration writes a time as people read it: 4ms, 3.1s, 41s, 2m05s.
func Duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "0ms"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
