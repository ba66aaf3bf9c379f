package chat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tau/agent"
	"tau/components"
	"tau/themes"
	"tau/tui"
	"tau/tui/text"
)

// Look is what all parts of a transcript share.
type Look struct {
	Theme *themes.Theme
	CWD   string // paths below it are shown relative to it
	// Expanded opens all cards that were not opened or closed by themselves.
	Expanded bool
	// HideThinking shows a short label in place of thoughts.
	HideThinking bool
	// Highlight colours source code; nil leaves it plain.
	Highlight components.Highlighter
	// Hyperlinks says that the terminal shows OSC 8 links.
	Hyperlinks bool
	// Diagrams says when diagrams in answers are drawn.
	Diagrams components.Diagrams
	// Pictures are those of the UI; nil shows lines about them.
	Pictures *tui.Pictures
	// Tool draws calls in another way. A part that is nil is drawn as usual; self
	// says that the parts need no frame. It may be nil.
	Tool func(s ToolState, width int) (call, result []string, self bool)
	// DrawsTool reports whether Tool has something to say about a tool.
	DrawsTool func(name string) bool
	// Custom draws a message of an extension; nil if it is shown as it is.
	Custom func(m *CustomMessage, width int) []string
	// Rewriting tells by whom messages of a kind are rewritten before they are
	// shown, as a number that is another when somebody else does; 0: nobody. It is
	// asked often. Rewrite then does it: done is called later, on the goroutine of
	// the screen. They may be nil.
	Rewriting func(kind string) int
	Rewrite   func(r Rewrite, done func(text string))
	// ThinkingLabel is shown in place of thoughts that are hidden; a text of the
	// program if empty.
	ThinkingLabel string
	// ImageCols is the most columns a picture takes; 0 means 60.
	ImageCols int
}

// ToolState is a call as it stands.
type ToolState struct {
	Name, ID string
	Args     json.RawMessage // as far as they are known
	Complete bool            // the arguments are
	Started  bool
	Result   *agent.Result // partial while the call runs
	Done     bool
	Expanded bool
	Took     time.Duration // negative if it is not known
}

// CustomMessage is a message or an entry of an extension.
type CustomMessage struct {
	Kind, Type string // Kind is message or entry
	JSON       []byte
	Text       string
	Expanded   bool
	Origin     Origin
}

// narrow is the width below which bars and right-hand columns go.
const narrow = 60

// indent is the column at which text begins.
const indent = 2

func (l *Look) fg(t themes.Token, s string) string { return l.Theme.Fg(t, s) }

// path shortens a path for display.
func (l *Look) path(p string) string {
	p = clean(p)
	if rel, ok := strings.CutPrefix(p, l.CWD+string(filepath.Separator)); ok && l.CWD != "" {
		return rel
	}
	if home, err := os.UserHomeDir(); err == nil && home != "" && home != string(filepath.Separator) {
		if rel, ok := strings.CutPrefix(p, home+string(filepath.Separator)); ok {
			return "~" + string(filepath.Separator) + rel
		}
	}
	return p
}

// clean makes foreign text fit for one line.
func clean(s string) string { return text.ReplaceControls(text.StripSequences(s)) }

// line sets left and right against the two edges of a line. The left side is
// cut to make room; the right side goes if there is no room for both.
func line(left, right string, width int) string {
	if width < narrow || right == "" {
		return text.Truncate(left, width, "…")
	}
	rw := text.Width(right)
	room := width - rw - 2
	if room < width/3 {
		return text.Truncate(left, width, "…")
	}
	left = text.Truncate(left, room, "…")
	return left + text.Spaces(width-rw-1-text.Width(left)) + right
}

// base is the cache that every part has.
type base struct {
	version uint64
	width   int
	lines   []string
	valid   bool
}

func (b *base) changed() {
	b.version++
	b.valid = false
}

// Version counts changes.
func (b *base) Version() uint64 { return b.version }

// Invalidate makes the next Render build its lines anew, as after a change of
// theme.
func (b *base) Invalidate() { b.changed() }

func (b *base) cached(width int, build func() []string) []string {
	if !b.valid || b.width != width {
		b.lines, b.width, b.valid = build(), width, true
	}
	return b.lines
}

// barred sets a bar at the left of each line and keeps one column free at the
// right.
func barred(bar string, body []string, width int) []string {
	out := make([]string, 0, len(body))
	for _, l := range body {
		if width < narrow {
			out = append(out, text.Truncate(l, width, ""))
		} else {
			out = append(out, bar+" "+l)
		}
	}
	return out
}

// inner is the width of text beside a bar.
func inner(width int) int {
	if width < narrow {
		return max(1, width)
	}
	return width - indent - 1
}
