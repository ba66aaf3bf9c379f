package finder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"tau/ai"
	"tau/session/library"
	"tau/session/store"
)

// sessions is a library with named sessions made of texts.
type sessions struct {
	t   *testing.T
	lib library.Library
}

func newSessions(t *testing.T) *sessions {
	return &sessions{t, library.Library{Base: t.TempDir()}}
}

func (l *sessions) add(cwd, id, parent string, day int, texts ...string) string {
	l.t.Helper()
	at := time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
	path := l.lib.NewPath(cwd, id, at)
	s := store.Create(path, store.Header{ID: id, CWD: cwd, ParentSession: parent, Timestamp: at.Format(time.RFC3339)})
	for i, text := range texts {
		var m ai.Message = &ai.UserMessage{Content: ai.TextBlocks(text)}
		if i%2 == 1 {
			m = &ai.AssistantMessage{Content: ai.TextBlocks(text), StopReason: ai.StopEnd}
		}
		e := &store.MessageEntry{Message: m}
		e.Timestamp = at.Add(time.Duration(i) * time.Minute).Format(time.RFC3339)
		if _, err := s.Append(e); err != nil {
			l.t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		l.t.Fatal(err)
	}
	return path
}

func (l *sessions) list(cwd string) map[string]Session {
	l.t.Helper()
	rows := map[string]Session{}
	if err := List(context.Background(), l.lib, cwd, func(s Session) { rows[s.ID] = s }); err != nil {
		l.t.Fatal(err)
	}
	return rows
}

func TestRows(t *testing.T) {
	l := newSessions(t)
	l.add("/w", "short", "", 2, "first  line\nsecond", "answer")
	long := l.add("/w", "long", "", 3, "begin "+strings.Repeat("é\\\"", 200_000), strings.Repeat("x", 300_000), "middle", strings.Repeat("y", 300_000), "end")
	l.add("/w-x", "elsewhere", "", 4, "other")
	l.add("/w/x", "alike", "", 5, "the folder of this one looks the same")
	writeFile(t, filepath.Join(l.lib.Folder("/w"), "not.jsonl"), "{\"type\":\"other\"}\n")
	writeFile(t, filepath.Join(l.lib.Folder("/w"), "empty.jsonl"), "")
	if err := os.MkdirAll(filepath.Join(l.lib.Folder("/w"), "dir.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(long)
	if err := Rename(long, "my\nname"); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.Stat(long); !after.ModTime().Equal(before.ModTime()) {
		t.Error("renaming changed the time of the file")
	}

	rows := l.list("/w")
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	s := rows["short"]
	if s.First != "first line second" || s.Messages != 2 || !s.Whole || s.CWD != "/w" || s.Created.Day() != 2 || s.Modified.Minute() != 1 {
		t.Errorf("short: %+v", s)
	}
	s = rows["long"]
	if s.Name != "my name" || s.Messages != 5 || !s.Whole || s.Modified.Minute() != 4 || !strings.HasPrefix(s.First, `begin é\"é\"`) || len([]rune(s.First)) != textRunes {
		t.Errorf("long: %+v", s)
	}
	if rows = l.list("/w-x"); len(rows) != 1 || rows["elsewhere"].ID == "" {
		t.Errorf("a folder with a name like another: %v", rows)
	}
	if rows = l.list(""); len(rows) != 4 {
		t.Errorf("%d rows in all folders", len(rows))
	}
	if rows = l.list("/nowhere"); len(rows) != 0 {
		t.Errorf("%d rows in a folder without sessions", len(rows))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := List(ctx, l.lib, "", func(Session) { t.Error("a row after the end") }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestThreads(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	rows := []Session{
		{ID: "a", Path: "/a", Modified: day(1)},
		{ID: "b", Path: "/b", Modified: day(5)},
		{ID: "a1", Path: "/a1", ParentSession: "/a", Modified: day(3)},
		{ID: "a2", Path: "/a2", ParentSession: "/a", Modified: day(6)},
		{ID: "a11", Path: "/a11", ParentSession: "/a1", Modified: day(2)},
		{ID: "lost", Path: "/lost", ParentSession: "/gone", Modified: day(4)},
		{ID: "x", Path: "/x", ParentSession: "/y", Modified: day(2)},
		{ID: "y", Path: "/y", ParentSession: "/x", Modified: day(1)},
	}
	var got []string
	for _, s := range Threads(rows) {
		got = append(got, fmt.Sprint(s.ID, s.Depth))
	}
	if s := strings.Join(got, " "); s != "a0 a21 a11 a112 b0 lost0 x0 y1" {
		t.Errorf("got %s", s)
	}
}

func TestSearch(t *testing.T) {
	l := newSessions(t)
	l.add("/w", "one", "", 1, "please fix the Parser", "the parser said \"unexpected EOF\" in line 3")
	l.add("/w", "two", "", 2, "nothing here", "a parser\nof numbers")
	l.add("/w", "three", "", 3, "日本語のテスト", "Привет, мир")
	big := l.add("/w", "big", "", 4, strings.Repeat("filler ", 20_000), strings.Repeat("z", 100_000), "a needle at the end", "ok")
	if err := Rename(big, "Haystack"); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(l.lib.Folder("/w"), "not.jsonl"), "{\"type\":\"other\"}\n{\"type\":\"message\",\"text\":\"parser\"}\n")
	paths, err := Paths(l.lib, "")
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"parser":                  "one two",
		"PARSER fix":              "one",
		`"the parser"`:            "one",
		`"a parser of"`:           "",
		`"unexpected eof"`:        "one",
		`"said \"`:                "",
		"parser nowhere":          "",
		"日本語":                     "three",
		"привет":                  "three",
		"ПРИВЕТ":                  "three",
		"needle":                  "big",
		"filler needle haystack":  "big",
		`re:line \d`:              "one",
		`re:^a parser$`:           "",
		`re:(fix|numbers)`:        "one two",
		`re:unexpected\s+(EOF|x)`: "one",
		"":                        "",
		"toolresult":              "",
	} {
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = searchIn(context.Background(), paths, q, 64<<10, func(r Result) {
			_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(r.Path), ".jsonl"), "_")
			got = append(got, id)
			for _, h := range r.Hits {
				if h.From < 0 || h.To > len(h.Text) || h.From >= h.To || strings.Contains(h.Text, "\n") || h.EntryID == "" {
					t.Errorf("%s: hit %+v", query, h)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		sort.Strings(got)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: found in %q, want %q", query, s, want)
		}
	}
	if _, err := Parse("re:("); err == nil {
		t.Error("a bad expression was taken")
	}
}

func TestExcerpts(t *testing.T) {
	l := newSessions(t)
	l.add("/w", "one", "", 1, strings.Repeat("語", 100)+"\nthe  Key\tword\n"+strings.Repeat("é", 200))
	paths, _ := Paths(l.lib, "")
	q, _ := Parse("key")
	err := Search(context.Background(), paths, q, func(r Result) {
		h := r.Hits[0]
		if h.Text[h.From:h.To] != "Key" || !strings.HasPrefix(h.Text, "…語") || !strings.Contains(h.Text, " the  Key word é") || h.Role != ai.RoleUser {
			t.Errorf("%+v", h)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRank(t *testing.T) {
	rows := []Session{
		{ID: "1", Name: "Parser work", CWD: "/src/tau"},
		{ID: "2", First: "about a parser", CWD: "/src/tau"},
		{ID: "3", CWD: "/p/a/r/s/e/r"},
		{ID: "4", CWD: "/other"},
	}
	q, _ := Parse("parser")
	var ranks []int
	for _, s := range rows {
		ranks = append(ranks, q.Rank(s))
	}
	if !(ranks[0] > ranks[1] && ranks[1] > ranks[2] && ranks[2] > 0 && ranks[3] == 0) {
		t.Errorf("ranks %v", ranks)
	}
}

func TestDelete(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no trash
	l := newSessions(t)
	path := l.add("/w", "one", "", 1, "hi")
	ctx := context.Background()
	if _, err := Delete(ctx, path, path); !errors.Is(err, ErrOpen) {
		t.Errorf("the current session: %v", err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Acquire(); err != nil {
		t.Fatal(err)
	}
	if _, err := Delete(ctx, path, ""); !errors.Is(err, ErrOpen) {
		t.Errorf("an open session: %v", err)
	}
	if err := Rename(path, "x"); !errors.Is(err, ErrOpen) {
		t.Errorf("rename of an open session: %v", err)
	}
	s.Close()
	other := filepath.Join(t.TempDir(), "other.jsonl")
	writeFile(t, other, "{}\n")
	if _, err := Delete(ctx, other, ""); !errors.Is(err, store.ErrNotSession) {
		t.Errorf("another file: %v", err)
	}
	if trashed, err := Delete(ctx, path, ""); err != nil || trashed {
		t.Errorf("delete: %v %v", trashed, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("it is still there")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a b", `"a b`, `re:a+(b|c)`, `"é" É`, "re:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := Parse(s)
		if err != nil {
			return
		}
		text := s + " and more"
		for _, term := range q.terms {
			if from, to, ok := term.find(text, lowered(text)); ok && (from < 0 || to < from || to > len(text)) {
				t.Errorf("%q: %d %d", s, from, to)
			}
		}
		q.Rank(Session{Name: s})
	})
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestIndexFold(t *testing.T) {
	for _, tt := range []struct {
		text, pattern string
		from, want    int
	}{
		{"a Needle", "needle", 0, 2}, {"a needle NEEDLE", "needle", 3, 9}, {"needl", "needle", 0, -1}, {"x", "", 0, 0}, {"x", "", 1, -1},
		{"zzZ", "zz", 1, 1}, {"語a", "a", 0, 3}, {"語é", "語é", 0, 0}, {"[x]", "]", 0, 2}, {"{", "[", 0, -1}, {"@", "`", 0, -1},
	} {
		if got := indexFold([]byte(tt.text), []byte(tt.pattern), tt.from); got != tt.want {
			t.Errorf("%q in %q from %d: %d, want %d", tt.pattern, tt.text, tt.from, got, tt.want)
		}
	}
}

func TestInText(t *testing.T) {
	line := []byte(`{"type":"message","id":"abc","message":{"role":"toolResult","content":[{"type":"text","text":"say \"Hi\" \\"},{"type":"image","data":"HIDDEN"}],"details":{"k":"deep"}}}`)
	for pattern, want := range map[string]bool{
		"message": false, "abc": false, "toolresult": false, "say": true, `\"hi\"`: true, "hidden": false, "deep": true, "content": false, "text": false, `\\`: true, "nowhere": false,
	} {
		if got := inText(line, []byte(pattern)); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
}
