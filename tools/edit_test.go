package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tau/agent"
	"tau/ai"
)

// run calls a tool the way the agent does: prepare, then execute.
func run(t *testing.T, tool *agent.Tool, args any) (agent.Result, error) {
	t.Helper()
	raw, ok := args.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(args); err != nil {
			t.Fatal(err)
		}
	}
	if tool.Prepare != nil {
		var err error
		if raw, err = tool.Prepare(raw); err != nil {
			return agent.Result{}, err
		}
	}
	return tool.Execute(context.Background(), agent.Call{Args: raw}, func(agent.Result) {})
}

func TestEditCases(t *testing.T) {
	var cases []struct {
		ID           string
		Before       *string
		BeforeBase64 string `json:"before_base64"`
		Edits        json.RawMessage
		After        *string
		AfterBase64  string `json:"after_base64"`
		Error        string
		AcceptError  bool `json:"accept_error"`
	}
	b, err := os.ReadFile("testdata/edit_cases.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	words := map[string]string{
		"not_unique": "occurs 2 times", "overlap": "edits[0] and edits[1] overlap", "no_change": "the same",
		"empty_old_text": "is empty", "not_found": "not found", "no_edits": "no edits",
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			before, after := []byte(nil), []byte(nil)
			if c.Before != nil {
				before = []byte(*c.Before)
			} else {
				before, _ = base64.StdEncoding.DecodeString(c.BeforeBase64)
			}
			if c.After != nil {
				after = []byte(*c.After)
			} else {
				after, _ = base64.StdEncoding.DecodeString(c.AfterBase64)
			}
			dir := t.TempDir()
			path := filepath.Join(dir, "f.txt")
			if err := os.WriteFile(path, before, 0o644); err != nil {
				t.Fatal(err)
			}
			stat, _ := os.Stat(path)
			// The agent mends a single object into a list before the tool runs.
			edits := c.Edits
			if edits[0] == '{' {
				edits = json.RawMessage("[" + string(edits) + "]")
			}
			_, err := run(t, New(Options{CWD: dir}).edit(), json.RawMessage(fmt.Sprintf(`{"path":"f.txt","edits":%s}`, edits)))
			got, _ := os.ReadFile(path)
			if c.Error != "" {
				if err == nil || !strings.Contains(err.Error(), words[c.Error]) {
					t.Errorf("error %v, want %q", err, words[c.Error])
				}
				if now, _ := os.Stat(path); !bytes.Equal(got, before) || !now.ModTime().Equal(stat.ModTime()) {
					t.Error("the file was touched")
				}
				return
			}
			if err != nil {
				if !c.AcceptError || !bytes.Equal(got, before) {
					t.Error(err)
				}
				return
			}
			if !bytes.Equal(got, after) {
				t.Errorf("got  %q\nwant %q", got, after)
			}
		})
	}
}

func TestApplyEdits(t *testing.T) {
	for _, tt := range []struct {
		name, text, old, new, want, err string
	}{
		{"indent missing in the edit", "func f() {\n\tif x {\n\t\ta()\n\t}\n}\n", "if x {\n\ta()\n}", "if y {\n\tb()\n\tc()\n}", "func f() {\n\tif y {\n\t\tb()\n\t\tc()\n\t}\n}\n", ""},
		{"indent too much in the edit", "a:\n  b: 1\n  c: 2\n", "    b: 1\n    c: 2", "    b: 1\n    c: 3\n    d: 4", "a:\n  b: 1\n  c: 3\n  d: 4\n", ""},
		{"indent shift must be uniform", "  a\n    b\n", "a\nb", "x\ny", "", "not found"},
		{"indent shift in two places", "  a()\n\n    a()\n", "a() \n", "b()\n", "", "occurs 2 times"},
		{"blank lines do not need the indent", "\tx {\n\n\t\ty\n\t}\n", "x {\n\n\ty\n}", "x {\n\n\tz\n}", "\tx {\n\n\t\tz\n\t}\n", ""},
		{"look-alikes inside a line", "a “b” c\n", `"b"`, `"d"`, "a \"d\" c\n", ""},
		{"look-alikes keep lines that do not change", "“one”\n“two”\n“three”\n", "\"one\"\n\"two\"\n\"three\"", "\"one\"\n\"2\"\n\"three\"", "“one”\n\"2\"\n“three”\n", ""},
		{"trailing blanks of kept lines stay", "a  \nb  \nc  \n", "a\nb\nc", "a\nx\nc", "a  \nx\nc  \n", ""},
		{"no end at the last line", "a\nb", "b\n", "c\n", "a\nc", ""},
		{"CR line ends", "a\rb\rc\r", "b", "x\ny", "a\rx\ry\rc\r", ""},
		{"CRLF in a new text", "a\nb\n", "b", "x\r\ny", "a\nx\ny\n", ""},
		{"CRLF insert", "a\r\nb\r\n", "a\n", "a\nnew\n", "a\r\nnew\r\nb\r\n", ""},
		{"lines of both kinds keep theirs", "a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", "a\r\nB\r\nc\r\n", ""},
		{"overlapping places are two", "aaa\n", "aa", "b", "", "occurs 2 times"},
		{"fullwidth forms", "ｆｏｏ = 1\n", "foo = 1", "foo = 2", "foo = 2\n", ""},
		{"file of one look-alike", "—", "-", "+", "+", ""},
		{"nearest passage", "one\ntwo words here\nthree\n", "two words there\nthree", "x", "", "     2  two words here\n     3  three"},
		{"invalid bytes stay", "\xff\xfe\x80 = 1\nb = 1\n", "b = 1", "b = 2", "\xff\xfe\x80 = 1\nb = 2\n", ""},
		{"blank only", "\n\n\n", "  \n", "x\n", "", "not found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ApplyEdits(tt.text, []Edit{{tt.old, tt.new}})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %q, error %v, want %q", got, err, tt.err)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("got  %q %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

func TestEditKeepsEncodingModeAndLink(t *testing.T) {
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	u16 := encodeUTF16("größe = 1\r\n", littleEndian())
	for name, c := range map[string]struct{ before, after []byte }{
		"utf16.txt": {u16, encodeUTF16("größe = 2\r\n", littleEndian())},
		"bom.txt":   {[]byte("\xef\xbb\xbfgröße = 1\n"), []byte("\xef\xbb\xbfgröße = 2\n")},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.before, 0o755); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, "link-"+name)
		if err := os.Symlink(name, link); err != nil {
			t.Skip(err)
		}
		if _, err := run(t, set.edit(), editArgs{"link-" + name, []Edit{{"größe = 1", "größe = 2"}}}); err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(path)
		if !bytes.Equal(got, c.after) {
			t.Errorf("%s: %q want %q", name, got, c.after)
		}
		if st, _ := os.Lstat(link); st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: the link was replaced", name)
		}
		if st, _ := os.Stat(path); st.Mode().Perm() != 0o755 {
			t.Errorf("%s: mode %v", name, st.Mode())
		}
	}
	latin := filepath.Join(dir, "latin.txt")
	if err := os.WriteFile(latin, []byte("caf\xe9\nx\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, set.edit(), editArgs{"latin.txt", []Edit{{"x", "ü"}}}); err == nil {
		t.Error("text of another encoding was put into a Latin-1 file")
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".tau-*"))
	if len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestRefusalsOfEditAndWrite(t *testing.T) {
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	if err := os.WriteFile(filepath.Join(dir, "ro.txt"), []byte("x\n"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, edit, write string }{
		{"sub", "It is a directory", "it is a directory"},
		{"ro.txt", "It is read-only", "it is read-only"},
		{"none.txt", "It does not exist", ""},
		{"ro.txt/x", "not a directory", "not a directory"},
	} {
		_, err := run(t, set.edit(), editArgs{tt.path, []Edit{{"x", "y"}}})
		if err == nil || !strings.Contains(err.Error(), tt.edit) || !strings.Contains(err.Error(), tt.path) {
			t.Errorf("edit %s: %v", tt.path, err)
		}
		if tt.write == "" {
			continue
		}
		if _, err := run(t, set.write(), writeArgs{tt.path, "x"}); err == nil || !strings.Contains(err.Error(), tt.write) {
			t.Errorf("write %s: %v", tt.path, err)
		}
	}
}

func TestWriteExactBytes(t *testing.T) {
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	for _, content := range []string{"", "x", "a\r\nb\r\n", "👍"} {
		r, err := run(t, set.write(), writeArgs{"a/b/c.txt", content})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "a/b/c.txt")); string(got) != content {
			t.Errorf("got %q want %q", got, content)
		}
		if text := ai.ContentText(r.Content); !strings.Contains(text, fmt.Sprintf("%d bytes", len(content))) {
			t.Error(text)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "unread"), []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := run(t, set.write(), writeArgs{"unread", "x"})
	if err != nil || !strings.Contains(ai.ContentText(r.Content), "had not read") {
		t.Errorf("%v %v", r, err)
	}
}

func TestEditDetails(t *testing.T) {
	before := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n"
	after := strings.Replace(strings.Replace(before, "5\n", "five\n", 1), "15\n", "", 1)
	d := editDetails("f.txt", before, after)
	want := "  1 1\n  2 2\n  3 3\n  4 4\n- 5 5\n+ 5 five\n  6 6\n  7 7\n  8 8\n  9 9\n    ...\n 11 11\n 12 12\n 13 13\n 14 14\n-15 15\n 16 16"
	if d.Diff != want || d.FirstChangedLine != 5 {
		t.Errorf("first changed line %d\n%s\nwant\n%s", d.FirstChangedLine, d.Diff, want)
	}
	if want := "--- f.txt\n+++ f.txt\n@@ -1,9 +1,9 @@\n"; !strings.HasPrefix(d.Patch, want) {
		t.Errorf("patch\n%s", d.Patch)
	}
	if d := editDetails("f", "a", "b"); !strings.Contains(d.Patch, "-a\n\\ No newline at end of file\n+b\n") {
		t.Errorf("patch\n%s", d.Patch)
	}
}

// Three edits, a write and reads of one file at once must leave the bytes of
// some order, and the edits of a line that only one of them changes must all
// land.
func TestMutationsAreSerialised(t *testing.T) {
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	path := filepath.Join(dir, "f.txt")
	if err := os.Symlink("f.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Skip(err)
	}
	for range 100 {
		if err := os.WriteFile(path, []byte("a=0\nb=0\nc=0\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i, k := range []string{"a", "b", "c"} {
			wg.Go(func() {
				name := []string{"f.txt", "link.txt", path}[i]
				if _, err := run(t, set.edit(), editArgs{name, []Edit{{k + "=0", k + "=1"}}}); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if b, err := os.ReadFile(path); err != nil || len(b) != 12 {
					t.Errorf("read %q %v", b, err)
				}
			})
		}
		wg.Wait()
		if got, _ := os.ReadFile(path); string(got) != "a=1\nb=1\nc=1\n" {
			t.Fatalf("%q", got)
		}
	}
	if n := len(set.changes.lines); n != 0 {
		t.Errorf("%d queues are left", n)
	}
}

func FuzzApplyEdits(f *testing.F) {
	f.Add("a\r\nb\n“c”\n", "\"c\"", "d\ne")
	f.Add("  x\n\ty\n", "x\ny", "z")
	f.Fuzz(func(t *testing.T, text, old, new string) {
		got, err := ApplyEdits(text, []Edit{{old, new}})
		if err != nil {
			return
		}
		// An exact, unique text is replaced and nothing else happens.
		if strings.Count(text, old) == 1 && !strings.ContainsAny(text+old+new, "\r") && !strings.Contains(new, "\ufffd") {
			if want := strings.Replace(text, old, new, 1); got != want && len(all(text, old)) == 1 && strings.ToValidUTF8(new, "") == new {
				t.Errorf("%q with %q for %q: got %q want %q", text, new, old, got, want)
			}
		}
	})
}

func BenchmarkEdit20MB(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "big.txt")
	for _, shape := range []struct{ name, text string }{
		{"lines", strings.Repeat("some line of text that is not very long\n", 500_000)},
		{"oneline", strings.Repeat("some text without an end ", 800_000)},
	} {
		b.Run(shape.name, func(b *testing.B) {
			half := len(shape.text) / 2
			text := shape.text[:half] + "NEEDLE" + shape.text[half:]
			set := New(Options{CWD: dir})
			for b.Loop() {
				b.StopTimer()
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if _, err := set.runEdit(context.Background(), editArgs{path, []Edit{{"NEEDLE", "needle"}}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func littleEndian() binary.ByteOrder { return binary.LittleEndian }
