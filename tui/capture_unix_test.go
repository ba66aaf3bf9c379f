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
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"tau/tui/text"
	"tau/tui/vt"
)

// TestCapture records all output of a session of each renderer: streams, a
// change of size, a suspension, overlays, the end.
func TestCapture(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	for _, mode := range []string{"alternate", "inline"} {
		t.Run(mode, func(t *testing.T) { captureSession(t, mode) })
	}
}

// recorder is the terminal of a session.
type recorder struct {
	mu     sync.Mutex
	screen *vt.Terminal
	all    []byte
	master *os.File
	ended  chan struct{}
}

func (r *recorder) run() {
	defer close(r.ended)
	buf := make([]byte, 64<<10)
	for {
		n, err := r.master.Read(buf)
		r.mu.Lock()
		r.all = append(r.all, buf[:n]...)
		_, _ = r.screen.Write(buf[:n])
		answer := r.screen.TakeReplies()
		r.mu.Unlock()
		if len(answer) > 0 {
			_, _ = r.master.Write(answer)
		}
		if err != nil {
			return
		}
	}
}

func (r *recorder) resize(w, h int) {
	r.mu.Lock()
	r.screen.Resize(w, h)
	r.mu.Unlock()
	_ = pty.Setsize(r.master, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
}

func (r *recorder) modes() vt.Modes {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.screen.Modes()
}

func (r *recorder) pane() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.screen.Lines()
}

// wait waits for s in the output and returns what came before it.
func (r *recorder) wait(t *testing.T, s string) string {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); ; {
		r.mu.Lock()
		i := strings.Index(string(r.all), s)
		before := string(r.all[:max(0, i)])
		r.mu.Unlock()
		if i >= 0 {
			return before
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q did not come:\n%q", s, r.all[max(0, len(r.all)-2000):])
		}
		time.Sleep(time.Millisecond)
	}
}

func captureSession(t *testing.T, mode string) {
	dir, err := os.MkdirTemp("", "tau")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	listen, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listen.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := `set -m; stty -g >"$D/before"; printf '@START@'; "$EXE"; printf '@STOPPED@'; stty -g >"$D/stopped"; read x; printf '@GO@'; fg >/dev/null; printf '@ENDED@'; stty -g >"$D/after"; printf '@DONE@'`
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append(os.Environ(), "D="+dir, "EXE="+exe, "TAU_TUI_LIVE="+filepath.Join(dir, "s"), "TAU_TUI_SCENE="+mode, "TERM=xterm-256color", "TMUX=", "STY=", "ZELLIJ=", "XTERM_VERSION=")
	const w, h = 60, 14
	rec := &recorder{screen: vt.New(w, h), ended: make(chan struct{})}
	rec.screen.SetAnswers(vt.Answers{DA1: true, Kitty: true})
	fresh := rec.screen.Modes()
	if rec.master, err = pty.StartWithSize(cmd, &pty.Winsize{Cols: w, Rows: h}); err != nil {
		t.Skip(err)
	}
	go rec.run()
	defer func() {
		rec.master.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()

	_ = listen.(*net.UnixListener).SetDeadline(time.Now().Add(15 * time.Second))
	conn, err := listen.Accept()
	if err != nil {
		t.Fatalf("%v\n%q", err, rec.all)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	do := func(cmd string) (st liveState) {
		t.Helper()
		_ = conn.SetDeadline(time.Now().Add(15 * time.Second))
		fmt.Fprintln(conn, cmd)
		b, err := in.ReadBytes('\n')
		if err != nil {
			t.Fatal(cmd, err)
		}
		if err := json.Unmarshal(b, &st); err != nil {
			t.Fatal(err)
		}
		return st
	}
	settle := func(what string, w, h int) {
		t.Helper()
		for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(2 * time.Millisecond) {
			st, pane := do("state"), rec.pane()
			if !st.Busy && st.W == w && st.H == h && alikeText(st, pane) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the screen is\n%s\nand should be (busy %v, %dx%d)\n%s", what, strings.Join(pane, "\n"), st.Busy, st.W, st.H, strings.Join(st.Screen, "\n"))
			}
		}
	}
	step := func(cmd string) { t.Helper(); do(cmd); settle(cmd, w, h) }
	if m := rec.modes(); !m.BracketedPaste {
		rec.wait(t, "footer")
	}
	step("paras 12")
	step("stream 60")
	step("overlay 3")
	step("stream 10")
	step("close")
	step("scroll -4")
	step("end")
	if mode == "alternate" {
		step("search")
		_, _ = rec.master.WriteString("w1")
		settle("query", w, h)
		_, _ = rec.master.WriteString("\x1b")
		settle("closed", w, h)
	}
	step(jsonLines("日本語 \x1b[1mbold\x1b[0m", "\x1b[2J\x1b[3J\x1bc\x1b[5;5H\x1b[1;3r\x1b[?1049l evil"))
	do("stream 80")
	for _, size := range [][2]int{{45, 14}, {45, 9}, {70, 20}, {w, h}} {
		rec.resize(size[0], size[1])
		settle("resized", size[0], size[1])
	}
	if m := rec.modes(); m.Alternate != (mode == "alternate") || !m.BracketedPaste || len(m.Kitty) == 0 {
		t.Errorf("modes while it runs: %+v", m)
	}
	do("suspend")
	rec.wait(t, "@STOPPED@")
	if m := rec.modes(); !reflect.DeepEqual(m, fresh) {
		t.Errorf("suspended: %+v, want %+v", m, fresh)
	}
	_, _ = rec.master.WriteString("\n")
	rec.wait(t, "@GO@")
	settle("resumed", w, h)
	step("stream 30")
	do("quit")
	rec.wait(t, "@DONE@")
	if m := rec.modes(); !reflect.DeepEqual(m, fresh) {
		t.Errorf("after the end: %+v, want %+v", m, fresh)
	}
	var stty []string
	for _, name := range []string{"before", "stopped", "after"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		stty = append(stty, string(b))
	}
	if stty[0] == "" || stty[1] != stty[0] || stty[2] != stty[0] {
		t.Errorf("termios before, when suspended and after: %q", stty)
	}

	rec.mu.Lock()
	all := string(rec.all)
	rec.mu.Unlock()
	frames, inside := 0, 0
	for _, part := range [][2]string{{"@START@", "@STOPPED@"}, {"@GO@", "@ENDED@"}} {
		_, run, _ := strings.Cut(all, part[0])
		run, _, _ = strings.Cut(run, part[1])
		n, b := checkCapture(t, mode, run)
		frames += n
		inside += b
	}
	if frames < 20 {
		t.Errorf("%d frames", frames)
	}
	t.Logf("%s: %d bytes, %d frames of %d bytes", mode, len(all), frames, inside)
}

// checkCapture goes through the output from one taking over of the terminal to
// the giving away.
func checkCapture(t *testing.T, mode, run string) (frames, bytes int) {
	t.Helper()
	// What may stand before the first frame: modes and queries.
	setup := regexp.MustCompile(`^\x1b\[(\?(1049|7|25|2004|1000|1002|1003|1006|1004|2031)h|\?(7|25)l|>5u|\?u|c|>4;[0-9]*m)$|^\x1b\]7501;\?\x1b\\$`)
	banned := regexp.MustCompile(`^\x1b(c|\[[0-9;]*[Jr]|\[[0-9;]*[Hfd]|\[[0-9;]*[STLM]|\[\?1049[hl])$`)
	sync := false
	// Giving the terminal away ends a frame, in case one was cut short, and
	// holds the parting lines. At the end of the program the keyboard is put
	// back first, so that late keys can be dropped.
	ends := strings.LastIndex(run, endSync+"\x1b[?7h\x1b[0m\x1b]8;;\x1b\\")
	if ends < 0 {
		t.Fatal("the terminal is not given away")
	}
	ends = len(strings.TrimSuffix(run[:ends], "\x1b[<u"))
	for at := 0; at < len(run); {
		tok := run[at : at+1]
		if n := text.Escape(run[at:]); n > 0 {
			tok = run[at : at+n]
		} else if strings.HasPrefix(run[at:], "\x1bc") {
			tok = run[at : at+2]
		}
		first := frames == 0 && !sync
		switch {
		case at >= ends:
		case tok == beginSync:
			if sync {
				t.Errorf("at %d: a frame begins in a frame", at)
			}
			sync = true
		case tok == endSync:
			if !sync {
				t.Errorf("at %d: a frame ends that has not begun", at)
			}
			sync = false
			frames++
			bytes += len(endSync)
		case sync:
			bytes += len(tok)
		case setup.MatchString(tok):
			if !first {
				t.Errorf("at %d: %q between frames", at, tok)
			}
		case first && mode == "alternate" && (tok == "\x1b[2J" || tok == "\x1b[H"):
		default:
			t.Errorf("at %d, outside of frames: %q", at, run[at:min(len(run), at+500)])
			return frames, bytes
		}
		// ED0 is how the main screen's window is erased after a resize.
		if mode == "inline" && banned.MatchString(tok) && tok != "\x1b[J" {
			t.Errorf("at %d: %q on the main screen", at, tok)
		}
		if tok == "\x1b[3J" || tok == "\x1bc" || tok == "\x1b[2J" && !(first && mode == "alternate") {
			t.Errorf("at %d: %q", at, tok)
		}
		at += len(tok)
	}
	if sync {
		t.Error("the last frame does not end")
	}
	return frames, bytes
}
