//go:build unix

package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tau/tui/key"
	"tau/tui/term"
)

// TestMain also is the program that runs inside tmux: see scenes.
func TestMain(m *testing.M) {
	if socket := os.Getenv("TAU_TUI_LIVE"); socket != "" {
		os.Exit(liveProgram(socket, os.Getenv("TAU_TUI_SCENE")))
	}
	if mode := os.Getenv("TAU_TUI_SCENE"); mode != "" {
		os.Exit(sceneProgram(mode))
	}
	os.Exit(m.Run())
}

// sceneProgram runs a UI on the real terminal. Keys: a adds a paragraph of ten
// numbered words, t adds to the last one, e makes the editor higher, E lower,
// o shows an overlay, O hides it, m changes the screen, z suspends, b streams,
// p panics, q ends.
func sceneProgram(mode string) int {
	t, err := term.Open(term.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	u := New(t, Options{Inline: mode == "inline", Mouse: true, OnExit: func(int) []string { return []string{"scene over"} }})
	l := NewList()
	l.Gap = 1
	editor := text1("> " + CursorMarker)
	u.SetRoot(NewVStack(Fill(NewScrollView(u, l)), Fixed(editor), Fixed(&sizeLine{u: u})))
	u.Focus(editor)
	words := 0
	more := func(d *doc) {
		for range 10 {
			words++
			d.wrap += fmt.Sprintf("w%d ", words)
		}
	}
	u.OnKey(func(ev key.Event) bool {
		switch ev.ID {
		case "a":
			d := &doc{settled: -1}
			more(d)
			l.Append(d)
		case "t":
			if l.Len() > 0 {
				more(l.At(l.Len() - 1).Component().(*doc))
			}
		case "e":
			editor.lines = append([]string{"> more"}, editor.lines...)
		case "shift+e":
			if len(editor.lines) > 1 {
				editor.lines = editor.lines[1:]
			}
		case "o":
			u.ShowOverlay(text1("┌────┐", "│日本│", "└────┘"), OverlayOptions{Width: Cells(6), NonCapturing: true})
		case "shift+o":
			u.HideOverlay()
		case "m":
			u.SetInline(!u.opt.Inline)
		case "z":
			_ = u.Suspend()
		case "b":
			var more func()
			more = func() {
				l.Append(text1(strings.Repeat("stream ", 5)))
				u.RequestRender()
				u.After(5*time.Millisecond, more)
			}
			more()
		case "p":
			panic("scene panic")
		case "q":
			u.Quit(nil)
		}
		return true
	})
	if err := u.Run(context.Background()); err != nil {
		fmt.Println("ended:", err)
		return 1
	}
	return 0
}

// sizeLine shows the size that the UI believes in.
type sizeLine struct {
	u     *UI
	w, h  int
	lines []string
}

func (s *sizeLine) Render(int) []string {
	if w, h := s.u.Size(); s.lines == nil || w != s.w || h != s.h {
		s.w, s.h = w, h
		s.lines = []string{fmt.Sprintf("\x1b[2mfooter 日本 %dx%d\x1b[22m", w, h)}
	}
	return s.lines
}

type tmuxScene struct {
	t      *testing.T
	socket string
	w, h   int
}

// dock is how the screen ends while the scene runs.
func (tm *tmuxScene) dock() string { return fmt.Sprintf(">\nfooter 日本 %dx%d", tm.w, tm.h) }

func (tm *tmuxScene) resize(w, h int) {
	tm.w, tm.h = w, h
	tm.run("resize-window", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h))
}

func startTmux(t *testing.T, w, h int) *tmuxScene {
	if testing.Short() {
		t.Skip("short")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	tm := &tmuxScene{t, filepath.Join(t.TempDir(), "s"), w, h}
	tm.run("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h), "PS1='$ ' ENV= exec sh -i")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", tm.socket, "kill-server").Run() })
	tm.run("set", "-g", "status", "off")
	tm.run("set", "-g", "history-limit", "5000")
	return tm
}

func (tm *tmuxScene) run(args ...string) string {
	tm.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", tm.socket}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX=", "LC_ALL=C.UTF-8", "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		tm.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (tm *tmuxScene) keys(k ...string) { tm.run(append([]string{"send-keys"}, k...)...) }

func (tm *tmuxScene) screen() string {
	return strings.TrimRight(tm.run("capture-pane", "-p"), "\n ")
}

// history is the scrollback and the screen, with wrapped lines joined.
func (tm *tmuxScene) history() string { return tm.run("capture-pane", "-p", "-J", "-S", "-") }

// until waits for the screen to fulfil a condition.
func (tm *tmuxScene) until(what string, ok func(screen string) bool) {
	tm.t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		s := tm.screen()
		if ok(s) {
			return
		}
		if time.Now().After(deadline) {
			tm.t.Fatalf("%s: the screen is\n%s", what, s)
		}
	}
}

func (tm *tmuxScene) start(mode string) {
	tm.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		tm.t.Fatal(err)
	}
	tm.keys("echo before-the-scene; TAU_TUI_SCENE="+mode+" "+exe, "Enter")
	tm.until("start", ends(tm.dock()))
}

func ends(suffix string) func(string) bool {
	return func(s string) bool { return strings.HasSuffix(s, suffix) }
}

// words checks that w1..wn are all in s, in order.
func (tm *tmuxScene) words(s string, n int) {
	tm.t.Helper()
	s += "\n"
	for i := 1; i <= n; i++ {
		k := strings.Index(s, fmt.Sprintf("w%d ", i))
		if j := strings.Index(s, fmt.Sprintf("w%d\n", i)); k < 0 || j >= 0 && j < k {
			k = j
		}
		if k < 0 {
			tm.t.Fatalf("w%d of %d is not there:\n%s", i, n, s)
		}
		s = s[k:]
	}
}

// The main screen in a real terminal: nothing is lost, whatever happens.
func TestTmuxInline(t *testing.T) {
	tm := startTmux(t, 60, 12)
	tm.start("inline")
	for i := range 12 {
		tm.keys("a")
		tm.until("adding", ends(fmt.Sprintf("w%d\n%s", (i+1)*10, tm.dock())))
	}
	h := tm.history()
	tm.words(h, 120)
	if strings.Count(h, "w15 ") != 1 || strings.Count(h, "footer") != 1 || !strings.Contains(h, "before-the-scene") {
		t.Errorf("history:\n%s", h)
	}
	tm.keys("e", "e", "o")
	tm.until("overlay", func(s string) bool { return strings.Contains(s, "│日本│") })
	tm.keys("O", "E", "E", "t", "t")
	tm.until("streaming", ends("w140\n"+tm.dock()))
	tm.words(tm.history(), 140)

	for i, size := range [][2]int{{40, 12}, {40, 6}, {70, 20}, {30, 9}, {60, 12}} {
		tm.resize(size[0], size[1])
		tm.keys("a") // tmux has the new size already, the program has not
		tm.until("resize", ends(fmt.Sprintf("w%d\n%s", 150+10*i, tm.dock())))
		tm.words(tm.history(), 150+10*i)
	}
	tm.until("the last words", ends("w190\n"+tm.dock()))
	tm.words(tm.history(), 190)
	if !strings.Contains(tm.history(), "before-the-scene") {
		t.Error("the shell's lines are lost")
	}

	// X3: suspended, the shell works; back, the draft is there.
	tm.keys("z")
	tm.until("suspended", ends("$"))
	tm.keys("echo in-between", "Enter")
	tm.until("shell", ends("in-between\n$"))
	tm.keys("fg", "Enter")
	tm.until("resumed", ends(tm.dock()))
	tm.words(tm.history(), 190)

	// To the alternate screen and back.
	tm.keys("m")
	tm.until("alternate", func(s string) bool {
		return !strings.Contains(s, "in-between") && strings.HasSuffix(s, tm.dock())
	})
	tm.keys("a", "m")
	tm.until("back", func(s string) bool { return strings.Contains(s, "w200") && strings.HasSuffix(s, tm.dock()) })
	tm.words(tm.history(), 200)

	tm.keys("q")
	tm.until("end", ends("scene over\n$"))
	tm.words(tm.history(), 200)
	tm.keys("stty -a | grep -c ' icanon'", "Enter")
	tm.until("cooked mode", ends("\n1\n$"))
}

// The alternate screen in a real terminal.
func TestTmuxAlternate(t *testing.T) {
	tm := startTmux(t, 50, 10)
	tm.start("alternate")
	tm.keys("a", "a", "a")
	tm.until("adding", func(s string) bool { return strings.Contains(s, "w30\n") })
	if strings.Contains(tm.screen(), "before") {
		t.Error("not on a screen of its own")
	}
	tm.resize(30, 8)
	tm.until("resize", func(s string) bool {
		return strings.HasSuffix(s, tm.dock()) && strings.Contains(s, "w21 w22 w23 w24 w25 w26 w27\nw28 w29 w30\n>")
	})
	tm.keys("z")
	tm.until("suspended", ends("$"))
	tm.keys("fg", "Enter")
	tm.until("resumed", ends("w30\n"+tm.dock()))
	// X4: asked from outside.
	tm.run("run-shell", "kill -TSTP $(ps -o pid= --ppid #{pane_pid})")
	tm.until("suspended from outside", ends("$"))
	tm.keys("fg", "Enter")
	tm.until("resumed", ends("w30\n"+tm.dock()))
	tm.keys("q")
	tm.until("end", ends("scene over\n$"))
	if !strings.Contains(tm.history(), "before-the-scene") {
		t.Errorf("the user's screen is not back:\n%s", tm.history())
	}
}

// X10, C-93: signals and panics give the terminal back.
func TestTmuxCrash(t *testing.T) {
	tm := startTmux(t, 80, 30)
	tm.start("alternate")
	tm.keys("p")
	tm.until("panic", func(s string) bool { return strings.Contains(s, "panic: scene panic") && strings.HasSuffix(s, "$") })
	tm.keys("clear; stty -a | grep -c ' icanon'", "Enter")
	tm.until("cooked mode", ends("\n$"))
	for _, sig := range []string{"TERM", "HUP", "INT"} {
		tm.keys("clear", "Enter")
		tm.start("alternate")
		tm.run("run-shell", "kill -"+sig+" $(ps -o pid= --ppid #{pane_pid})")
		tm.until(sig, ends("scene over\nended: terminated by a signal\n$"))
	}
}
