package components

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"tau/tui"
	"tau/tui/key"
	"tau/tui/text"
)

// Setting is an entry of a SettingsList: a value out of a few, or one that a
// component of its own asks for.
type Setting struct {
	ID, Label, Description string
	Value                  string
	Values                 []string // Enter goes through them
	// Submenu opens a component in place of the list. It calls done once,
	// with ok false if nothing was chosen.
	Submenu func(value string, done func(value string, ok bool)) tui.Component
}

// SettingsListOptions configure a SettingsList.
type SettingsListOptions struct {
	Bindings   Bindings
	MaxVisible int  // rows, default 10
	Search     bool // typing filters by label
	Hint       string
	Style      ListStyle
	ValueStyle Style

	OnChange func(id, value string)
	OnCancel func()
}

// SettingsList shows settings with their values and changes them.
type SettingsList struct {
	o       SettingsListOptions
	items   []Setting
	shown   []int
	query   string
	sel     int
	sub     tui.Component
	focused bool
	version uint64

	drawnVersion uint64
	width, top   int
	lines        []string
}

// NewSettingsList returns a list of settings.
func NewSettingsList(items []Setting, o SettingsListOptions) *SettingsList {
	if o.Bindings == nil {
		o.Bindings = DefaultBindings()
	}
	if o.MaxVisible <= 0 {
		o.MaxVisible = 10
	}
	if o.Hint == "" {
		o.Hint = "enter changes · escape closes"
	}
	l := &SettingsList{o: o, items: slices.Clone(items)}
	l.apply()
	return l
}

// SetValue changes what is shown for a setting, without OnChange.
func (l *SettingsList) SetValue(id, value string) {
	for i := range l.items {
		if l.items[i].ID == id && l.items[i].Value != value {
			l.items[i].Value = value
			l.version++
		}
	}
}

// Select moves to a setting by id.
func (l *SettingsList) Select(id string) {
	for i, k := range l.shown {
		if l.items[k].ID == id {
			l.sel = i
			l.version++
		}
	}
}

func (l *SettingsList) apply() {
	l.shown = Fuzzy(l.query, len(l.items), func(i int) string { return l.items[i].Label })
	l.sel = 0
	l.version++
}

func (l *SettingsList) search(query string) {
	if query != l.query {
		l.query = query
		l.apply()
	}
}

// SetFocused implements tui.Focusable.
func (l *SettingsList) SetFocused(f bool) {
	l.focused = f
	l.version++
	if s, ok := l.sub.(tui.Focusable); ok {
		s.SetFocused(f)
	}
}

// HandleKey implements tui.KeyHandler. An open submenu gets all keys.
func (l *SettingsList) HandleKey(ev key.Event) bool {
	if ev.Action == key.Release {
		return false
	}
	l.version++
	if l.sub != nil {
		h, ok := l.sub.(tui.KeyHandler)
		return ok && h.HandleKey(ev)
	}
	is := func(id string) bool { return l.o.Bindings.Matches(ev, id) }
	n := len(l.shown)
	typed := typed(ev)
	switch {
	case is("tui.select.cancel"):
		if l.query != "" {
			l.search("")
			return true
		}
		if l.o.OnCancel == nil {
			return false
		}
		l.o.OnCancel()
	case is("tui.select.up"):
		if n > 0 {
			l.sel = (l.sel + n - 1) % n
		}
	case is("tui.select.down"):
		if n > 0 {
			l.sel = (l.sel + 1) % n
		}
	case is("tui.select.pageUp"):
		l.sel = max(0, l.sel-l.o.MaxVisible)
	case is("tui.select.pageDown"):
		l.sel = max(0, min(n-1, l.sel+l.o.MaxVisible))
	case is("tui.select.confirm"), typed == " " && l.query == "":
		l.activate()
	case is("tui.editor.deleteCharBackward") && l.o.Search:
		_, size := utf8.DecodeLastRuneInString(l.query)
		l.search(l.query[:len(l.query)-size])
	case typed != "" && l.o.Search:
		l.search(l.query + typed)
	default:
		return false
	}
	return true
}

// Press selects the row in a line of the last Render, Click changes it.
func (l *SettingsList) Press(line int) bool {
	if l.o.Search {
		line -= 2
	}
	i := l.top + line
	if l.sub != nil || line < 0 || line >= l.o.MaxVisible || i >= len(l.shown) {
		return false
	}
	l.sel = i
	l.version++
	return true
}

// Click changes the setting in a line of the last Render.
func (l *SettingsList) Click(line int) bool {
	if !l.Press(line) {
		return false
	}
	l.activate()
	return true
}

func (l *SettingsList) activate() {
	if l.sel >= len(l.shown) {
		return
	}
	it := &l.items[l.shown[l.sel]]
	set := func(v string) {
		it.Value = v
		l.version++
		if l.o.OnChange != nil {
			l.o.OnChange(it.ID, v)
		}
	}
	switch {
	case it.Submenu != nil:
		l.sub = it.Submenu(it.Value, func(v string, ok bool) {
			l.version += l.subVersion() + 1 // never a number it had before
			l.sub = nil
			if ok {
				set(v)
			}
		})
		if s, ok := l.sub.(tui.Focusable); ok {
			s.SetFocused(l.focused)
		}
	case len(it.Values) > 0:
		set(it.Values[(slices.Index(it.Values, it.Value)+1)%len(it.Values)])
	}
}

// Version counts changes, those of an open submenu too.
func (l *SettingsList) Version() uint64 {
	if l.sub == nil {
		return l.version
	}
	return l.version + l.subVersion()
}

// subVersion is the submenu's version; one without may change at any time.
func (l *SettingsList) subVersion() uint64 {
	if v, ok := l.sub.(tui.Versioned); ok {
		return v.Version()
	}
	l.version++
	return 0
}

// Invalidate makes the next Render build its lines anew.
func (l *SettingsList) Invalidate() {
	l.version++
	if s, ok := l.sub.(tui.Invalidator); ok {
		s.Invalidate()
	}
}

// Render implements tui.Component.
func (l *SettingsList) Render(width int) []string {
	width = max(1, width)
	if l.sub != nil {
		return l.sub.Render(width)
	}
	if l.lines != nil && l.width == width && l.drawnVersion == l.version {
		return l.lines
	}
	l.width, l.drawnVersion = width, l.version
	st := l.o.Style
	var out []string
	if l.o.Search {
		line := "  / " + oneLine(l.query)
		if l.focused {
			line += tui.CursorMarker
		}
		out = append(out, clamp(line, width), "")
	}
	rows := min(len(l.shown), l.o.MaxVisible)
	l.top = window(len(l.shown), l.sel, rows)
	column := 0
	for _, it := range l.items {
		column = max(column, min(36, text.Width(oneLine(it.Label))))
	}
	column = min(column, max(1, width-6))
	for i := l.top; i < l.top+rows; i++ {
		it := l.items[l.shown[i]]
		mark := "  "
		if i == l.sel {
			mark = "→ "
		}
		label := text.Pad(fitLabel(oneLine(it.Label), column), column)
		value := fitLabel(oneLine(it.Value), width-2-column-2)
		if i == l.sel {
			out = append(out, clamp(st.Selected.apply(mark+label)+"  "+l.o.ValueStyle.apply(value), width))
		} else {
			out = append(out, clamp(mark+st.Text.apply(label)+"  "+l.o.ValueStyle.apply(value), width))
		}
	}
	if rows == 0 {
		out = append(out, st.Empty.apply(fitLabel("  No matches", width)))
	}
	if rows < len(l.shown) {
		out = append(out, st.Scroll.apply(fitLabel(fmt.Sprintf("  (%d/%d)", l.sel+1, len(l.shown)), width)))
	}
	if l.sel < len(l.shown) {
		if d := l.items[l.shown[l.sel]].Description; d != "" {
			pad := min(2, (width-1)/2)
			out = append(out, "")
			for _, line := range wrapped(clean(d), width-pad) {
				out = append(out, spaces(pad)+st.Description.apply(line))
			}
		}
	}
	out = append(out, "", st.Scroll.apply(fitLabel("  "+oneLine(l.o.Hint), width)))
	l.lines = out
	return out
}
