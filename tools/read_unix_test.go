//go:build unix

package tools

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestReadWhatIsNoFile(t *testing.T) {
	dir, err := os.MkdirTemp("", "tau") // the path of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	set := New(Options{CWD: dir})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), nil, 0); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		".": "a directory", "fifo": "a FIFO", "sock": "a socket", "/dev/zero": "a device", "/dev/null": "a device",
		"dangling": "a link to nowhere, which does not exist", "loop": "symbolic links", "secret/x": "not a directory",
	}
	if os.Geteuid() != 0 {
		cases["secret"] = "permission denied"
	}
	for path, want := range cases {
		start := time.Now()
		_, err := run(t, set.read(), map[string]string{"path": path})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s took %v", path, took)
		}
	}
}
