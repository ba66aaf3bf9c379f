package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tau/ai"
	"tau/session/message"
)

func short(c Context) []string {
	out := []string{}
	for _, m := range c.Messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			out = append(out, "user:"+ai.ContentText(m.Content))
		case *ai.AssistantMessage:
			out = append(out, "assistant:"+ai.ContentText(m.Content))
		case *ai.ToolResultMessage:
			out = append(out, "toolResult:"+ai.ContentText(m.Content))
		case *message.CompactionSummary:
			out = append(out, "summary:"+m.Summary)
		}
	}
	return out
}

// The files of testdata/cases are sessions that were damaged or odd in the
// ways people have met; expected.json says what opening each must give.
func TestCases(t *testing.T) {
	var cases []struct {
		File   string
		Expect struct {
			Loads      *bool
			Entries    *int
			Leaf       string
			Context    []string
			ContextHas string
			Label      map[string]string
			Kept       []string
			Unchanged  bool
			MigratedTo int
		}
	}
	b, err := os.ReadFile("testdata/cases/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			before, err := os.ReadFile("testdata/cases/" + c.File)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), c.File)
			if err := os.WriteFile(path, before, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(path)
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("opening changed the file")
			}
			if c.Expect.Loads != nil && !*c.Expect.Loads {
				if !errors.Is(err, ErrNotSession) {
					t.Errorf("got error %v, want %v", err, ErrNotSession)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if c.Expect.Entries != nil && s.Len() != *c.Expect.Entries {
				t.Errorf("%d entries, want %d", s.Len(), *c.Expect.Entries)
			}
			if c.Expect.Leaf != "" && s.Leaf() != c.Expect.Leaf {
				t.Errorf("leaf %s, want %s", s.Leaf(), c.Expect.Leaf)
			}
			ctx, err := s.Context()
			if err != nil {
				t.Fatal(err)
			}
			got := short(ctx)
			if c.Expect.Context != nil && !reflect.DeepEqual(got, c.Expect.Context) {
				t.Errorf("context %q\nwant    %q", got, c.Expect.Context)
			}
			if want := c.Expect.ContextHas; want != "" && !strings.Contains(strings.Join(got, "\n"), want) {
				t.Errorf("context %q lacks %q", got, want)
			}
			for id, label := range c.Expect.Label {
				if s.Label(id) != label {
					t.Errorf("label of %s is %q, want %q", id, s.Label(id), label)
				}
			}
			for _, typ := range c.Expect.Kept {
				found := false
				for _, n := range s.Nodes() {
					found = found || n.Type == typ
				}
				if !found {
					t.Errorf("entry of type %s is gone", typ)
				}
			}
			appendAndReload(t, s, path, before, len(got))
		})
	}
}

// appendAndReload checks that a session goes on where it ended, with every old
// line as it was.
func appendAndReload(t *testing.T, s *Store, path string, before []byte, messages int) {
	t.Helper()
	id, err := s.Append(&MessageEntry{Message: &ai.UserMessage{Content: ai.TextBlocks("next")}})
	if err != nil {
		t.Fatal(err)
	}
	n := s.Len()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if old := s.Header().Version == 3 && bytes.Contains(before, []byte(`"version":3`)); old && !bytes.HasPrefix(after, before) {
		t.Error("appending changed what was there")
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, err := r.Context()
	if err != nil {
		t.Fatal(err)
	}
	got := short(ctx)
	if r.Len() != n || r.Leaf() != id || len(got) != messages+1 || got[len(got)-1] != "user:next" {
		t.Errorf("after an append: %d entries (want %d), leaf %s (want %s), context %q", r.Len(), n, r.Leaf(), id, got)
	}
}

func say(role ai.Role, text string) *MessageEntry {
	if role == ai.RoleUser {
		return &MessageEntry{Message: &ai.UserMessage{Content: ai.TextBlocks(text)}}
	}
	return &MessageEntry{Message: &ai.AssistantMessage{Content: ai.TextBlocks(text), StopReason: ai.StopEnd}}
}

func mustAppend(t *testing.T, s *Store, e Entry) string {
	t.Helper()
	id, err := s.Append(e)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestNothingOnDiskBeforeTheFirstMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "s.jsonl")
	s := Create(path, Header{CWD: "/w"})
	mustAppend(t, s, &ModelEntry{Provider: "p", ModelID: "m"})
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("file exists: %v", err)
	}
	mustAppend(t, s, say(ai.RoleUser, "hi"))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte("\n")); n != 3 {
		t.Errorf("%d lines, want header and two entries:\n%s", n, b)
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock file is left: %v", err)
	}
}

func TestBranches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	s := Create(path, Header{})
	mustAppend(t, s, say(ai.RoleUser, "a"))
	b := mustAppend(t, s, say(ai.RoleAssistant, "b"))
	mustAppend(t, s, say(ai.RoleUser, "c"))
	if err := s.SetLeaf(b); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, say(ai.RoleUser, "d"))
	mustAppend(t, s, &LabelEntry{TargetID: b, Label: "here"})
	mustAppend(t, s, &InfoEntry{Name: "my\ntalk"})
	if err := s.SetLeaf("nope"); err == nil {
		t.Error("moved to an entry that is not there")
	}
	s.Close()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, _ := r.Context()
	if got := strings.Join(short(ctx), " "); got != "user:a assistant:b user:d" {
		t.Error(got)
	}
	if r.Label(b) != "here" || r.Name() != "my talk" {
		t.Errorf("label %q name %q", r.Label(b), r.Name())
	}
	if got := len(r.PathTo(b)); got != 2 {
		t.Errorf("path to b has %d entries", got)
	}
}

func TestContextEditsAndState(t *testing.T) {
	s := Create("", Header{})
	mustAppend(t, s, &ModelEntry{Provider: "p", ModelID: "m"})
	mustAppend(t, s, &ThinkingEntry{ThinkingLevel: ai.ThinkingHigh})
	mustAppend(t, s, say(ai.RoleUser, "a"))
	bad := mustAppend(t, s, say(ai.RoleAssistant, "failed"))
	mustAppend(t, s, &ContextEditEntry{TargetID: bad, Replacement: json.RawMessage("null")})
	long := mustAppend(t, s, say(ai.RoleAssistant, "long"))
	mustAppend(t, s, &ContextEditEntry{TargetID: long, Replacement: json.RawMessage(`{"content":"cut"}`)})
	mustAppend(t, s, &CustomMessageEntry{CustomType: "x", Content: json.RawMessage(`"note"`)})
	ctx, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(short(ctx), " "); got != "user:a assistant:cut" {
		t.Error(got)
	}
	if len(ctx.Messages) != 3 || len(ctx.IDs) != 3 || ctx.IDs[1] != long {
		t.Errorf("%d messages, ids %v", len(ctx.Messages), ctx.IDs)
	}
	if ctx.Provider != "p" || ctx.ModelID != "m" || ctx.Thinking != ai.ThinkingHigh {
		t.Errorf("state %+v", ctx)
	}
}

func TestCyclesAndDuplicatesEnd(t *testing.T) {
	head := `{"type":"session","version":3,"id":"x","timestamp":"t","cwd":"/"}` + "\n"
	line := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"t","message":{"role":"user","content":%q}}`+"\n", id, parent, id)
	}
	for name, body := range map[string]string{
		"cycle":        line("a", "b") + line("b", "a"),
		"self":         line("a", "a"),
		"duplicate":    line("a", "") + line("b", "a") + line("a", "b") + line("c", "a"),
		"forward":      line("a", "b") + line("b", ""),
		"long cycle":   line("a", "c") + line("b", "a") + line("c", "b") + line("d", "c"),
		"empty parent": line("a", ""),
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(head+body), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ctx, err := s.Context()
		if err != nil || len(ctx.Messages) == 0 || len(ctx.Messages) > s.Len() {
			t.Errorf("%s: %d messages, %v", name, len(ctx.Messages), err)
		}
		s.Close()
	}
}

func TestSecondWriterIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	s := Create(path, Header{})
	mustAppend(t, s, say(ai.RoleUser, "a"))
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Acquire(); !errors.Is(err, ErrLocked) {
		t.Errorf("acquire: %v", err)
	}
	if _, err := r.Append(say(ai.RoleUser, "x")); !errors.Is(err, ErrLocked) {
		t.Errorf("append: %v", err)
	}
	if n, err := r.Unsaved(); n != 1 || err == nil {
		t.Errorf("unsaved %d %v", n, err)
	}
	s.Close()
	// The other has gone and nothing was written since: now it works.
	if err := r.Flush(); err != nil {
		t.Error(err)
	}
	r.Close()
	stale, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer stale.Close()
	other, _ := Open(path)
	mustAppend(t, other, say(ai.RoleUser, "b"))
	other.Close()
	if _, err := stale.Append(say(ai.RoleUser, "c")); err == nil || !strings.Contains(err.Error(), "changed on disk") {
		t.Errorf("append to a stale view: %v", err)
	}
}

func TestFailedWritesAreCaughtUp(t *testing.T) {
	if os.Getuid() == 0 {
		// Root writes anywhere, so the folder is made unusable in another way.
		t.Log("as root: a file in the folder's place")
	}
	dir := filepath.Join(t.TempDir(), "sessions")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s.jsonl")
	s := Create(path, Header{})
	if _, err := s.Append(say(ai.RoleUser, "a")); err == nil {
		t.Fatal("append worked without a folder")
	}
	if _, err := s.Append(say(ai.RoleAssistant, "b")); err == nil {
		t.Fatal("append worked without a folder")
	}
	if n, _ := s.Unsaved(); n != 2 {
		t.Errorf("%d unsaved", n)
	}
	if ctx, err := s.Context(); err != nil || len(ctx.Messages) != 2 {
		t.Errorf("context %v %v", short(ctx), err)
	}
	os.Remove(dir)
	mustAppend(t, s, say(ai.RoleUser, "c"))
	s.Close()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if ctx, _ := r.Context(); strings.Join(short(ctx), " ") != "user:a assistant:b user:c" {
		t.Error(short(ctx))
	}
}

func TestEntriesKeepWhatTheyDoNotKnow(t *testing.T) {
	for _, line := range []string{
		`{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"x","timestamp":1},"z":1}`,
		`{"type":"thinking_level_change","id":"a","parentId":"b","timestamp":"t","thinkingLevel":"high"}`,
		`{"type":"model_change","id":"a","parentId":null,"timestamp":"t","provider":"p","modelId":"m"}`,
		`{"type":"compaction","id":"a","parentId":null,"timestamp":"t","summary":"s","firstKeptEntryId":"a","tokensBefore":5,"details":{"readFiles":[]},"fromHook":false,"new":[1]}`,
		`{"type":"branch_summary","id":"a","parentId":null,"timestamp":"t","fromId":"root","summary":"s","fromHook":false}`,
		`{"type":"custom","id":"a","parentId":null,"timestamp":"t","customType":"c","data":null}`,
		`{"type":"custom_message","id":"a","parentId":null,"timestamp":"t","customType":"c","content":"x","display":false}`,
		`{"type":"context_edit","id":"a","parentId":null,"timestamp":"t","targetId":"b","replacement":null}`,
		`{"type":"label","id":"a","parentId":null,"timestamp":"t","targetId":"b","label":"l"}`,
		`{"type":"session_info","id":"a","parentId":null,"timestamp":"t","name":"n"}`,
		`{"type":"future_thing","id":"a","parentId":null,"timestamp":"t","x":{"y":"<>"}}`,
		`{"type":"message","id":"a","parentId":null,"timestamp":"t","message":17}`,
	} {
		e, err := decodeEntry([]byte(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		out, err := encodeEntry(e)
		if err != nil || string(out) != line {
			t.Errorf("round trip (%v)\n in  %s\n out %s", err, line, out)
		}
	}
}

func FuzzOpen(f *testing.F) {
	head := `{"type":"session","version":3,"id":"x","timestamp":"t","cwd":"/"}` + "\n"
	f.Add(head + `{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"q"}}`)
	f.Add(head + `{"type":"label","id":"a","parentId":"a","timestamp":"t"}` + "\n\x00\n{}")
	f.Add(`{"type":"session"}` + "\n" + `{"type":"message","message":{"role":"user"}}`)
	f.Fuzz(func(t *testing.T, body string) {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err != nil {
			return
		}
		before, err := s.Context()
		if err != nil {
			t.Fatal(err)
		}
		id := mustAppend(t, s, say(ai.RoleUser, "next"))
		s.Close()
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		after, err := r.Context()
		if err != nil || r.Leaf() != id || len(after.Messages) != len(before.Messages)+1 {
			t.Errorf("%d messages, then %d; leaf %s want %s; %v", len(before.Messages), len(after.Messages), r.Leaf(), id, err)
		}
	})
}
