package interactive

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tau/session/extension"
	"tau/tui"
	"tau/tui/key"
	"tau/tui/text"
)

// extView is something that an extension draws, as a component. Its lines are
// asked for when the extension says that they have changed; if that takes too
// long, those from before stay.
type extView struct {
	p       *program
	v       *extension.View
	version uint64
	lines   []string
	width   int
	dirty   bool
	focused bool
	said    bool // a failure was told
}

func (p *program) viewOf(v *extension.View) *extView {
	if v == nil {
		return nil
	}
	if p.ext.views == nil {
		p.ext.views = map[*extension.View]*extView{}
	}
	e := p.ext.views[v]
	if e == nil {
		e = &extView{p: p, v: v, dirty: true}
		p.ext.views[v] = e
	}
	return e
}

// drop ends a view.
func (p *program) drop(v *extension.View) {
	if v != nil {
		delete(p.ext.views, v)
		v.Dispose()
	}
}

func (e *extView) changed() {
	e.version++
	e.dirty = true
}

// Version implements tui.Versioned.
func (e *extView) Version() uint64 { return e.version }

// Invalidate implements tui.Invalidator.
func (e *extView) Invalidate() {
	e.changed()
	e.p.lent(func() { _, _ = e.v.Event("invalidate", nil) })
}

// Render implements tui.Component.
func (e *extView) Render(width int) []string {
	if !e.dirty && e.width == width {
		return e.lines
	}
	e.p.lent(func() {
		lines, err := e.v.Lines(width)
		if err != nil {
			if !e.said {
				e.said = true
				e.v.Report(err)
			}
			return
		}
		e.said = false
		out := make([]string, len(lines))
		for i, l := range lines {
			out[i] = fit(l, width)
		}
		e.lines = out
	})
	e.dirty, e.width = false, width
	if e.lines == nil {
		e.lines = []string{}
	}
	return e.lines
}

// HandleKey implements tui.KeyHandler.
func (e *extView) HandleKey(ev key.Event) bool {
	e.input(keyBytes(ev))
	return true
}

// HandlePaste implements tui.PasteHandler.
func (e *extView) HandlePaste(s string) bool {
	e.input("\x1b[200~" + s + "\x1b[201~")
	return true
}

func (e *extView) input(data string) {
	var err error
	e.p.lent(func() { err = e.v.Input(data) })
	if err != nil {
		e.v.Report(err)
		if e.v == e.p.ext.editor {
			e.p.baseInput(data) // an editor that hangs must not keep the user out
		}
	}
	e.changed()
	e.p.ui.RequestRender()
}

// SetFocused implements tui.Focusable.
func (e *extView) SetFocused(on bool) {
	if e.focused == on {
		return
	}
	e.focused = on
	e.changed()
	e.p.lent(func() { _, _ = e.v.Event("focus", on) })
}

// The markers that extensions put at the cursor, as pi has them.
const (
	extCursor      = "\x1b_pi:c\x07"
	extCursorStart = "\x1b_pi:fc\x07"
	extCursorEnd   = "\x1b_pi:/fc\x07"
)

// fit makes a line of an extension one that can be shown: colours and links
// stay, nothing else that a terminal would obey.
func fit(l string, width int) string {
	l = strings.NewReplacer(extCursor, "\x00", extCursorStart, "", extCursorEnd, "").Replace(l)
	var b strings.Builder
	for i := 0; i < len(l); {
		switch c := l[i]; {
		case c == 0:
			b.WriteString(tui.CursorMarker)
			i++
		case c == 0x1b:
			n := max(1, text.Escape(l[i:]))
			if seq := l[i : i+n]; allowed(seq) {
				b.WriteString(seq)
			}
			i += n
		case c == '\t':
			b.WriteString("   ")
			i++
		case c < 0x20 || c == 0x7f:
			i++
		default:
			r, n := utf8.DecodeRuneInString(l[i:])
			if r >= 0x80 && r < 0xa0 || r == utf8.RuneError && n == 1 {
				b.WriteRune(utf8.RuneError)
			} else {
				b.WriteString(l[i : i+n])
			}
			i += n
		}
	}
	out := b.String()
	if text.Width(strings.ReplaceAll(out, tui.CursorMarker, "")) > width {
		out = text.Truncate(out, width, "")
	}
	return out
}

// allowed reports whether a sequence only colours or links.
func allowed(seq string) bool {
	if strings.HasPrefix(seq, "\x1b]8;") {
		return true
	}
	if len(seq) < 3 || seq[1] != '[' || seq[len(seq)-1] != 'm' {
		return false
	}
	return strings.Trim(seq[2:len(seq)-1], "0123456789;:") == ""
}

// keyBytes is a key as a terminal sends it.
func keyBytes(ev key.Event) string {
	id := string(ev.ID)
	if s, ok := plainKeys()[id]; ok {
		return s
	}
	if ev.Text != "" && !strings.Contains(id, "+") || ev.Text != "" && strings.HasPrefix(id, "shift+") && strings.Count(id, "+") == 1 {
		return ev.Text
	}
	mods, name := 0, id
	for {
		head, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		switch head {
		case "shift":
			mods |= 1
		case "alt":
			mods |= 2
		case "ctrl":
			mods |= 4
		case "super":
			mods |= 8
		default:
			return ev.Text
		}
		name = rest
	}
	if len(name) == 1 {
		c := name[0]
		switch {
		case mods == 4 && c >= 'a' && c <= 'z':
			return string(rune(c - 'a' + 1))
		case mods == 2:
			return "\x1b" + name
		}
		return csiU(int(c), mods)
	}
	if tail, ok := arrowKeys()[name]; ok {
		return "\x1b[1;" + itoa(mods+1) + tail
	}
	if n, ok := tildeKeys()[name]; ok {
		return "\x1b[" + n + ";" + itoa(mods+1) + "~"
	}
	if c, ok := map[string]int{"escape": 27, "enter": 13, "tab": 9, "backspace": 127, "space": 32}[name]; ok {
		return csiU(c, mods)
	}
	if r, n := utf8.DecodeRuneInString(name); n == len(name) && r != utf8.RuneError {
		return csiU(int(r), mods)
	}
	return ev.Text
}

func csiU(code, mods int) string { return "\x1b[" + itoa(code) + ";" + itoa(mods+1) + "u" }

func plainKeys() map[string]string {
	return map[string]string{
		"escape": "\x1b", "enter": "\r", "tab": "\t", "backspace": "\x7f", "space": " ", "shift+tab": "\x1b[Z", "up": "\x1b[A", "down": "\x1b[B",
		"right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F", "insert": "\x1b[2~", "delete": "\x1b[3~", "pageUp": "\x1b[5~",
		"pageDown": "\x1b[6~", "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~",
		"f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
	}
}

func arrowKeys() map[string]string {
	return map[string]string{"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F", "f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
}

func tildeKeys() map[string]string {
	return map[string]string{"insert": "2", "delete": "3", "pageUp": "5", "pageDown": "6", "f5": "15", "f6": "17", "f7": "18", "f8": "19", "f9": "20", "f10": "21", "f11": "23", "f12": "24"}
}

func itoa(n int) string { return strconv.Itoa(n) }
