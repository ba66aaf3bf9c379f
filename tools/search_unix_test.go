//go:build unix

package tools

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestSearchLinksAndLoops(t *testing.T) { // C-49
	cleanHome(t)
	dir := t.TempDir()
	put(t, dir, "sub/f", []byte("word\n"))
	put(t, dir, "closed/f", []byte("word\n"))
	put(t, dir, "locked", []byte("word\n"))
	for name, to := range map[string]string{"sub/loop": "..", "link": "sub/f", "folder": "sub", "nowhere": "none"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	set := New(Options{CWD: dir, Operations: closedFolder{Local{}}})
	start := time.Now()
	checkSearches(t, set, []searchCase{
		{"grep", `{"pattern":"word"}`, "sub/f:1: word\n\n[Could not read closed (permission denied), locked (permission denied)]"},
		{"grep", `{"pattern":"other"}`, "No matches found\n\n[Could not read closed (permission denied), locked (permission denied)]"},
		{"grep", `{"pattern":"word","path":"link"}`, "link:1: word"},
		{"grep", `{"pattern":"word","path":"folder"}`, "folder/f:1: word"},
		{"grep", `{"pattern":"word","path":"fifo"}`, "error: fifo is a FIFO, not a directory"},
		{"grep", `{"pattern":"word","path":"nowhere"}`, "error: nowhere does not exist"},
		{"find", `{"pattern":"*"}`, "closed/\nfifo\nfolder\nlink\nlocked\nnowhere\nsub/\nsub/f\nsub/loop\n\n[Could not read closed (permission denied)]"},
		{"ls", `{}`, "closed/\nfifo\nfolder/\nlink\nlocked\nnowhere\nsub/"},
		{"ls", `{"path":"closed"}`, "error: could not list closed: permission denied"},
	})
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

// closedFolder refuses what is called closed or locked, as the system does for
// everybody but root.
type closedFolder struct{ Local }

func (c closedFolder) ReadDir(path string) ([]os.DirEntry, error) {
	if filepath.Base(path) == "closed" {
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	}
	return c.Local.ReadDir(path)
}

func (c closedFolder) OpenFile(path string, flag int, mode os.FileMode) (File, error) {
	if filepath.Base(path) == "locked" {
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	}
	return c.Local.OpenFile(path, flag, mode)
}
