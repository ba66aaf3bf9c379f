//go:build unix

package tui

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// liveScene is the program of liveProgram in a tmux of its own.
type liveScene struct {
	t      *testing.T
	name   string // of the tmux socket
	mode   string
	conn   net.Conn
	in     *bufio.Reader
	listen net.Listener
	steps  int
}

func newLiveScene(t *testing.T, mode string, w, h int) *liveScene {
	t.Helper()
	dir, err := os.MkdirTemp("", "tau")
	if err != nil {
		t.Fatal(err)
	}
	s := &liveScene{t: t, mode: mode, name: fmt.Sprintf("tau-tui-%d-%d", os.Getpid(), time.Now().UnixNano())}
	s.listen, err = net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-L", s.name, "kill-server").Run()
		s.listen.Close()
		if s.conn != nil {
			s.conn.Close()
		}
		os.RemoveAll(dir)
	})
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h), "PS1='$ ' ENV= TERM=tmux-256color exec sh -i")
	s.tmux("set", "-g", "status", "off")
	s.tmux("set", "-g", "history-limit", "5000")
	s.keys("echo before-the-scene; TAU_TUI_LIVE="+filepath.Join(dir, "s")+" TAU_TUI_SCENE="+mode+" "+exe, "Enter")
	_ = s.listen.(*net.UnixListener).SetDeadline(time.Now().Add(15 * time.Second))
	if s.conn, err = s.listen.Accept(); err != nil {
		t.Fatal(err)
	}
	s.in = bufio.NewReader(s.conn)
	s.check("start")
	return s
}

func (s *liveScene) tmux(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-L", s.name}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX=", "LC_ALL=C.UTF-8", "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (s *liveScene) keys(k ...string) { s.tmux(append([]string{"send-keys"}, k...)...) }

// raw types bytes.
func (s *liveScene) raw(bytes string) {
	args := []string{"send-keys", "-H"}
	for i := range len(bytes) {
		args = append(args, fmt.Sprintf("%02x", bytes[i]))
	}
	s.tmux(args...)
}

func (s *liveScene) pane() []string {
	lines := strings.Split(strings.TrimSuffix(s.tmux("capture-pane", "-p"), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

func (s *liveScene) history() string { return s.tmux("capture-pane", "-p", "-J", "-S", "-") }

// do tells the program what to do and returns its state.
func (s *liveScene) do(cmd string) liveState {
	s.t.Helper()
	_ = s.conn.SetDeadline(time.Now().Add(15 * time.Second))
	if _, err := fmt.Fprintln(s.conn, cmd); err != nil {
		s.t.Fatal(cmd, err)
	}
	b, err := s.in.ReadBytes('\n')
	if err != nil {
		s.t.Fatal(cmd, err)
	}
	var st liveState
	if err := json.Unmarshal(b, &st); err != nil {
		s.t.Fatal(err)
	}
	return st
}

// step does something and then compares.
func (s *liveScene) step(cmds ...string) liveState {
	s.t.Helper()
	for _, c := range cmds {
		s.do(c)
	}
	return s.check(strings.Join(cmds, ", "))
}

// until compares the pane with what the program says it should be, until they
// are alike and all conditions hold.
func (s *liveScene) until(what string, conds ...func(liveState, string) bool) liveState {
	s.t.Helper()
	s.steps++
	deadline := time.Now().Add(20 * time.Second)
	for {
		st := s.do("state")
		pane := s.pane()
		ok := !st.Busy && alikeText(st, pane)
		for _, c := range conds {
			ok = ok && c(st, strings.Join(pane, "\n"))
		}
		cursor := ""
		if ok && st.Cursor[0] >= 0 {
			cursor = strings.TrimSpace(s.tmux("display-message", "-p", "#{cursor_y},#{cursor_x}"))
			ok = cursorAlike(st, cursor)
		}
		if ok {
			return st
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s, step %d, %s: cursor %q for %v, the pane is\n%s\nand should be (%dx%d, busy %v)\n%s", s.mode, s.steps, what, cursor, st.Cursor,
				strings.Join(pane, "\n"), st.W, st.H, st.Busy, strings.Join(st.Screen, "\n"))
		}
	}
}

func (s *liveScene) check(what string) liveState { s.t.Helper(); return s.until(what) }

func shows(part string) func(liveState, string) bool {
	return func(_ liveState, pane string) bool { return strings.Contains(pane, part) }
}

func sized(w, h int) func(liveState, string) bool {
	return func(st liveState, _ string) bool { return st.W == w && st.H == h }
}

// alikeText reports whether the pane shows the screen, or ends in the window on
// the main screen.
func alikeText(st liveState, pane []string) bool {
	want := trimBlank(append([]string(nil), st.Screen...))
	for i := range want {
		want[i] = strings.TrimRight(want[i], " ")
	}
	pane = trimBlank(append([]string(nil), pane...))
	if st.Inline && len(pane) > len(want) {
		pane = pane[len(pane)-len(want):]
	}
	return strings.Join(pane, "\n") == strings.Join(want, "\n")
}

// cursorAlike compares the terminal's cursor. On the main screen only the column
// is known for sure.
func cursorAlike(st liveState, cursor string) bool {
	if st.Inline {
		return strings.HasSuffix(cursor, fmt.Sprintf(",%d", st.Cursor[1]))
	}
	return cursor == fmt.Sprintf("%d,%d", st.Cursor[0], st.Cursor[1])
}

func (s *liveScene) resize(w, h int) {
	s.tmux("resize-window", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h))
}

// wordsKept checks on the main screen that all words are in the history.
func (s *liveScene) wordsKept(n int) {
	s.t.Helper()
	if s.mode == "inline" {
		(&tmuxScene{t: s.t}).words(s.history(), n)
	}
}

// shell waits for the shell's prompt.
func (s *liveScene) shell(want string) {
	s.t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for !strings.HasSuffix(strings.Join(trimBlank(s.pane()), "\n"), want) {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: no %q at the end of\n%s", s.mode, want, strings.Join(s.pane(), "\n"))
		}
	}
}

func jsonLines(lines ...string) string {
	b, err := json.Marshal(lines)
	if err != nil {
		panic(err)
	}
	return "lines " + string(b)
}

// scenes are what users do. After each step the text of the pane is what the
// program says it should be.
func scenes() []struct {
	name string
	w, h int
	run  func(s *liveScene)
} {
	return []struct {
		name string
		w, h int
		run  func(s *liveScene)
	}{
		{"stream", 60, 14, func(s *liveScene) {
			s.step("paras 5")
			s.step("stream 120")
			s.step("stream 60")
			s.wordsKept(50)
		}},
		{"stream while scrolled up", 60, 14, func(s *liveScene) {
			s.step("paras 20")
			top := s.step("scroll -12").Top
			if got := s.step("stream 80").Top; got != top {
				s.t.Errorf("the view moved from %d to %d", top, got)
			}
			s.step("scroll 3")
			s.step("end")
		}},
		{"narrower while streaming", 70, 14, func(s *liveScene) {
			s.step("paras 8")
			s.do("stream 100")
			for _, w := range []int{55, 40, 31, 24} {
				s.resize(w, 14)
			}
			s.until("resized", sized(24, 14))
			s.step("stream 20")
			s.wordsKept(80)
		}},
		{"wider while streaming", 30, 12, func(s *liveScene) {
			s.step("paras 8")
			s.do("stream 100")
			for _, w := range []int{44, 60, 90} {
				s.resize(w, 12)
			}
			s.until("resized", sized(90, 12))
			s.resize(90, 20)
			s.until("higher", sized(90, 20))
			s.step("stream 20")
			s.wordsKept(80)
		}},
		{"overlay", 60, 14, func(s *liveScene) {
			s.step("paras 6")
			s.step("overlay 0")
			s.step("close")
			s.step("overlay 5", "stream 40")
			s.step("close")
		}},
		{"overlay over wide characters", 50, 14, func(s *liveScene) {
			for range 4 {
				s.do(jsonLines(strings.Repeat("日本語", 8), "a"+strings.Repeat("漢字", 12), strings.Repeat("한국", 12)))
			}
			s.check("filled")
			for i := range 4 {
				s.step(fmt.Sprint("overlay ", i))
				s.step("close")
			}
		}},
		{"paste of 1 MiB", 60, 12, func(s *liveScene) {
			s.step("paras 3")
			text := strings.Repeat("0123456789 日本 line of a paste\n", 1<<20/30+1)[:1<<20-1]
			text = strings.ToValidUTF8(text, "") + "!"
			f := filepath.Join(s.t.TempDir(), "paste")
			if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
				s.t.Fatal(err)
			}
			s.tmux("load-buffer", f)
			s.tmux("paste-buffer", "-p")
			st := s.until("pasted", shows(fmt.Sprintf("[paste %d bytes", len(text))))
			if st.Text != text {
				s.t.Errorf("%d bytes of %d arrived changed", len(st.Text), len(text))
			}
		}},
		{"search", 70, 14, func(s *liveScene) {
			s.step("paras 10", "wrap find the needle here", "paras 10", "wrap another needle there", "paras 6")
			s.step("search")
			s.keys("-l", "needle")
			s.until("found", func(st liveState, pane string) bool {
				return st.Inline != strings.Contains(pane, "╭─ search") && (st.Inline || strings.Contains(pane, "2/2") && strings.Contains(pane, "another needle there"))
			})
			s.keys("Enter")
			s.until("next", func(st liveState, pane string) bool { return st.Inline || strings.Contains(pane, "find the needle") })
			s.keys("C-g")
			s.check("next again")
			s.raw("\x1b[13;2u") // shift+enter
			s.check("previous")
			s.keys("Escape")
			s.check("closed")
			s.step("end")
		}},
		{"jump between prompts", 60, 12, func(s *liveScene) {
			for i := range 6 {
				s.do(jsonLines(PromptMark+fmt.Sprint("prompt ", i), "its second line"))
				s.do("paras 4")
			}
			s.check("filled")
			a := s.step("jump -1")
			b := s.step("jump -1")
			if !a.Inline && (b.Top >= a.Top || !strings.HasPrefix(b.Screen[0], "prompt")) {
				s.t.Errorf("from row %d to %d, which shows %q", a.Top, b.Top, b.Screen[0])
			}
			s.step("jump 1")
			s.keys("C-Up")
			s.check("by key")
			s.keys("C-End")
			s.check("to the end")
		}},
		{"suspend and resume", 60, 12, func(s *liveScene) {
			s.step("paras 8", "editor 3")
			s.do("suspend")
			s.shell("$")
			s.keys("echo in-between", "Enter")
			s.shell("in-between\n$")
			s.resize(50, 12)
			s.keys("fg", "Enter")
			s.until("resumed", sized(50, 12))
			s.step("stream 30")
			s.wordsKept(80)
		}},
		{"external program", 60, 12, func(s *liveScene) {
			s.step("paras 8", "editor 2")
			s.step("external")
			s.step("stream 30")
			s.step("external")
			s.wordsKept(80)
			if !strings.Contains(s.history(), "cooked-in-external") && s.mode == "inline" {
				s.t.Errorf("the external program did not run in cooked mode:\n%s", s.history())
			}
		}},
		{"wide characters at the right edge", 21, 14, func(s *liveScene) {
			for _, w := range []string{"日本語", "e\u0301", "✅", "👍", "한", "🎉x"} {
				s.do("wrap " + strings.Repeat(w, 20))
				s.do("wrap x" + strings.Repeat(w, 20))
			}
			s.do(jsonLines(strings.Repeat("日", 15), "x"+strings.Repeat("日", 15), strings.Repeat("x", 20)+"日", strings.Repeat("x", 20)+"e\u0301"))
			s.check("filled")
			for range 5 {
				s.step("scroll -3")
			}
			for _, w := range []int{20, 9, 22} {
				s.resize(w, 14)
				s.until("resized", sized(w, 14))
			}
		}},
		{"long links", 40, 12, func(s *liveScene) {
			url := "https://example.test/" + strings.Repeat("path/", 100)
			s.do("wrap see \x1b]8;;" + url + "\x07" + strings.Repeat("label of a link ", 8) + "\x1b]8;;\x07 behind it")
			s.do("wrap " + url)
			s.check("links")
			s.step("overlay 2")
			s.step("close", "stream 20")
			s.resize(33, 12)
			s.until("resized", sized(33, 12))
		}},
		{"tabs", 40, 12, func(s *liveScene) {
			s.step(jsonLines("a\tb\tc", "\t\tfunc x() {", strings.Repeat("x\t", 20), "日\t本\t"))
			s.step("overlay 1")
			s.step("close")
		}},
		{"selection", 50, 12, func(s *liveScene) {
			s.step("paras 10", jsonLines("select 日本 this", "and that"))
			s.raw("\x1b[<0;3;3M\x1b[<32;9;5M")
			s.check("dragging")
			s.raw("\x1b[<0;9;5m")
			if st := s.check("released"); !st.Inline && st.Text == "" {
				s.t.Error("nothing is selected")
			}
			s.step("stream 20")
			s.raw("\x1b[<64;5;5M")
			s.check("wheel")
			s.raw("\x1b[<65;5;5M")
			s.check("wheel back")
		}},
		{"change above the viewport", 50, 12, func(s *liveScene) {
			s.step("paras 20")
			s.step("set changed far above, and much longer than it was before, so that lines move")
			s.step("scroll -5", "set short")
			s.step("end")
			s.wordsKept(0)
		}},
		{"fold and unfold", 50, 14, func(s *liveScene) {
			s.step("paras 6", "fold 1")
			s.step("fold 8")
			s.step("fold 40")
			s.step("fold 2")
			s.step("fold 9", "stream 20")
		}},
		{"tiny window", 60, 14, func(s *liveScene) {
			s.step("paras 6", "overlay 0")
			s.resize(10, 3)
			s.until("tiny", sized(10, 3))
			s.step("stream 30")
			s.resize(60, 14)
			s.until("back", sized(60, 14))
			s.step("close", "stream 10")
			s.wordsKept(60)
		}},
		{"exit output", 60, 12, func(s *liveScene) {
			s.step("paras 8", "editor 2")
			s.do("quit")
			s.shell("scene over\nresume with 日本\n$")
			if !strings.Contains(s.history(), "before-the-scene") {
				s.t.Errorf("the shell's lines are gone:\n%s", s.history())
			}
			s.wordsKept(80)
			s.keys("stty -a | grep -c ' icanon'", "Enter")
			s.shell("\n1\n$")
		}},
		{"switch of renderer", 60, 12, func(s *liveScene) {
			other, own := "inline 1", "inline 0"
			if s.mode == "inline" {
				other, own = own, other
			}
			s.step("paras 8")
			s.step("search", other)
			s.step("stream 30")
			s.step(own)
			s.step("paras 2")
			s.step(other, "overlay 0")
			s.step("close", own, "stream 30")
			s.wordsKept(80)
		}},
		{"many small changes", 40, 12, func(s *liveScene) {
			for i := range 150 {
				s.do(fmt.Sprint("random ", i))
				if i%3 == 0 {
					s.check("random")
				}
			}
			s.check("random")
		}},
	}
}

// TestScenes needs TAU_SCENES=1, as it takes its time, and tmux.
func TestScenes(t *testing.T) {
	if os.Getenv("TAU_SCENES") == "" {
		t.Skip("TAU_SCENES is not set")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	for _, mode := range []string{"alternate", "inline"} {
		for _, c := range scenes() {
			t.Run(mode+"/"+c.name, func(t *testing.T) {
				c.run(newLiveScene(t, mode, c.w, c.h))
			})
		}
	}
}
