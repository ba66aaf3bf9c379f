// Package vt is a virtual terminal for tests: it shows what a user would see.
//
// Write a program's output to a [Terminal] and look at the screen ([Terminal.Lines],
// [Terminal.Cell]), at what can be scrolled back to ([Terminal.Scrollback]), at the
// modes ([Terminal.Modes]) and at how the output got there ([Terminal.Stats]:
// bytes outside of synchronized updates, frames, sequences by name). It answers
// queries as configured by [Answers].
//
// Pictures are understood as Kitty's and iTerm2's protocols have them; a [Cell]
// says which pixel it shows.
//
// It follows xterm and tmux: pending wrap at the last column, background
// colour erase, an alternate screen without scrollback, and a main screen that
// reflows when the width changes. Clusters are drawn as wide as tui/text
// measures them. It is not fast and not safe for concurrent use.
package vt

import (
	"strings"
)

// Terminal is a virtual terminal. Make one with [New].
type Terminal struct {
	w, h       int
	main, alt  *screen
	cur        *screen
	scrollback []row

	pen       Style
	modes     Modes
	parse     parser
	lastRow   int // where the last cluster was printed, for joining
	lastCol   int
	lastOK    bool
	title     string
	clipboard string
	progress  string
	status    string
	reports   int
	stats     Stats
	answers   Answers
	replies   []byte
	noPull    bool
	clips     bool
	savedMain saved
	bells     int

	pictureModel PictureModel
	badPictures  []string
}

// New returns a terminal of w columns and h rows.
func New(w, h int) *Terminal {
	w, h = max(1, w), max(1, h)
	t := &Terminal{w: w, h: h}
	t.main, t.alt = newScreen(w, h), &screen{bottom: h - 1} // made when it is entered
	t.cur = t.main
	t.modes = Modes{Autowrap: true, CursorVisible: true}
	t.stats.Sequences = map[string]int{}
	return t
}

// Answers says what the terminal answers to queries; the zero value answers
// nothing.
type Answers struct {
	DA1        bool
	Kitty      bool   // CSI ? u, and the flags work
	Foreground string // OSC 10, such as "rgb:ffff/ffff/ffff"
	Background string // OSC 11
	Sync       bool   // DECRQM 2026
	CellSize   [2]int // width and height in pixels, CSI 16 t
	Cursor     bool   // CSI 6 n
	Status     bool   // OSC 7501
}

// SetAnswers configures the answers to queries.
func (t *Terminal) SetAnswers(a Answers) { t.answers = a }

// TakeReplies returns what the terminal has answered since the last call.
func (t *Terminal) TakeReplies() []byte {
	r := t.replies
	t.replies = nil
	return r
}

// SetPull says whether the screen pulls lines back from the scrollback when it
// grows (xterm and tmux do, and so does a new Terminal; some others do not).
func (t *Terminal) SetPull(on bool) { t.noPull = !on }

// SetReflow says whether lines of the main screen are wrapped anew when the
// width changes, as in most terminals and in a new Terminal. Others, such as
// xterm, cut them.
func (t *Terminal) SetReflow(on bool) { t.clips = !on }

// Modes are the modes a program can switch. The zero value is not the state of
// a fresh terminal, which has Autowrap and CursorVisible on.
type Modes struct {
	Autowrap       bool
	CursorVisible  bool
	Alternate      bool
	BracketedPaste bool
	Focus          bool
	Mouse          int // 0, 1000, 1002 or 1003
	MouseSGR       bool
	Sync           bool
	SchemeReports  bool
	Origin         bool
	AppCursor      bool
	Kitty          []int // the stack of flags of the current screen
	ModifyKeys     int
}

// Modes returns the modes.
func (t *Terminal) Modes() Modes {
	m := t.modes
	m.Alternate = t.cur == t.alt
	m.Kitty = append([]int(nil), t.cur.kitty...)
	return m
}

// Size returns columns and rows.
func (t *Terminal) Size() (w, h int) { return t.w, t.h }

// Cursor returns the cell of the cursor, from 0.
func (t *Terminal) Cursor() (row, col int) { return t.cur.y, min(t.cur.x, t.w-1) }

// Title returns the window title, Clipboard what OSC 52 copied (in base64),
// Progress the parameters of the last OSC 9;4, Bells the number of BELs.
func (t *Terminal) Title() string     { return t.title }
func (t *Terminal) Clipboard() string { return t.clipboard }
func (t *Terminal) Progress() string  { return t.progress }
func (t *Terminal) Bells() int        { return t.bells }

// Status returns the last report of OSC 7501, Reports how many came.
func (t *Terminal) Status() string { return t.status }
func (t *Terminal) Reports() int   { return t.reports }

// Cell returns a cell of the screen.
func (t *Terminal) Cell(row, col int) Cell {
	if row < 0 || row >= t.h || col < 0 || col >= t.w {
		return Cell{}
	}
	return t.cur.cell(t.cur.rows[row].cells[col], t.firstRow()+row, col)
}

// Lines returns the rows of the screen without trailing blanks.
func (t *Terminal) Lines() []string {
	out := make([]string, t.h)
	for i := range out {
		out[i] = t.cur.rows[i].text()
	}
	return out
}

// String returns the screen: its lines without the blank ones at the end.
func (t *Terminal) String() string {
	return strings.TrimRight(strings.Join(t.Lines(), "\n"), "\n")
}

// Scrollback returns the lines that have scrolled off the main screen, oldest
// first.
func (t *Terminal) Scrollback() []string {
	out := make([]string, len(t.scrollback))
	for i, r := range t.scrollback {
		out[i] = r.text()
	}
	return out
}

// All returns the scrollback and the screen of the main buffer, without the
// blank lines at the end.
func (t *Terminal) All() []string {
	out := t.Scrollback()
	for i := range t.main.rows {
		out = append(out, t.main.rows[i].text())
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// Unwrapped is All with rows that the terminal itself wrapped joined again.
func (t *Terminal) Unwrapped() []string {
	var out []string
	join := false
	for _, r := range append(append([]row(nil), t.scrollback...), t.main.rows...) {
		s := r.all()
		if !r.wrapped {
			s = strings.TrimRight(s, " ")
		}
		if join {
			out[len(out)-1] += s
		} else {
			out = append(out, s)
		}
		join = r.wrapped
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// Stats counts how output reached the terminal.
type Stats struct {
	Writes      int
	Bytes       int
	Frames      int            // complete synchronized updates
	OutsideSync int            // bytes outside of synchronized updates
	MaxFrame    int            // bytes of the largest one
	Sequences   map[string]int // "ED2", "ED3", "CUP", "DECSTBM", "SU", "RIS", ...
	frame       int
}

// Stats returns the counters since the last reset.
func (t *Terminal) Stats() Stats {
	s := t.stats
	s.Sequences = map[string]int{}
	for k, v := range t.stats.Sequences {
		s.Sequences[k] = v
	}
	return s
}

// ResetStats sets the counters to zero.
func (t *Terminal) ResetStats() { t.stats = Stats{Sequences: map[string]int{}} }

func (t *Terminal) count(name string) { t.stats.Sequences[name]++ }
