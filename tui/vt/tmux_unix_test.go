//go:build unix

package vt

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tmux is a real terminal that shows streams.
type tmux struct {
	t      *testing.T
	socket string
	pipe   *os.File
	n      int
}

func startTmux(t *testing.T, w, h int) *tmux {
	if testing.Short() {
		t.Skip("short")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir := t.TempDir()
	tm := &tmux{t: t, socket: filepath.Join(dir, "s")}
	fifo := filepath.Join(dir, "in")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	tm.run("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h),
		"stty raw -echo; exec cat '"+fifo+"'")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", tm.socket, "kill-server").Run() })
	tm.run("set", "-g", "status", "off")
	var err error
	if tm.pipe, err = os.OpenFile(fifo, os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tm.pipe.Close() })
	return tm
}

func (tm *tmux) run(args ...string) string {
	tm.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", tm.socket}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX=", "LC_ALL=C.UTF-8", "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		tm.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// show plays a stream on a fresh screen and returns the screen and the cursor.
func (tm *tmux) show(stream string) (screen string, cursor string) {
	tm.n++
	title := fmt.Sprintf("done-%d", tm.n)
	if _, err := tm.pipe.WriteString("\x1bc" + stream + "\x1b]2;" + title + "\x07"); err != nil {
		tm.t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for !strings.Contains(tm.run("display-message", "-p", "#{pane_title}"), title) {
		if time.Now().After(deadline) {
			tm.t.Fatal("tmux does not come to the end of the stream")
		}
	}
	cursor = strings.TrimSpace(tm.run("display-message", "-p", "#{cursor_y},#{cursor_x}"))
	var lines []string
	for _, l := range strings.Split(tm.run("capture-pane", "-p"), "\n") {
		lines = append(lines, strings.TrimRight(l, " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n"), cursor
}

func randomStream(r *rand.Rand) string {
	var b strings.Builder
	// Terminals differ on moving half of a wide character: a stream has
	// either wide characters or editing inside lines.
	wide := r.Intn(2) == 0
	for range 3 + r.Intn(40) {
		switch r.Intn(18) {
		case 0, 1, 2, 3:
			b.WriteString(strings.Repeat(string(rune('a'+r.Intn(26))), 1+r.Intn(12)))
		case 4:
			if wide {
				b.WriteString([]string{"日本", "é", "漢", "x日y"}[r.Intn(4)])
			}
		case 5:
			b.WriteString("\r\n")
		case 6:
			b.WriteString("\n")
		case 7:
			b.WriteString("\r")
		case 8:
			fmt.Fprintf(&b, "\x1b[%d;%dH", 1+r.Intn(7), 1+r.Intn(22))
		case 9:
			fmt.Fprintf(&b, "\x1b[%d%c", r.Intn(4), "ABCDG"[r.Intn(5)])
		case 10:
			fmt.Fprintf(&b, "\x1b[%dG\x1b[%dK", 1+r.Intn(20), r.Intn(3))
		case 11:
			fmt.Fprintf(&b, "\x1b[%dG\x1b[%dJ", 1+r.Intn(20), r.Intn(2))
		case 12:
			fmt.Fprintf(&b, "\x1b[3;1H\x1b[%d%c", 1+r.Intn(3), "LM"[r.Intn(2)]) // row 3 is in every region, and tmux keeps the column
		case 13:
			// So they do on editing at the right edge.
			if !wide {
				fmt.Fprintf(&b, "\x1b[%dG\x1b[%d%c", 1+r.Intn(12), 1+r.Intn(3), "@PX"[r.Intn(3)])
			}
		case 14:
			fmt.Fprintf(&b, "\x1b[%d;%dr", 1+r.Intn(3), 4+r.Intn(3)) // rows 3 and 4 are in every region
		case 15:
			b.WriteString([]string{"\x1bM", "\x1b[S", "\x1b[2T", "\x1b[4G\b"}[r.Intn(4)])
		case 16:
			b.WriteString([]string{"\x1b[?7l", "\x1b[?7h"}[r.Intn(2)])
		case 17:
			b.WriteString([]string{"\x1b7", "\x1b8", "\x1b[31m", "\x1b[0m"}[r.Intn(4)])
		}
	}
	return b.String()
}

// Random streams look the same here and in tmux.
func TestAgainstTmux(t *testing.T) {
	const w, h = 20, 6
	tm := startTmux(t, w, h)
	r := rand.New(rand.NewSource(1))
	for i := range 60 {
		stream := randomStream(r)
		vt := New(w, h)
		vt.WriteString(stream)
		want, cursor := tm.show(stream)
		y, x := vt.Cursor()
		if got := vt.String(); got != want {
			t.Fatalf("stream %d %q\nhere:\n%s\ntmux:\n%s", i, stream, got, want)
		}
		var ty, tx int
		if _, err := fmt.Sscanf(cursor, "%d,%d", &ty, &tx); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%d,%d", y, x); y != ty || x != min(tx, w-1) {
			t.Fatalf("stream %d %q\ncursor %s, in tmux %s", i, stream, got, cursor)
		}
	}
}
