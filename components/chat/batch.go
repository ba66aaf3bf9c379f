package chat

import (
	"fmt"
	"strings"
	"time"

	"tau/themes"
	"tau/tui"
	"tau/tui/text"
)

// Batch is a run of tool calls with nothing said between them. Its cards stand
// below each other without a gap; neighbouring reads and searches that went
// well fold into one line.
type Batch struct {
	base
	look  *Look
	cards []*Card
	sum   uint64 // of the cards' versions at the last Render
	rows  []row  // where the lines of the last Render come from
	open  map[*Card]bool
}

// row says which card a line belongs to; fold is set on the one line of folded
// cards.
type row struct {
	card *Card
	fold bool
}

// NewBatch returns an empty run.
func NewBatch(look *Look) *Batch { return &Batch{look: look, open: map[*Card]bool{}} }

// Add appends a card.
func (b *Batch) Add(c *Card) {
	b.cards = append(b.cards, c)
	b.changed()
}

// Len returns the number of cards.
func (b *Batch) Len() int { return len(b.cards) }

// Cards returns the cards. The slice must not be changed.
func (b *Batch) Cards() []*Card { return b.cards }

// Version implements tui.Versioned.
func (b *Batch) Version() uint64 { return b.version + b.cardSum() }

func (b *Batch) cardSum() uint64 {
	var v uint64
	for _, c := range b.cards {
		v += c.version
	}
	return v
}

// Invalidate drops what was built.
func (b *Batch) Invalidate() {
	b.changed()
	for _, c := range b.cards {
		c.Invalidate()
	}
}

// Running reports whether a card has a spinner.
func (b *Batch) Running() bool {
	for _, c := range b.cards {
		if c.Running() {
			return true
		}
	}
	return false
}

// Tick moves the spinners and timers.
func (b *Batch) Tick(now time.Time, frame string) {
	for _, c := range b.cards {
		c.Tick(now, frame)
	}
}

// folds reports whether a card may share its line with neighbours.
func (b *Batch) folds(c *Card) bool {
	switch c.name {
	case "read", "grep", "find", "ls":
		return c.state == done && (b.look.DrawsTool == nil || !b.look.DrawsTool(c.name)) && !c.Open() && !b.open[c] && !c.drawn()
	}
	return false
}

// Render implements tui.Component.
func (b *Batch) Render(width int) []string {
	sum := b.cardSum()
	if b.valid && b.width == width && b.sum == sum {
		return b.lines
	}
	var lines []string
	var rows []row
	for i := 0; i < len(b.cards); {
		n := 1
		if b.folds(b.cards[i]) {
			for i+n < len(b.cards) && b.folds(b.cards[i+n]) {
				n++
			}
		}
		if n > 1 {
			lines = append(lines, b.folded(b.cards[i:i+n], width))
			rows = append(rows, row{b.cards[i], true})
		} else {
			for _, l := range b.cards[i].Render(width) {
				lines = append(lines, l)
				rows = append(rows, row{card: b.cards[i]})
			}
		}
		i += n
	}
	b.lines, b.rows, b.width, b.sum, b.valid = lines, rows, width, sum, true
	return b.lines
}

func (b *Batch) folded(cards []*Card, width int) string {
	counts := map[string]int{}
	var order, subjects []string
	var took time.Duration
	timed := false
	for _, c := range cards {
		if counts[c.name]++; counts[c.name] == 1 {
			order = append(order, c.name)
		}
		subjects = append(subjects, c.view(width).subject)
		if c.timed {
			took, timed = took+c.took, true
		}
	}
	var parts []string
	for _, name := range order {
		noun := map[string]string{"read": "file", "grep": "search", "find": "search", "ls": "folder"}[name]
		verb := map[string]string{"read": "read", "grep": "grep", "find": "find", "ls": "list"}[name]
		parts = append(parts, verb+" "+plural(counts[name], noun))
	}
	left := fmt.Sprintf("%s%s %s  %s", text.Spaces(indent), b.look.fg(themes.Success, "✓"),
		b.look.Theme.Bold(b.look.fg(themes.ToolTitle, strings.Join(parts, ", "))), strings.Join(subjects, b.look.fg(themes.Dim, ", ")))
	right := ""
	if timed {
		right = b.look.fg(themes.Dim, Duration(took))
	}
	return line(left, right, width)
}

// HandleMouse implements tui.MouseHandler: a click opens or closes a card.
func (b *Batch) HandleMouse(ev tui.MouseEvent) bool {
	return ev.Kind == tui.MouseClick && b.Click(ev.Y)
}

// Click opens or closes what is at a line of the last Render.
func (b *Batch) Click(at int) bool {
	if at < 0 || at >= len(b.rows) {
		return false
	}
	r := b.rows[at]
	if !r.fold {
		delete(b.open, r.card)
		r.card.Toggle()
		b.changed()
		return true
	}
	// The folded line opens into the line of each card.
	for i, c := range b.cards {
		if c == r.card {
			for ; i < len(b.cards) && b.folds(b.cards[i]); i++ {
				b.open[b.cards[i]] = true
			}
			break
		}
	}
	b.changed()
	return true
}

// ResetToggles lets all cards follow the look again.
func (b *Batch) ResetToggles() {
	clear(b.open)
	for _, c := range b.cards {
		c.ResetToggle()
	}
	b.changed()
}
