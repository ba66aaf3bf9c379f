package tools

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// cleaned feeds text in pieces of n bytes.
func cleaned(text string, n int) (string, *output) {
	o := newOutput(nil)
	for at := 0; at < len(text); at += n {
		_, _ = o.Write([]byte(text[at:min(len(text), at+n)]))
	}
	o.finish()
	got, _, _ := o.snapshot()
	return got, o
}

func TestOutputIsClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "a\tb\nc\n", "a\tb\nc"},
		{"empty", "", ""},
		{"newlines only", "\n\n", "\n"},
		{"C-05 sequences", "A\x1b[2J\x1b[10;10HB\x1b[31mC\x1b[0m\x1b]0;title\aD\x1b[?1049hE\x1b[<35;59;1MF", "ABCDEF"},
		{"string ended by ST", "a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\c", "abc"},
		{"an open string ends with the line", "a\x1b]0;title\nb", "a\nb"},
		{"two-character escapes", "a\x1b(Bb\x1b7c\x1b=d", "abcd"},
		{"escape at the end", "a\x1b", "a"},
		{"C1 forms", "a\u009b31mb\u009d0;t\ac\u0085d", "abcd"},
		{"controls", "a\x00b\x07c\x7fd\x0ce", "abcde"},
		{"CRLF", "a\r\nb\r\n", "a\nb"},
		{"CR CR LF", "a\r\r\nb", "a\nb"},
		{"C-06 progress", "get 10%\rget 55%\rget 100%\ndone\n", "get 100%\ndone"},
		{"progress that erases", "one\r\x1b[Ktwo\r\x1b[Kthree\n", "three"},
		{"CR at the end", "abc\r", "abc"},
		{"backspace", "|\b/\b-\bdone", "done"},
		{"backspace stops at the line", "a\n\b\bb", "a\nb"},
		{"backspace over a wide character", "日\bx", "x"},
		{"characters", "日本 é 👍🏽\n", "日本 é 👍🏽"},
		{"invalid bytes once", "a\xff\xfe\xfdb", "a\ufffdb"},
		{"cut character", "a\xe6\x97b", "a\ufffdb"},
		{"cut character at the end", "a\xe6\x97", "a\ufffd"},
		{"lone surrogate", "a\xed\xa0\x80b", "a\ufffdb"},
		{"replacement character itself", "a\ufffd\ufffdb", "a\ufffd\ufffdb"},
		{"invalid bytes in a sequence", "a\x1b]0;\xff\xfe\ab", "ab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range []int{1 << 20, 1, 2, 3} {
				if got, _ := cleaned(tt.in, n); got != tt.want {
					t.Errorf("pieces of %d: got %q want %q", n, got, tt.want)
				}
			}
		})
	}
}

func TestOutputLimits(t *testing.T) {
	lines := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d\n", i+1)
		}
		return b.String()
	}
	x := strings.Repeat("x", maxBytes)
	for _, tt := range []struct {
		name, in   string
		want, note string // note without the path
		first      string // what the shown text begins with
	}{
		{name: "2000 lines", in: lines(2000)},
		{name: "2000 lines without an end", in: strings.TrimSuffix(lines(2000), "\n")},
		{name: "2001 lines", in: lines(2001), note: "Showing lines 2-2001 of 2001.", first: "2\n3\n"},
		{name: "200000 lines", in: lines(200000), note: "Showing lines 198001-200000 of 200000.", first: "198001\n"},
		{name: "exactly the bytes", in: x},
		{name: "exactly the bytes and an end", in: x + "\n"},
		{name: "a byte more", in: x + "y", note: "Showing the last 50.0KB of line 1, which has 50.0KB.", first: "xxx"},
		{name: "one long line", in: strings.Repeat("x", 300000), note: "Showing the last 50.0KB of line 1, which has 293.0KB.", first: "x"},
		{name: "one long line with an end", in: strings.Repeat("x", 300000) + "\n", note: "Showing the last 50.0KB of line 1, which has 293.0KB.", first: "x"},
		{name: "bytes before lines", in: strings.Repeat(strings.Repeat("y", 99)+"\n", 1000), note: "Showing lines 489-1000 of 1000 (50.0KB limit).", first: "y"},
		{name: "a long line before short ones", in: x + x + "\nend\n", note: "Showing lines 2-2 of 2 (50.0KB limit).", want: "end"},
		{name: "cut on a character", in: strings.Repeat("日", 100000), note: "Showing the last 50.0KB of line 1, which has 293.0KB.", first: "日"},
		{name: "much overwriting", in: "first\n" + strings.Repeat("progress 50%\r", 100000) + "done\n", want: "first\ndone"},
		{name: "a long line taken back", in: "first\n" + strings.Repeat("z", 500000) + "\rend", note: "Showing lines 2-2 of 2 (50.0KB limit).", want: "end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range []int{1 << 20, 1 << 16, 777} {
				got, o := cleaned(tt.in, n)
				_, cut, path := o.snapshot()
				note := o.note(cut, path)
				want := tt.note
				if want != "" {
					want = "[" + want + "]"
				}
				if note != want {
					t.Errorf("note %q want %q", note, want)
				}
				switch {
				case tt.want != "":
					if got != tt.want {
						t.Errorf("got %.80q want %q", got, tt.want)
					}
				case tt.note == "":
					if got != strings.TrimSuffix(tt.in, "\n") {
						t.Errorf("text of %d bytes was changed to %d bytes", len(tt.in), len(got))
					}
				case !strings.HasPrefix(got, tt.first) || len(got) > maxBytes || !utf8.ValidString(got):
					t.Errorf("%d bytes, begins %.40q", len(got), got)
				}
				if cut != nil && (cut.OutputBytes != len(got) || cut.OutputLines != countLines(got)) {
					t.Errorf("%+v for %d bytes, %d lines", cut, len(got), countLines(got))
				}
				if max := 2*keepTail + n; len(o.tail.text) > max {
					t.Errorf("%d bytes are held", len(o.tail.text))
				}
			}
		})
	}
}

func TestOutputLog(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	write := func(keep bool, text string) (*output, string) {
		o := newOutput(newSpill)
		for at := 0; at < len(text); at += 1000 {
			_, _ = o.Write([]byte(text[at:min(len(text), at+1000)]))
		}
		path := ""
		if keep {
			path = o.logPath()
		}
		o.finish()
		_, _, p := o.snapshot()
		return o, p + path
	}
	if o, path := write(false, "short\n"); path != "" || o.log != nil {
		t.Errorf("a short output has a log: %s", path)
	}
	big := strings.Repeat("\x1b[1mline\x1b[0m\xff\r\n", 5000)
	o, path := write(false, big)
	if got, err := os.ReadFile(path); err != nil || string(got) != big {
		t.Errorf("log of %d bytes, %v, want all %d", len(got), err, len(big))
	}
	if st, _ := os.Stat(path); st != nil && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if text, cut, p := o.snapshot(); !strings.Contains(o.note(cut, p), "Full output: "+path) {
		t.Errorf("%.80q", text)
	}
	if o, path := write(true, "short\n"); path == "" || o.raw != nil {
		t.Error("a log that was asked for is missing")
	} else if got, _ := os.ReadFile(path); string(got) != "short\n" {
		t.Errorf("%q", got)
	}
	o, path = write(false, strings.Repeat("progress 50%\r", 100000)+"done\n")
	if _, err := os.Stat(o.log.path); path != "" || !os.IsNotExist(err) {
		t.Errorf("a log that nobody needs is left: %q %v", path, err)
	}
}

type fullDisk struct{ room int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}
func (f *fullDisk) Close() error { return nil }

func TestOutputWithoutRoom(t *testing.T) {
	for _, tt := range []struct {
		create func() (*spill, error)
		want   string
	}{
		{func() (*spill, error) { return nil, errors.New("read-only file system") }, "The rest could not be kept: read-only file system]"},
		{func() (*spill, error) { return &spill{"/t/x.log", &fullDisk{100000}}, nil }, "Beginning of the output (no space left on device): /t/x.log]"},
	} {
		o := newOutput(tt.create)
		for range 100000 {
			_, _ = o.Write([]byte("a line\n"))
		}
		o.finish()
		text, cut, path := o.snapshot()
		if note := o.note(cut, path); !strings.HasSuffix(note, tt.want) || countLines(text) != 2000 {
			t.Errorf("%d lines, %s", countLines(text), note)
		}
		if cap(o.raw) > 1<<20 {
			t.Errorf("%d bytes are held", cap(o.raw))
		}
	}
}

func TestLogIsBounded(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	o := newOutput(newSpill)
	o.room = 100_001
	for range 50 {
		_, _ = o.Write(bytes.Repeat([]byte("0123456789\n"), 1000))
	}
	o.finish()
	_, cut, path := o.snapshot()
	if note := o.note(cut, path); !strings.Contains(note, "(a log holds 4.0GB): "+path) {
		t.Error(note)
	}
	if st, err := os.Stat(path); err != nil || st.Size() != 100_001 {
		t.Errorf("%v %v", st, err)
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\r\nc\bd\xe6\x97\xa5\xff\x1b]0;t\x1b\\\u009bm\n"), int64(1))
	f.Fuzz(func(t *testing.T, in []byte, seed int64) {
		whole, _ := cleaned(string(in), len(in)+1)
		o := newOutput(nil)
		r := rand.New(rand.NewSource(seed))
		for rest := in; len(rest) > 0; {
			n := 1 + r.Intn(len(rest))
			_, _ = o.Write(rest[:n])
			rest = rest[n:]
		}
		o.finish()
		got, _, _ := o.snapshot()
		if got != whole {
			t.Fatalf("in pieces %q, at once %q", got, whole)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("control character %q in %q", r, got)
			}
		}
		if n := bytes.Count(in, []byte("\n")); o.tail.lines != n {
			t.Fatalf("%d lines, want %d", o.tail.lines, n)
		}
	})
}

// The cost of what a command writes, from the pipe's pieces to text and log.
func BenchmarkOutput(b *testing.B) {
	b.Setenv("TMPDIR", b.TempDir())
	for name, line := range map[string]string{
		"plain": "drwxr-xr-x 12 root root 4096 Nov 30 19:16 a line of a listing\n",
		"color": "\x1b[32mPASS\x1b[0m a test of the package with \x1b[1mcolours\x1b[0m in it\n",
		"utf8":  "日本語のログの行です、これはかなり長いかもしれません\n",
	} {
		chunk := []byte(strings.Repeat(line, 64<<10/len(line)))
		b.Run(name, func(b *testing.B) {
			o := newOutput(newSpill)
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = o.Write(chunk)
			}
			o.finish()
			if o.log != nil {
				o.log.remove()
			}
		})
	}
}

func TestPrintable(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			b := []byte("  ~~az09")
			b[at] = byte(c)
			if got, want := printable(binary.LittleEndian.Uint64(b)), c >= 0x20 && c < 0x7f; got != want {
				t.Errorf("%#x at %d: %v", c, at, got)
			}
		}
	}
}
