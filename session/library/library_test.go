package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFolderNames(t *testing.T) {
	l := Library{Base: "/b"}
	for in, want := range map[string]string{
		"/home/me/src": "/b/--home-me-src--",
		`C:\Users\me`:  "/b/--C--Users-me--",
		"/":            "/b/----",
		"/a-b/c":       "/b/--a-b-c--",
		"/a/b-c":       "/b/--a-b-c--",
	} {
		if got := filepath.ToSlash(l.Folder(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	if got := filepath.Base(l.NewPath("/x", "id", at)); got != "2026-01-02T03-04-05-678Z_id.jsonl" {
		t.Error(got)
	}
}

func TestValidID(t *testing.T) {
	for id, want := range map[string]bool{"a": true, "a.b_c-1": true, "": false, "-a": false, "a-": false, "a/b": false, "../x": false} {
		if ValidID(id) != want {
			t.Errorf("%q", id)
		}
	}
}

func write(t *testing.T, l Library, cwd, folder, id string, age time.Duration) string {
	t.Helper()
	at := time.Now().Add(-age)
	path := l.NewPath(folder, id, at)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"t","cwd":%q}`+"\n", id, cwd)
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRecentAndFind(t *testing.T) {
	l := Library{Base: t.TempDir()}
	if _, err := l.Recent("/w"); !errors.Is(err, ErrNone) {
		t.Errorf("empty library: %v", err)
	}
	write(t, l, "/w/a-b/c", "/w/a-b/c", "aa11", time.Hour)
	newer := write(t, l, "/w/a/b-c", "/w/a/b-c", "aa22", time.Minute)
	other := write(t, l, "/elsewhere", "/elsewhere", "bb33", 0)
	// Not sessions, and newer than all.
	dir := l.Folder("/w/a/b-c")
	for name, body := range map[string]string{"x.jsonl": "{}", "y.txt": "", "z_aa99.jsonl": "garbage"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := l.Recent("/w/a-b/c"); err != nil || r.ID != "aa11" {
		t.Errorf("the folder with the same name was taken: %v %v", r, err)
	}
	if r, err := l.Recent("/w/a/b-c"); err != nil || r.Path != newer {
		t.Errorf("%v %v", r, err)
	}
	if r, err := l.Find("/w/a/b-c", "aa"); err != nil || r.ID != "aa22" {
		t.Errorf("prefix in the folder: %v %v", r, err)
	}
	if r, err := l.Find("/w/a/b-c", "bb33"); err != nil || r.Path != other {
		t.Errorf("other folder: %v %v", r, err)
	}
	if _, err := l.Find("/nowhere", "aa"); err == nil || !strings.Contains(err.Error(), "not unique") {
		t.Errorf("ambiguous: %v", err)
	}
	if _, err := l.Find("/nowhere", "zz"); err == nil {
		t.Error("found what is not there")
	}
}

func TestLinkedFolderIsTheSameProject(t *testing.T) {
	l := Library{Base: t.TempDir()}
	real := filepath.Join(t.TempDir(), "real")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	cwd := RealCWD(link)
	write(t, l, cwd, cwd, "id1", 0)
	if r, err := l.Recent(RealCWD(real)); err != nil || r.ID != "id1" {
		t.Errorf("%v %v", r, err)
	}
}
