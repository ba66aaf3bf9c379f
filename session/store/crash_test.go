package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tau/ai"
)

// failing is a disk on which only so many more bytes can be written.
type failing struct {
	disk
	left *int
	// dead is what a killed program does: nothing at all after the failure.
	dead *bool
	// stuck keeps what was written in part from being cut off again.
	stuck bool
}

var errFull = fmt.Errorf("write: %w", syscall.ENOSPC)

func (f failing) WriteAt(b []byte, off int64) (int, error) {
	if *f.dead {
		return 0, errFull
	}
	n := min(len(b), *f.left)
	*f.left -= n
	if n > 0 {
		if _, err := f.disk.WriteAt(b[:n], off); err != nil {
			return 0, err
		}
	}
	if n < len(b) {
		*f.dead = true
		return n, errFull
	}
	return n, nil
}

func (f failing) Truncate(size int64) error {
	if f.stuck {
		return errFull
	}
	return f.disk.Truncate(size)
}

// Sync costs a lot and shows nothing here.
func (f failing) Sync() error { return nil }

func failAfter(s *Store, bytes int, stuck bool) (dead *bool) {
	dead = new(bool)
	s.wrap = func(f *os.File) disk { return failing{diskFile{f}, &bytes, dead, stuck} }
	return dead
}

// conversation returns 50 entries of all kinds.
func conversation() []Entry {
	var out []Entry
	for i := range 10 {
		out = append(out,
			say(ai.RoleUser, fmt.Sprintf("question %d {\"}", i)),
			&MessageEntry{Message: &ai.AssistantMessage{Content: []ai.Block{&ai.ToolCall{ID: "c", Name: "read", Arguments: json.RawMessage(`{"a":{"b":1}}`)}}, StopReason: ai.StopToolUse}},
			&MessageEntry{Message: &ai.ToolResultMessage{ToolCallID: "c", ToolName: "read", Content: ai.TextBlocks("result\n\u2028é")}},
			say(ai.RoleAssistant, "answer"),
		)
		switch i % 5 {
		case 0:
			out = append(out, &LabelEntry{TargetID: "x", Label: "l"})
		case 1:
			out = append(out, &InfoEntry{Name: "n"})
		case 2:
			out = append(out, &ModelEntry{Provider: "p", ModelID: "m"})
		case 3:
			out = append(out, &CustomEntry{CustomType: "c", Data: json.RawMessage(`{"x":[1,{}]}`)})
		case 4:
			out = append(out, &ContextEditEntry{TargetID: "x", Replacement: json.RawMessage("null")})
		}
	}
	return out
}

// memoryDir is a folder that costs no disk, where there is one.
func memoryDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "tau-test")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// recorder checks that a store only ever adds whole lines, with one write each.
type recorder struct {
	disk
	t      *testing.T
	writes *int
}

func (r recorder) Sync() error { return nil }

func (r recorder) WriteAt(b []byte, off int64) (int, error) {
	st, err := r.Stat()
	if err != nil || off != st.Size() || !bytes.HasSuffix(b, []byte("\n")) {
		r.t.Errorf("a write of %d bytes at %d of %d (%v)", len(b), off, st.Size(), err)
	}
	*r.writes++
	return r.disk.WriteAt(b, off)
}

// A program is killed at every byte of every write: at most the entry that was
// being written is gone, and the session goes on. Since writes are only ever
// added at the end, what a killed program leaves is the beginning of the file.
func TestKilledAtEveryByte(t *testing.T) {
	dir := memoryDir(t)
	path := filepath.Join(dir, "s.jsonl")
	s := Create(path, Header{CWD: "/w"})
	writes := 0
	quick := func(f *os.File) disk { return recorder{diskFile{f}, t, &writes} }
	s.wrap = quick
	var ends []int
	for _, e := range conversation() {
		mustAppend(t, s, e)
		ends = append(ends, int(s.end))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if writes != len(ends) {
		t.Errorf("%d writes for %d entries", writes, len(ends))
	}
	step := 1
	if testing.Short() {
		step = 17
	}
	for k := ends[0]; k <= len(whole); k += step {
		saved := 0
		for saved < len(ends) && ends[saved] <= k {
			saved++
		}
		if err := os.WriteFile(path, whole[:k], 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			t.Fatalf("killed at byte %d: %v", k, err)
		}
		// A whole line without its newline counts too.
		if r.Len() != saved && r.Len() != saved+1 {
			t.Fatalf("killed at byte %d: %d entries, %d were saved", k, r.Len(), saved)
		}
		n := r.Len()
		r.wrap = quick
		id := mustAppend(t, r, say(ai.RoleUser, "after"))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r, err = Open(path)
		if err != nil || r.Len() != n+1 || r.Leaf() != id || len(r.PathTo("")) != n+1 {
			t.Fatalf("killed at byte %d: after an append %d entries of %d (%v)", k, r.Len(), n+1, err)
		}
		r.Close()
	}
}

// Before the first block is whole, there is no file at all.
func TestKilledInTheFirstWrite(t *testing.T) {
	for k := 0; k < 300; k += 7 {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		s := Create(path, Header{CWD: "/w"})
		failAfter(s, k, true)
		if _, err := s.Append(say(ai.RoleUser, strings.Repeat("x", 300))); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("full at byte %d: %v", k, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("full at byte %d: half a file is left", k)
		}
	}
}

// The disk is full at every byte of every write, and has room again later:
// nothing is lost, also if the part that was written stays there.
func TestFullDisk(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		t.Run(fmt.Sprintf("stuck=%v", stuck), func(t *testing.T) {
			t.Parallel()
			entries := conversation()
			dir := memoryDir(t)
			path := filepath.Join(dir, "s.jsonl")
			s := Create(path, Header{CWD: "/w"})
			s.wrap = func(f *os.File) disk { return failing{diskFile{f}, ptr(1 << 30), new(bool), false} }
			var ends []int // of the file after each entry
			for _, e := range entries {
				mustAppend(t, s, e)
				ends = append(ends, int(s.end))
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			step := 1
			if testing.Short() || racing {
				step = 13
			}
			// What was written before the entry that meets the full disk is the same
			// for each of its bytes, so it is put there and not written anew.
			i := 1
			for k := ends[0]; k < ends[len(ends)-1]; k += step {
				for ends[i] <= k {
					i++
				}
				if err := os.WriteFile(path, whole[:ends[i-1]], 0o600); err != nil {
					t.Fatal(err)
				}
				fullDisk(t, path, i, k-ends[i-1], stuck)
			}
		})
	}
}

// fullDisk continues the conversation in the file at the entry first. There is
// room for so many bytes more; it comes back when three entries did not fit.
func fullDisk(t *testing.T, path string, first, room int, stuck bool) {
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	dead := failAfter(s, room, stuck)
	entries := conversation()[first:]
	entries = entries[:min(len(entries), 5)]
	failed := 0
	for i, e := range entries {
		_, err := s.Append(e)
		if err == nil {
			if failed == 0 {
				t.Fatalf("entry %d, room for %d: written", first+i, room)
			}
			continue
		}
		if n, why := s.Unsaved(); !errors.Is(why, syscall.ENOSPC) || n == 0 {
			t.Fatalf("entry %d, room for %d: %d unsaved, %v", first, room, n, why)
		}
		if failed++; failed == 3 || i == len(entries)-1 {
			*dead = false
			s.wrap = nil
			if f, ok := s.file.(failing); ok {
				*f.left = 1 << 30
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatalf("entry %d, room for %d: %v", first, room, err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatalf("entry %d, room for %d: %v", first, room, err)
	}
	defer r.Close()
	// A line that was written whole but for its newline is there twice, if it
	// could not be cut off.
	want := first + len(entries)
	if extra := r.Len() - want; extra != 0 && !(stuck && extra == 1) || len(r.PathTo("")) != want {
		t.Fatalf("entry %d, room for %d: %d entries of %d, path of %d", first, room, r.Len(), want, len(r.PathTo("")))
	}
	if p := r.Problems(); len(p) > 0 && !stuck {
		t.Fatalf("entry %d, room for %d: %v", first, room, p)
	}
}

func ptr[T any](v T) *T { return &v }

// child is what this test binary does as a process of its own.
func TestMain(m *testing.M) {
	switch path := os.Getenv("STORE_TEST_PATH"); os.Getenv("STORE_TEST_CHILD") {
	case "endless":
		endless(path)
	case "prompts":
		prompts(path, os.Getenv("STORE_TEST_NAME"))
	default:
		os.Exit(m.Run())
	}
}

func child(t *testing.T, kind, path, name string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "STORE_TEST_CHILD="+kind, "STORE_TEST_PATH="+path, "STORE_TEST_NAME="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// endless appends and says how many entries are durable.
func endless(path string) {
	s, err := Open(path)
	if errors.Is(err, os.ErrNotExist) {
		s, err = Create(path, Header{CWD: "/w"}), nil
	}
	for i := 0; err == nil; i++ {
		_, err = s.Append(say(ai.RoleUser, strings.Repeat("x", i*37%3000)))
		err = errors.Join(err, s.Sync())
		fmt.Println(s.Len())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestKilledProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		cmd := child(t, "endless", path, "")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		durable := 0
		for n := r.IntN(30); n >= 0 && lines.Scan(); n-- {
			durable, _ = strconv.Atoi(lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			durable, _ = strconv.Atoi(lines.Text())
		}
		_ = cmd.Wait()
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() < durable || s.Len() > durable+1 || len(s.PathTo("")) != s.Len() {
			t.Fatalf("round %d: %d entries, %d were durable, path of %d", round, s.Len(), durable, len(s.PathTo("")))
		}
		if err := s.Acquire(); err != nil {
			t.Fatalf("round %d: the lock of the dead process holds: %v", round, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

const promptsEach = 500

// prompts opens the session for each prompt, as two programs that take turns do.
func prompts(path, name string) {
	for i := 0; i < promptsEach; {
		s, err := Open(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_, err = s.Append(say(ai.RoleUser, fmt.Sprintf("%s %d %s", name, i, strings.Repeat(name, 100))))
		switch {
		case err == nil:
			i++
		case errors.Is(err, ErrLocked) || strings.Contains(err.Error(), "has changed on disk"):
			s.Discard()
			time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		default:
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := s.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(0)
}

func TestTwoProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	s := Create(path, Header{CWD: "/w"})
	mustAppend(t, s, say(ai.RoleUser, "begin"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var cmds []*exec.Cmd
	for _, name := range []string{"a", "b"} {
		cmd := child(t, "prompts", path, name)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) {
		if !json.Valid(line) {
			t.Fatalf("line %d is mixed: %.100s", i+1, line)
		}
	}
	s, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Len() != 1+2*promptsEach || len(s.PathTo("")) != s.Len() || len(s.Problems()) > 0 {
		t.Errorf("%d entries, path of %d, %v", s.Len(), len(s.PathTo("")), s.Problems())
	}
	next := map[string]int{"a": 0, "b": 0}
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Messages[1:] {
		var name string
		var n int
		if _, err := fmt.Sscanf(ai.ContentText(m.(*ai.UserMessage).Content), "%s %d", &name, &n); err != nil || next[name] != n {
			t.Fatalf("prompt %q, want number %d of %s", ai.ContentText(m.(*ai.UserMessage).Content)[:20], next[name], name)
		}
		next[name]++
	}
}
