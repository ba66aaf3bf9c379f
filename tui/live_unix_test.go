//go:build unix

package tui

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"tau/tui/key"
	"tau/tui/term"
	"tau/tui/text"
	"tau/tui/vt"
)

// live is a program on a real terminal that is told what to do over a socket and
// says what its screen should show: see TestScenes and TestCapture.
type live struct {
	u       *UI
	l       *List
	v       *ScrollView
	editor  *pasteBox
	status  *label
	overlay *Overlay
	busy    bool
	words   int
}

// liveState is the answer to every command.
type liveState struct {
	W, H   int
	Screen []string // of the alternate screen, or the window on the main screen
	Inline bool
	Busy   bool   // a stream goes on
	Text   string // the selection, or what was pasted
	Top    int    // of the view
	Cursor [2]int // row in Screen and column; the row is -1 if nobody has it
}

// pasteBox shows what was pasted in short.
type pasteBox struct {
	label
	got string
}

func (p *pasteBox) HandlePaste(s string) bool {
	p.got = s
	p.set(fmt.Sprintf("> [paste %d bytes, %08x]", len(s), crc32.ChecksumIEEE([]byte(s))) + CursorMarker)
	return true
}

// liveProgram runs until it is told to quit.
func liveProgram(socket, mode string) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	t, err := term.Open(term.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p := &live{u: New(t, Options{Inline: mode == "inline", Mouse: true, Clipboard: func(string) error { return nil },
		OnExit: func(w int) []string { return []string{"scene over", "\x1b[32mresume with 日本\x1b[39m"} }})}
	p.l = NewList()
	p.l.Gap = 1
	p.v = NewScrollView(p.u, p.l)
	p.v.Scrollbar = ScrollbarHidden
	p.editor, p.status = &pasteBox{label: label{lines: []string{"> " + CursorMarker}}}, text1("ready")
	p.u.SetRoot(NewVStack(Fill(p.v), Fixed(p.status), Fixed(p.editor), Fixed(&sizeLine{u: p.u})))
	p.u.SetViewport(p.v)
	p.u.Focus(p.editor)
	p.u.OnUnusedKey(func(ev key.Event) bool {
		if ev.ID == "ctrl+z" {
			_ = p.u.Suspend()
		}
		return true
	})
	go p.serve(conn)
	if err := p.u.Run(context.Background()); err != nil {
		fmt.Println("ended:", err)
		return 1
	}
	return 0
}

func (p *live) serve(conn net.Conn) {
	in := bufio.NewScanner(conn)
	out := json.NewEncoder(conn)
	for in.Scan() {
		name, arg, _ := strings.Cut(in.Text(), " ")
		done := make(chan liveState, 1)
		p.u.Post(func() {
			p.do(name, arg)
			p.u.RequestRender()
			done <- p.state()
		})
		select {
		case s := <-done:
			if out.Encode(s) != nil {
				return
			}
			// What would keep the answer back comes after it.
			switch name {
			case "quit":
				p.u.Post(func() { p.u.Quit(nil) })
			case "suspend":
				p.u.Post(func() { _ = p.u.Suspend() })
			}
		case <-p.u.box.done:
			return
		}
	}
}

// state says what the screen should show: a repaint of everything on a terminal
// of our own.
func (p *live) state() liveState {
	u := p.u
	s := liveState{W: u.w, H: u.h, Inline: u.draws.inline != nil, Busy: p.busy, Text: p.v.Selection()}
	s.Top, _, _ = p.v.Position()
	if p.editor.got != "" {
		s.Text = p.editor.got
	}
	screen := vt.New(max(1, u.w), max(1, u.h))
	screen.WriteString("\x1b[?7l")
	var rows []string
	if r := u.draws.inline; r != nil {
		for _, row := range r.rows {
			rows = append(rows, row.raw)
		}
	} else {
		rows = u.compose()
	}
	s.Cursor[0] = -1
	for i, raw := range rows {
		if l := prepare(raw, u.w, false, nil); l.cursor != noCursor {
			s.Cursor = [2]int{i, l.cursor}
		}
		screen.WriteString(fmt.Sprintf("\x1b[%d;1H", i+1) + prepare(raw, u.w, false, nil).out)
	}
	s.Screen = screen.Lines()
	if s.Inline {
		s.Screen = s.Screen[:min(len(rows), len(s.Screen))]
	}
	return s
}

// para is a paragraph that wraps.
func (p *live) para(words int) *doc {
	d := &doc{settled: -1}
	p.more(d, words)
	return d
}

func (p *live) more(d *doc, words int) {
	for range words {
		p.words++
		d.wrap += fmt.Sprintf("w%d ", p.words)
	}
}

func (p *live) do(name, arg string) {
	n, _ := strconv.Atoi(arg)
	last := func() *doc { return p.l.At(p.l.Len() - 1).Component().(*doc) }
	switch name {
	case "paras": // n paragraphs of ten words
		for range n {
			p.l.Append(p.para(10))
		}
	case "stream": // n deltas, with a spinner
		p.busy = true
		p.l.Append(p.para(1))
		frames := []rune("⠋⠙⠹⠸")
		var step func()
		step = func() {
			if n--; n < 0 {
				p.busy = false
				p.status.set("ready")
				p.u.RequestRender()
				return
			}
			p.more(last(), 1+n%3)
			if n%25 == 24 {
				p.l.Append(p.para(1))
			}
			p.status.set(fmt.Sprintf("\x1b[35m%c\x1b[39m working \x1b[2m(%d left)\x1b[22m", frames[n%4], n))
			p.u.RequestRender()
			p.u.After(4*time.Millisecond, step)
		}
		step()
	case "lines": // the lines of a JSON array
		var lines []string
		if err := json.Unmarshal([]byte(arg), &lines); err != nil {
			panic(err)
		}
		p.l.Append(&doc{lines: lines, settled: -1})
	case "wrap":
		p.l.Append(&doc{wrap: arg, settled: -1})
	case "set": // the lines of node 0
		p.l.At(0).Component().(*doc).wrap = arg
		p.l.Dirty(p.l.At(0))
	case "fold": // the last node has n lines
		d := last()
		d.wrap = ""
		d.lines = nil
		for i := range n {
			d.lines = append(d.lines, fmt.Sprintf("  │ block line %d 行", i))
		}
		p.l.Dirty(p.l.At(p.l.Len() - 1))
	case "overlay":
		w := 24
		p.overlay = p.u.ShowOverlay(text1("╭"+strings.Repeat("─", w-2)+"╮", text.Pad("│ 選ぶ ✅ e\u0301", w-1)+"│", "╰"+strings.Repeat("─", w-2)+"╯"),
			OverlayOptions{Width: Cells(w), OffsetX: n, NonCapturing: true})
	case "close":
		p.overlay.Hide()
	case "scroll":
		p.v.ScrollBy(n)
	case "end":
		p.v.ScrollToEnd()
	case "jump":
		p.v.JumpPrompt(n)
	case "search":
		p.u.OpenSearch()
	case "editor": // n lines high
		lines := make([]string, n-1)
		for i := range lines {
			lines[i] = fmt.Sprint("> draft ", i)
		}
		p.editor.set(append(lines, "> "+CursorMarker)...)
	case "external":
		_ = p.u.External(func() error {
			c := exec.Command("sh", "-c", "stty -a | grep -q ' icanon' && echo cooked-in-external; printf '\\033[?1049hfull\\033[?1049l'")
			c.Stdout = os.Stdout
			c.Stdin = os.Stdin
			return c.Run()
		})
	case "inline":
		p.u.SetInline(n == 1)
	case "random": // one of many small changes
		r := rand.New(rand.NewSource(int64(n)))
		w := []string{"plain ", "日本", "é", "\x1b[31mred\x1b[39m ", "x", "한국", "─── "}
		line := func() string {
			var b strings.Builder
			for range r.Intn(12) {
				b.WriteString(w[r.Intn(len(w))])
			}
			return b.String()
		}
		for range 1 + r.Intn(3) {
			switch r.Intn(6) {
			case 0, 1:
				p.l.Append(&doc{lines: []string{line(), line()}, settled: -1})
			case 2:
				p.v.ScrollBy(r.Intn(7) - 3)
			case 3:
				p.status.set(line())
			case 4:
				p.editor.set("> " + line() + CursorMarker)
			case 5:
				if p.l.Len() > 0 {
					d := p.l.At(p.l.Len() - 1).Component().(*doc)
					if len(d.lines) > 0 {
						d.lines = append(append([]string(nil), d.lines[:len(d.lines)-1]...), d.lines[len(d.lines)-1]+line())
					}
				}
			}
		}
	}
}
