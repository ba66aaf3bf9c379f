package library

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/session/store"
)

const odd = `{"type":"session","version":3,"id":"old-id","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","later":1}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"hi","timestamp":1}}
not json
{"type":"future","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","x":[1]}
{"type":"message","id":"c","parentId":"b","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"no newline","timestamp":1}}`

func TestForkOfAWholeFile(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "src.jsonl")
	writeText(t, src, odd)
	l := Library{Base: filepath.Join(dir, "sessions")}
	ref, err := l.Fork(src, "/here")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(ref.Path)
	if err != nil {
		t.Fatal(err)
	}
	_, wantBody, _ := strings.Cut(odd, "\n")
	head, body, _ := strings.Cut(string(b), "\n")
	if body != wantBody+"\n" {
		t.Errorf("body\n%s", body)
	}
	h, err := store.ReadHeader(ref.Path)
	if err != nil || h.CWD != "/here" || h.ParentSession != src || h.ID == "old-id" || h.ID != ref.ID || h.Version != 3 {
		t.Errorf("header %s (%v)", head, err)
	}
	if after, _ := os.ReadFile(src); string(after) != odd {
		t.Error("the source changed")
	}
	if found, err := l.Find("/here", ref.ID[:30]); err != nil || found.Path != ref.Path {
		t.Errorf("the fork is not found: %v", err)
	}
	// Version 1 is brought up to date on the way.
	v1 := filepath.Join(dir, "v1.jsonl")
	writeText(t, v1, `{"type":"session","id":"one","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}
{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"old","timestamp":1}}
`)
	if ref, err = l.Fork(v1, "/here"); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(ref.Path)
	if err != nil || st.Len() != 1 || st.Header().Version != 3 || len(st.Problems()) > 0 {
		t.Errorf("fork of a version 1 file: %v", err)
	}
	not := filepath.Join(dir, "not.jsonl")
	writeText(t, not, "{\"type\":\"other\"}\n")
	if _, err := l.Fork(not, "/here"); !errors.Is(err, store.ErrNotSession) {
		t.Errorf("forked something else: %v", err)
	}
}

func TestImport(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "2026_x.jsonl")
	writeText(t, src, odd)
	l := Library{Base: filepath.Join(dir, "sessions")}
	for _, want := range []string{"2026_x.jsonl", "2026_x-1.jsonl", "2026_x-2.jsonl"} {
		ref, err := l.Import(src)
		if err != nil {
			t.Fatal(err)
		}
		if ref.Path != filepath.Join(l.Folder("/w"), want) || ref.ID != "old-id" || ref.CWD != "/w" {
			t.Errorf("imported as %+v, want %s", ref, want)
		}
		if b, _ := os.ReadFile(ref.Path); string(b) != odd {
			t.Error("the copy differs")
		}
		if again, err := l.Import(ref.Path); err != nil || again.Path != ref.Path {
			t.Errorf("import of what is there: %+v %v", again, err)
		}
	}
	for _, bad := range []string{dir, filepath.Join(dir, "missing.jsonl")} {
		if _, err := l.Import(bad); err == nil {
			t.Errorf("imported %s", bad)
		}
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
