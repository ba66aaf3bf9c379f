package components

import (
	"strings"

	"tau/tui"
	"tau/tui/key"
	"tau/tui/text"
)

// InputOptions configure an Input.
type InputOptions struct {
	Bindings    Bindings // default: DefaultBindings
	Prompt      string   // default "> "
	Placeholder string
	Mask        string // shown in place of each character, for secrets

	PromptStyle, TextStyle, PlaceholderStyle, CursorStyle Style

	OnSubmit func(value string)
	OnEscape func()
	OnChange func()
}

// Input is a text field of one line that scrolls sideways. It edits as the
// Editor does: kill ring, undo, word motion.
type Input struct {
	o       InputOptions
	ed      *Editor
	focused bool
	version uint64

	drawnVersion uint64
	width        int
	lines        []string
	first        int // first visible column
	indent       int
}

// NewInput returns an empty field.
func NewInput(o InputOptions) *Input {
	if o.Prompt == "" {
		o.Prompt = "> "
	}
	if o.Bindings == nil {
		o.Bindings = DefaultBindings()
	}
	in := &Input{o: o}
	in.ed = NewEditor(EditorOptions{Bindings: o.Bindings, Style: EditorStyle{Cursor: o.CursorStyle}, OnChange: func() {
		in.version++
		if o.OnChange != nil {
			o.OnChange()
		}
	}})
	return in
}

// Value returns the text.
func (in *Input) Value() string { return in.ed.ExpandedText() }

// SetValue replaces the text; the caret goes to its end.
func (in *Input) SetValue(s string) { in.ed.SetText(flat(s)) }

// Insert puts text at the caret.
func (in *Input) Insert(s string) { in.ed.Insert(flat(s)) }

// HandlePaste implements tui.PasteHandler: it inserts pasted text without its
// line breaks.
func (in *Input) HandlePaste(s string) bool {
	in.Insert(decodeKeys(s))
	return true
}

// flat removes line breaks and turns tabs into blanks.
func flat(s string) string {
	s = strings.NewReplacer("\r\n", "", "\n", "", "\r", "", "\t", "    ").Replace(s)
	return strings.Map(func(r rune) rune {
		if reorders(r) {
			return -1
		}
		return r
	}, normalize(s))
}

// SetFocused implements tui.Focusable.
func (in *Input) SetFocused(f bool) { in.focused = f; in.version++ }

// Version counts changes.
func (in *Input) Version() uint64 { return in.version }

// Invalidate makes the next Render build its line anew.
func (in *Input) Invalidate() { in.version++ }

// HandleKey implements tui.KeyHandler. Keys a single line has no use for
// (up, down, tab, pages) are left to others.
func (in *Input) HandleKey(ev key.Event) bool {
	if ev.Action == key.Release {
		return false
	}
	is := in.o.Bindings.Matches
	if in.ed.jump == jumpOff {
		switch {
		case is(ev, "tui.input.submit"), is(ev, "tui.input.newLine"):
			if in.o.OnSubmit != nil {
				in.o.OnSubmit(in.Value())
			}
			return true
		case is(ev, "tui.select.cancel"):
			if in.o.OnEscape == nil {
				return false
			}
			in.o.OnEscape()
			return true
		}
		for _, id := range []string{"tui.editor.cursorUp", "tui.editor.cursorDown", "tui.editor.pageUp", "tui.editor.pageDown", "tui.input.tab"} {
			if is(ev, id) {
				return false
			}
		}
	}
	used := in.ed.HandleKey(ev)
	if used {
		in.version++
	}
	return used
}

// Render implements tui.Component.
func (in *Input) Render(width int) []string {
	width = max(1, width)
	if in.lines != nil && in.width == width && in.drawnVersion == in.version {
		return in.lines
	}
	in.width, in.drawnVersion = width, in.version
	prompt := text.Truncate(oneLine(in.o.Prompt), max(0, width-1), "")
	in.indent = text.Width(prompt)
	room := width - in.indent
	in.lines = []string{in.o.PromptStyle.apply(prompt) + in.body(room)}
	return in.lines
}

func (in *Input) body(room int) string {
	line, at := in.ed.buf.lines[0], in.ed.buf.at.col
	cursor := func(s string) string { return tui.CursorMarker + in.ed.o.Style.Cursor.apply(s) }
	if line == "" && in.o.Placeholder != "" {
		s := text.Truncate(text.StripSequences(oneLine(in.o.Placeholder)), room, "…")
		if !in.focused || s == "" {
			return in.o.PlaceholderStyle.apply(s)
		}
		c, _ := text.Next(s)
		return cursor(c) + in.o.PlaceholderStyle.apply(s[len(c):])
	}
	if in.o.Mask != "" {
		before := strings.Repeat(in.o.Mask, clusters(line[:at]))
		line, at = before+strings.Repeat(in.o.Mask, clusters(line[at:])), len(before)
	}
	total, before := text.Width(line), text.Width(line[:at])
	if at == len(line) {
		total++ // the caret's own cell
	}
	// All if it fits, else a window with the caret near its middle.
	in.first = 0
	if total > room {
		in.first = max(0, min(before-room/2, total-room))
	}
	var head, tail strings.Builder
	under := ""
	col := 0
	for i := 0; i < len(line); {
		c, w := cluster(line[i:])
		shown := col >= in.first && col+w <= in.first+room
		switch {
		case !shown && i == at && w > room:
			under = "·" // no room for this one at all
		case !shown:
		case i == at:
			under = c
		case i < at:
			head.WriteString(c)
		default:
			tail.WriteString(c)
		}
		col += w
		i += len(c)
	}
	if !in.focused {
		return in.o.TextStyle.apply(head.String() + under + tail.String())
	}
	if under == "" {
		under = " "
		if text.Width(head.String())+1 > room {
			return in.o.TextStyle.apply(head.String()) + tui.CursorMarker
		}
	}
	return in.o.TextStyle.apply(head.String()) + cursor(under) + in.o.TextStyle.apply(tail.String())
}

func clusters(s string) (n int) {
	for ; s != ""; n++ {
		c, _ := cluster(s)
		s = s[len(c):]
	}
	return n
}

// Click puts the caret at a column of the last Render.
func (in *Input) Click(col int) bool {
	line := in.ed.buf.lines[0]
	want, w, at := in.first+max(0, col-in.indent), 0, 0
	for at < len(line) {
		c, cw := cluster(line[at:])
		if w+cw > want {
			break
		}
		w += cw
		at += len(c)
	}
	in.ed.endAction()
	in.ed.buf.at.col = at
	in.ed.buf.newUnit()
	in.version++
	return true
}
