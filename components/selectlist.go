package components

import (
	"tau/tui/key"
	"tau/tui/text"
)

// Item is an entry of a SelectList.
type Item struct {
	Value       string
	Label       string // default Value
	Description string
}

func (i Item) label() string {
	if i.Label != "" {
		return i.Label
	}
	return i.Value
}

// ListStyle holds the colours of lists.
type ListStyle struct{ Text, Selected, Description, Scroll, Empty Style }

// SelectListOptions configure a SelectList.
type SelectListOptions struct {
	Bindings   Bindings // default: DefaultBindings
	MaxVisible int      // rows, default 10
	MinLabel   int      // bounds of the label column with its two blanks, both
	MaxLabel   int      // 32 by default
	Empty      string   // shown when nothing matches
	Style      ListStyle
	Cut        func(label string, width int) string // shortens labels

	OnSelect func(Item)
	OnCancel func()
	OnChange func(Item) // the selection moved
}

// SelectList is a list with one row selected. Arrows go around its ends, page
// keys stop there. A filter keeps the rows that match, best first.
type SelectList struct {
	o       SelectListOptions
	items   []Item
	shown   []int // items that match
	filter  string
	sel     int
	version uint64

	drawnVersion uint64
	width, top   int
	lines        []string
	pressed      int
}

// NewSelectList returns a list.
func NewSelectList(items []Item, o SelectListOptions) *SelectList {
	if o.Bindings == nil {
		o.Bindings = DefaultBindings()
	}
	if o.MaxVisible <= 0 {
		o.MaxVisible = 10
	}
	if o.MinLabel == 0 && o.MaxLabel == 0 {
		o.MinLabel, o.MaxLabel = 32, 32
	}
	o.MaxLabel = max(o.MaxLabel, o.MinLabel, 3)
	if o.Empty == "" {
		o.Empty = "No matches"
	}
	l := &SelectList{o: o, pressed: -1}
	l.SetItems(items)
	return l
}

// SetItems replaces the entries. The selected value stays selected if it is
// still there.
func (l *SelectList) SetItems(items []Item) {
	old, had := l.Selected()
	l.items = items
	l.apply()
	if had {
		l.Select(old.Value)
	}
}

// SetFilter keeps the entries that match. Another filter selects the best.
func (l *SelectList) SetFilter(query string) {
	if query == l.filter {
		return
	}
	l.filter = query
	l.apply()
	l.changed()
}

// SetMaxVisible sets how many rows show.
func (l *SelectList) SetMaxVisible(n int) { l.o.MaxVisible = max(1, n); l.version++ }

// Filter returns the filter.
func (l *SelectList) Filter() string { return l.filter }

func (l *SelectList) apply() {
	l.shown = Fuzzy(l.filter, len(l.items), func(i int) string {
		it := l.items[i]
		if it.Label == "" || it.Label == it.Value {
			return it.Value
		}
		return it.Label + " " + it.Value
	})
	l.sel = 0
	l.version++
}

// Len returns how many entries match.
func (l *SelectList) Len() int { return len(l.shown) }

// Selected returns the selected entry; there is none if nothing matches.
func (l *SelectList) Selected() (Item, bool) {
	if l.sel < 0 || l.sel >= len(l.shown) {
		return Item{}, false
	}
	return l.items[l.shown[l.sel]], true
}

// Select selects an entry by value, if it is on show.
func (l *SelectList) Select(value string) {
	for i, k := range l.shown {
		if l.items[k].Value == value {
			l.sel = i
			l.version++
			return
		}
	}
}

func (l *SelectList) changed() {
	l.version++
	if it, ok := l.Selected(); ok && l.o.OnChange != nil {
		l.o.OnChange(it)
	}
}

func (l *SelectList) move(to int) {
	if to != l.sel {
		l.sel = to
		l.changed()
	}
}

// HandleKey implements tui.KeyHandler.
func (l *SelectList) HandleKey(ev key.Event) bool {
	if ev.Action == key.Release {
		return false
	}
	is := func(id string) bool { return l.o.Bindings.Matches(ev, id) }
	n := len(l.shown)
	switch {
	case is("tui.select.cancel"):
		if l.o.OnCancel == nil {
			return false
		}
		l.o.OnCancel()
	case is("tui.select.up") && n > 0:
		l.move((l.sel + n - 1) % n)
	case is("tui.select.down") && n > 0:
		l.move((l.sel + 1) % n)
	case is("tui.select.pageUp") && n > 0:
		l.move(max(0, l.sel-l.o.MaxVisible))
	case is("tui.select.pageDown") && n > 0:
		l.move(min(n-1, l.sel+l.o.MaxVisible))
	case is("tui.select.confirm"):
		l.confirm()
	default:
		return false
	}
	return true
}

func (l *SelectList) confirm() {
	if it, ok := l.Selected(); ok && l.o.OnSelect != nil {
		l.o.OnSelect(it)
	}
}

// Press selects the entry in a line of the last Render.
func (l *SelectList) Press(line int) bool {
	i := l.top + line
	if line < 0 || line >= l.o.MaxVisible || i >= len(l.shown) {
		l.pressed = -1
		return false
	}
	l.pressed = i
	l.move(i)
	return true
}

// Click chooses the entry that was pressed.
func (l *SelectList) Click(int) bool {
	i := l.pressed
	l.pressed = -1
	if i < 0 || i >= len(l.shown) {
		return false
	}
	l.move(i)
	l.confirm()
	return true
}

// Wheel moves the selection by a number of rows.
func (l *SelectList) Wheel(rows int) {
	if len(l.shown) > 0 {
		l.move(min(len(l.shown)-1, max(0, l.sel+rows)))
	}
}

// Version counts changes.
func (l *SelectList) Version() uint64 { return l.version }

// Invalidate makes the next Render build its lines anew.
func (l *SelectList) Invalidate() { l.version++ }

// Render implements tui.Component.
func (l *SelectList) Render(width int) []string {
	width = max(1, width)
	if l.lines != nil && l.width == width && l.drawnVersion == l.version {
		return l.lines
	}
	l.width, l.drawnVersion = width, l.version
	if len(l.shown) == 0 {
		l.lines = []string{l.o.Style.Empty.apply(text.Truncate("  "+oneLine(l.o.Empty), width, "…"))}
		return l.lines
	}
	rows := make([]listRow, len(l.shown))
	for i, k := range l.shown {
		rows[i] = listRow{l.items[k].label(), l.items[k].Description}
	}
	st := l.o.Style
	l.lines, l.top = rowList{rows: rows, sel: l.sel, max: l.o.MaxVisible, minLabel: l.o.MinLabel, maxLabel: l.o.MaxLabel, cut: l.o.Cut,
		text: st.Text, selected: st.Selected, description: st.Description, scroll: st.Scroll}.render(width)
	return l.lines
}
