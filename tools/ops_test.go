package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tau/ai"
)

// faulty is this machine, where one operation of a kind fails: the n-th.
type faulty struct {
	Local
	kind string
	n    int
	err  error
	hits int // times it failed
}

func (f *faulty) fails(kind string) bool {
	if kind != f.kind {
		return false
	}
	if f.n--; f.n != 0 {
		return false
	}
	f.hits++
	return true
}

func (f *faulty) Stat(path string) (fs.FileInfo, error) {
	if f.fails("stat") {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: f.err}
	}
	return f.Local.Stat(path)
}

func (f *faulty) OpenFile(path string, flag int, mode fs.FileMode) (File, error) {
	if f.fails("open") {
		return nil, &fs.PathError{Op: "open", Path: path, Err: f.err}
	}
	file, err := f.Local.OpenFile(path, flag, mode)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faulty) CreateTemp(dir, pattern string) (File, error) {
	if f.fails("create") {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: f.err}
	}
	file, err := f.Local.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faulty) Rename(from, to string) error {
	if f.fails("rename") {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: f.err}
	}
	return f.Local.Rename(from, to)
}

func (f *faulty) MkdirAll(path string, mode fs.FileMode) error {
	if f.fails("mkdir") {
		return &fs.PathError{Op: "mkdir", Path: path, Err: f.err}
	}
	return f.Local.MkdirAll(path, mode)
}

type faultyFile struct {
	File
	f *faulty
}

func (f *faultyFile) error(op string) error {
	return &fs.PathError{Op: op, Path: f.Name(), Err: f.f.err}
}

func (f *faultyFile) Read(b []byte) (int, error) {
	if f.f.fails("read") {
		return 0, f.error("read")
	}
	return f.File.Read(b[:min(len(b), 10)])
}

func (f *faultyFile) ReadAt(b []byte, off int64) (int, error) {
	if f.f.fails("readat") {
		return 0, f.error("read")
	}
	return f.File.ReadAt(b, off)
}

func (f *faultyFile) Write(b []byte) (int, error) {
	if f.f.fails("write") {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, f.error("write")
	}
	return f.File.Write(b)
}

func (f *faultyFile) WriteAt(b []byte, off int64) (int, error) {
	if f.f.fails("writeat") {
		n, _ := f.File.WriteAt(b[:len(b)/2], off)
		return n, f.error("write")
	}
	return f.File.WriteAt(b, off)
}

func (f *faultyFile) Truncate(size int64) error {
	if f.f.fails("truncate") {
		return f.error("truncate")
	}
	return f.File.Truncate(size)
}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	if f.f.fails("chmod") {
		return f.error("chmod")
	}
	return f.File.Chmod(mode)
}

func (f *faultyFile) Sync() error {
	if f.f.fails("sync") {
		return f.error("sync")
	}
	return f.File.Sync()
}

func (f *faultyFile) Close() error {
	err := f.File.Close()
	if f.f.fails("close") {
		return f.error("close")
	}
	return err
}

// Whatever fails while a file is changed: afterwards it has its old content and
// the call is an error, or it has its new content and the call is none. Nothing
// else is left in the folder.
func TestChangesUnderFaults(t *testing.T) {
	old := strings.Repeat("a line of the file\n", 100) + "old\n"
	edited := strings.Replace(old, "old\n", "new and longer\n", 1)
	shorter := strings.Replace(old, "old\n", "", 1)
	hit := 0
	for _, kind := range []string{"stat", "open", "create", "rename", "mkdir", "read", "readat", "write", "writeat", "truncate", "chmod", "sync", "close"} {
		for n := 1; n <= 4; n++ {
			for _, cause := range []error{[]error{syscall.ENOSPC, syscall.EIO}[n%2]} {
				for _, how := range []string{"edit", "shorten", "write", "edit link", "shorten link", "write link", "new"} {
					t.Run(fmt.Sprintf("%s/%s %d %v", how, kind, n, cause), func(t *testing.T) {
						dir := t.TempDir()
						path := filepath.Join(dir, "f")
						if how != "new" {
							put(t, dir, "f", []byte(old))
						}
						if strings.HasSuffix(how, "link") {
							// With a second name the file is written in place.
							if err := os.Link(path, filepath.Join(dir, "other")); err != nil {
								t.Skip(err)
							}
						}
						f := &faulty{kind: kind, n: n, err: cause}
						set := New(Options{CWD: dir, Operations: f})
						var err error
						want := edited
						switch strings.Fields(how)[0] {
						case "edit":
							_, err = run(t, set.edit(), editArgs{"f", []Edit{{"old\n", "new and longer\n"}}})
						case "shorten":
							want = shorter
							_, err = run(t, set.edit(), editArgs{"f", []Edit{{"old\n", ""}}})
						default:
							_, err = run(t, set.write(), writeArgs{"f", edited})
						}
						hit += f.hits
						got, readErr := os.ReadFile(path)
						switch {
						case err == nil:
							if string(got) != want {
								t.Errorf("the call is no error, but the file has %d bytes of %d", len(got), len(want))
							}
						case how == "new":
							if !errors.Is(readErr, fs.ErrNotExist) {
								t.Errorf("half a file of %d bytes is there after %v", len(got), err)
							}
						case string(got) != old:
							t.Errorf("%d bytes, not the %d of before, after %v", len(got), len(old), err)
						case !strings.Contains(err.Error(), "f"):
							t.Errorf("the error does not name the file: %v", err)
						}
						left, _ := filepath.Glob(filepath.Join(dir, ".tau-*"))
						if len(left) > 0 {
							t.Errorf("left: %v", left)
						}
					})
				}
			}
		}
	}
	if hit < 50 {
		t.Errorf("only %d faults came about", hit)
	}
}

func TestReadsUnderFaults(t *testing.T) {
	cleanHome(t)
	dir := t.TempDir()
	put(t, dir, "f", []byte(numbered(100)))
	put(t, dir, "p.png", encodePNG(t, picture(10, 10, false)))
	for n := 1; n <= 3; n++ {
		set := func() *Set { return New(Options{CWD: dir, Operations: &faulty{kind: "read", n: n, err: syscall.EIO}}) }
		for _, name := range []string{"f", "p.png"} {
			if _, err := run(t, set().read(), map[string]string{"path": name}); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), syscall.EIO.Error()) {
				t.Errorf("read %s, fault %d: %v", name, n, err)
			}
		}
		r, err := run(t, set().grep(), grepArgs{Pattern: "none", Glob: "f"})
		if err != nil || !strings.Contains(ai.ContentText(r.Content), "Could not read f ("+syscall.EIO.Error()) {
			t.Errorf("grep, fault %d: %v %v", n, r, err)
		}
	}
}

// A command can run anywhere: the tool needs only a Process.
type elsewhere struct {
	Local
	started chan Command
}

func (e *elsewhere) Start(c Command) (Process, error) {
	e.started <- c
	c.Script, c.Dir = "echo from elsewhere", os.TempDir()
	return e.Local.Start(c)
}

func TestCommandElsewhere(t *testing.T) {
	e := &elsewhere{started: make(chan Command, 1)}
	set := New(Options{CWD: t.TempDir(), Operations: e})
	defer set.Close()
	r, err := run(t, set.bash(), bashArgs{Command: "make"})
	if err != nil || ai.ContentText(r.Content) != "from elsewhere\n" {
		t.Errorf("%v %v", r, err)
	}
	if c := <-e.started; c.Script != "make" || c.Dir != set.opts.CWD {
		t.Errorf("%+v", c)
	}
}
