//go:build unix

package tui

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// C-89, X9: when the terminal goes away the program ends, without spinning.
func TestHangUp(t *testing.T) {
	for _, c := range []struct{ name, keys string }{
		{"idle", ""}, {"streaming", "b"},
	} {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "TAU_TUI_SCENE=alternate", "TERM=xterm-256color")
		master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 60, Rows: 15})
		if err != nil {
			t.Skip(err)
		}
		out := &screenReader{seen: make(chan struct{})}
		go out.read(master)
		<-out.seen
		if _, err := io.WriteString(master, "a"+c.keys); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		master.Close()
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("%s: took %v", c.name, took)
			}
			if cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); cpu > time.Second {
				t.Errorf("%s: used %v", c.name, cpu)
			}
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			t.Errorf("%s: lives on", c.name)
		}
	}
}

// screenReader waits for the first frame.
type screenReader struct {
	once sync.Once
	seen chan struct{}
}

func (s *screenReader) read(f *os.File) {
	var all strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		all.Write(buf[:n])
		if strings.Contains(all.String(), "footer") {
			s.once.Do(func() { close(s.seen) })
		}
		if err != nil {
			return
		}
	}
}
