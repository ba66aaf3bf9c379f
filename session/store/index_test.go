package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tau/ai"
)

// large writes a session that is large enough to be indexed.
func large(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	s := Create(path, Header{CWD: "/w"})
	var ids []string
	for i := range 40 {
		ids = append(ids, mustAppend(t, s, say(ai.RoleUser, fmt.Sprint(i, strings.Repeat(" x", 110_000)))))
		if i == 20 {
			if err := s.SetLeaf(ids[7]); err != nil {
				t.Fatal(err)
			}
		}
	}
	mustAppend(t, s, &LabelEntry{TargetID: ids[3], Label: "three"})
	mustAppend(t, s, &InfoEntry{Name: "large"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// shape is all that the index holds.
func shape(t *testing.T, path string) string {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return fmt.Sprint(s.nodes, s.leaf, s.labels, s.name, s.newline, s.problems, len(s.byID))
}

func TestTheIndexSaysWhatTheFileSays(t *testing.T) {
	path := large(t)
	index := IndexPath(path)
	good, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	with := shape(t, path)
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	if without := shape(t, path); with != without {
		t.Errorf("with the index\n%s\nwithout\n%s", with, without)
	}
	// Reading it through made it anew.
	if again, err := os.ReadFile(index); err != nil || !bytes.Equal(again, good) {
		t.Errorf("the index was not made again: %v", err)
	}

	// Another program adds to the file.
	s, err := Open(path)
	if err != nil || s.indexed == 0 {
		t.Fatal("the index was not used", err)
	}
	id := mustAppend(t, s, say(ai.RoleUser, "one more"))
	n := s.Len()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path); err != nil || s.indexed == 0 || s.Len() != n || s.Leaf() != id || s.Label(s.nodes[3].id) != "three" {
		t.Fatalf("after an append: %v, %d entries", err, s.Len())
	}
	s.Close()
}

func TestAnIndexThatDoesNotFit(t *testing.T) {
	path := large(t)
	index := IndexPath(path)
	good, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	want := shape(t, path)
	for name, bad := range map[string][]byte{
		"empty": {}, "another file": []byte("hello"), "cut": good[:len(good)-3], "longer": append(bytes.Clone(good), 1),
		"other numbers": append(bytes.Clone(good[:40]), bytes.Repeat([]byte{0xff}, 200)...),
	} {
		if err := os.WriteFile(index, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := shape(t, path); got != want {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
	// The file was cut shorter, by hand.
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	if err := os.WriteFile(index, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Join(lines[:40], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(path); err != nil || s.Len() != 39 || s.indexed != 0 {
		t.Errorf("%v", err)
	} else {
		s.Close()
	}
	// An entry in the middle was replaced by a shorter and a longer one.
	lines[5], lines[6] = lines[5][:len(lines[5])-100], append(bytes.Repeat([]byte(" "), 100), lines[6]...)
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, good, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Context(); err != nil && errors.Is(err, os.ErrInvalid) {
		t.Error(err)
	}
}

func FuzzIndex(f *testing.F) {
	s := Create("", Header{})
	for range 3 {
		if _, err := s.Append(say(ai.RoleUser, "x")); err != nil {
			f.Fatal(err)
		}
	}
	for i := range s.nodes {
		s.nodes[i].off, s.nodes[i].size = int64(i*10), 9
	}
	s.end = 100
	file := bytes.NewReader(make([]byte, 100))
	sum, err := tailHash(file, 100)
	if err != nil {
		f.Fatal(err)
	}
	good := s.encodeIndex(sum)
	f.Add(good)
	f.Fuzz(func(t *testing.T, b []byte) {
		r := Create("", Header{})
		end, err := r.decodeIndex(b, file, 0, 100)
		if err != nil {
			return
		}
		for i, n := range r.nodes {
			if n.parent >= int32(len(r.nodes)) || n.off < 0 || n.off+int64(n.size) > end {
				t.Errorf("node %d: %+v", i, n)
			}
		}
		if bytes.Equal(b, good) && !reflect.DeepEqual(r.nodes, s.nodes) {
			t.Errorf("got %v, want %v", r.nodes, s.nodes)
		}
	})
}
