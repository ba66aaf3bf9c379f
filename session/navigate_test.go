package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"tau/ai"
	"tau/session/compaction"
	"tau/session/library"
	"tau/session/message"
	"tau/session/store"
)

// find returns the entry of the message with this text.
func find(t *testing.T, st *store.Store, text string) string {
	t.Helper()
	for _, n := range st.Nodes() {
		if p, err := st.Preview(n.ID); err == nil && p.Text == text {
			return n.ID
		}
	}
	t.Fatalf("no entry %q in\n%s", text, short(t, st))
	return ""
}

func three(t *testing.T, path string) *bench {
	b := newBench(t, path, nil)
	b.talk.answers = []reply{says("one"), says("two"), says("three")}
	for _, q := range []string{"first", "second", "third"} {
		ask(t, b.Session, q)
	}
	return b
}

func TestNavigateToAPromptAndBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	b := three(t, path)
	end := b.Store().Leaf()
	nav, err := b.Navigate(t.Context(), find(t, b.Store(), "second"), NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if nav.Leaf != find(t, b.Store(), "one") || ai.ContentText(nav.Content) != "second" {
		t.Errorf("navigation %+v", nav)
	}
	b.talk.answers = []reply{says("other")}
	ask(t, b.Session, "instead")
	if got := contextOf(b.talk.requests[3]); got != "first A:one instead" {
		t.Errorf("request: %s", got)
	}
	tree := b.Store().Tree()
	var forks, active []string
	for i, n := range tree.Nodes {
		if n.First >= 0 && tree.Nodes[n.First].Next >= 0 {
			forks = append(forks, n.ID)
		}
		if n.Active && n.Type == "message" && n.Role != ai.RoleSystem {
			p, err := b.Store().Preview(n.ID)
			if err != nil {
				t.Fatal(err)
			}
			active = append(active, string(n.Role)+":"+p.Text)
		}
		if n.Parent >= int32(i) {
			t.Errorf("node %d comes before its parent", i)
		}
	}
	if len(forks) != 1 || forks[0] != nav.Leaf || len(tree.Roots) != 1 {
		t.Errorf("forks at %v, roots %v", forks, tree.Roots)
	}
	if got := strings.Join(active, " "); got != "user:first assistant:one user:instead assistant:other" {
		t.Errorf("active path: %s", got)
	}
	if leaf, err := b.UndoNavigation(); err != nil || leaf != end {
		t.Errorf("undo led to %s (%v), want %s", leaf, err, end)
	}
	if _, err := b.UndoNavigation(); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("a second undo: %v", err)
	}
	if _, err := b.Navigate(t.Context(), "nowhere", NavigateOptions{}); err == nil {
		t.Error("went to an entry that is not there")
	}
	b.Close()
}

func TestNavigateToTheBeginning(t *testing.T) {
	b := three(t, "")
	defer b.Close()
	if _, err := b.Navigate(t.Context(), "", NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.talk.answers = []reply{says("afresh")}
	ask(t, b.Session, "again")
	last := b.talk.requests[3]
	if got := contextOf(last); got != "again" || last.System != b.talk.requests[0].System {
		t.Errorf("request %s with system prompt %q", got, last.System)
	}
	st, err := b.Store().State()
	if err != nil || st.ModelID != "m" || len(b.Store().Tree().Roots) != 2 {
		t.Errorf("state %+v, %d roots", st, len(b.Store().Tree().Roots))
	}
}

func TestBranchSummary(t *testing.T) {
	b := three(t, "")
	defer b.Close()
	end := b.Store().Leaf()
	target := find(t, b.Store(), "one")
	b.summaries.answers = []reply{says("it did not work")}
	nav, err := b.Navigate(t.Context(), target, NavigateOptions{Summarize: true, Instructions: "why", Label: "bad idea"})
	if err != nil {
		t.Fatal(err)
	}
	q := ai.ContentText(b.summaries.requests[0].Messages[0].(*ai.UserMessage).Content)
	if !strings.Contains(q, "<conversation>\n[User]: second\n\n[Assistant]: two\n\n[User]: third\n\n[Assistant]: three\n</conversation>") || !strings.Contains(q, "Additional focus: why") {
		t.Errorf("summary request\n%s", q)
	}
	e, err := b.Store().Entry(nav.SummaryID)
	if err != nil {
		t.Fatal(err)
	}
	sum := e.(*store.BranchSummaryEntry)
	if sum.FromID != end || *sum.ParentID != target || string(sum.Details) != `{"readFiles":[],"modifiedFiles":[]}` || sum.Usage == nil {
		t.Errorf("entry %+v", sum)
	}
	if b.Store().Label(nav.SummaryID) != "bad idea" {
		t.Error("no label")
	}
	b.talk.answers = []reply{says("good")}
	ask(t, b.Session, "better")
	got := contextOf(b.talk.requests[3])
	if !strings.HasPrefix(got, "first A:one The following is a summary of a branch") || !strings.Contains(got, "it did not work") || !strings.HasSuffix(got, "better") {
		t.Errorf("request: %s", got)
	}
}

func TestNavigationIsCancelledOrRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := three(t, "")
		defer b.Close()
		end, n := b.Store().Leaf(), b.Store().Len()
		wait := func(ctx context.Context, _ ai.Request) *ai.AssistantMessage {
			<-ctx.Done()
			return &ai.AssistantMessage{StopReason: ai.StopAborted}
		}
		b.summaries.answers = []reply{wait, fails(ai.FailFatal, "bad request", 0)}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		target := find(t, b.Store(), "one")
		go func() {
			_, err := b.Navigate(ctx, target, NavigateOptions{Summarize: true})
			done <- err
		}()
		synctest.Wait()
		if _, err := b.Navigate(t.Context(), target, NavigateOptions{}); !errors.Is(err, ErrBusy) {
			t.Errorf("a second navigation: %v", err)
		}
		cancel()
		if err := <-done; !errors.Is(err, ErrNavigationCancelled) {
			t.Errorf("cancelled: %v", err)
		}
		if _, err := b.Navigate(t.Context(), target, NavigateOptions{Summarize: true}); err == nil || !strings.Contains(err.Error(), "bad request") {
			t.Errorf("a failed summary: %v", err)
		}
		if b.Store().Leaf() != end || b.Store().Len() != n {
			t.Errorf("the leaf moved, or something was stored:\n%s", short(t, b.Store()))
		}
		b.talk.answers = []reply{wait}
		if _, err := b.Send(ai.TextBlocks("go"), Steer); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := b.Navigate(t.Context(), target, NavigateOptions{}); !errors.Is(err, ErrBusy) {
			t.Errorf("during a run: %v", err)
		}
		b.Abort()
		if err := b.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestForkAndClone(t *testing.T) {
	dir := t.TempDir()
	lib := library.Library{Base: dir}
	if _, err := newBench(t, filepath.Join(dir, "n.jsonl"), nil).Clone(lib); !errors.Is(err, store.ErrUnsaved) {
		t.Errorf("an unsaved session: %v", err)
	}
	b := three(t, filepath.Join(dir, "s.jsonl"))
	defer b.Close()
	if err := b.SetLabel(find(t, b.Store(), "one"), "here"); err != nil {
		t.Fatal(err)
	}
	if err := b.SetLabel(find(t, b.Store(), "three"), "there"); err != nil {
		t.Fatal(err)
	}
	b.talk.answers = []reply{says("four")}
	ask(t, b.Session, "fourth")

	st, content, err := b.Fork(lib, find(t, b.Store(), "second"))
	if err != nil {
		t.Fatal(err)
	}
	if ai.ContentText(content) != "second" || st.Header().ParentSession != b.Store().Path() || st.Header().ID == b.Store().Header().ID {
		t.Errorf("content %q, header %+v", ai.ContentText(content), st.Header())
	}
	if got := short(t, st); got != "model_change\nthinking_level_change\nsystem\nuser:first\nassistant:one\nlabel\n" || st.Label(find(t, st, "one")) != "here" {
		t.Errorf("fork\n%s", got)
	}
	if filepath.Dir(st.Path()) != lib.Folder("/w") {
		t.Errorf("the fork is at %s", st.Path())
	}
	st.Close()

	// Clone: the labels in the middle go to the end, and the chain has no hole.
	if st, err = b.Clone(lib); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(short(t, b.Store()), "label\n", "") + "label\nlabel\n"
	if got := short(t, st); got != want || len(st.PathTo("")) != st.Len() || len(st.Problems()) > 0 {
		t.Errorf("clone\n%s\nwant\n%s (%v)", got, want, st.Problems())
	}
	a, _ := b.Store().Context()
	c, _ := st.Context()
	if !reflect.DeepEqual(encode(t, a.Messages), encode(t, c.Messages)) {
		t.Error("the clone has another context")
	}
	st.Close()

	// Before the first message there is nothing to save.
	if st, _, err = b.Fork(lib, find(t, b.Store(), "first")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(st.Path()); !errors.Is(err, os.ErrNotExist) || st.Saved() {
		t.Errorf("a fork without messages is on disk: %v", err)
	}
	if _, _, err = b.Fork(lib, find(t, b.Store(), "one")); err == nil {
		t.Error("forked before an answer")
	}
	var out bytes.Buffer
	if err := b.Store().Export(&out, find(t, b.Store(), "two")); err != nil {
		t.Fatal(err)
	}
	exported := filepath.Join(dir, "e.jsonl")
	if err := os.WriteFile(exported, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if st, err = store.Open(exported); err != nil || st.Name() != "" || !strings.HasSuffix(short(t, st), "assistant:two\nlabel\n") {
		t.Errorf("export: %v\n%s", err, out.String())
	}
}

func encode(t *testing.T, msgs []ai.Message) []string {
	t.Helper()
	out := []string{}
	for _, m := range msgs {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

// Whatever is done, the file, the store and the agent agree about the
// conversation, and what is sent is something a strict server takes.
func TestTheFileSaysWhatTheSessionDoes(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 7))
				path := filepath.Join(t.TempDir(), "s.jsonl")
				b := newBench(t, path, func(o *Options) {
					o.Compaction = compaction.Settings{ReserveTokens: 800 + r.Int64N(400), KeepRecentTokens: 1 + r.Int64N(800)}
				})
				defer b.Close()
				small := &ai.Model{ID: "small", Provider: "p", ContextWindow: 1500, MaxTokens: 300}
				for range 25 {
					b.mu.Lock()
					b.events = nil
					b.mu.Unlock()
					b.talk.answers = nil
					for range r.IntN(3) {
						b.talk.answers = append(b.talk.answers, calls(fmt.Sprint("c", r.IntN(5)), fmt.Sprint("d", r.IntN(5))))
					}
					switch r.IntN(8) {
					case 0:
						b.talk.answers = append(b.talk.answers, overflows())
					case 1:
						b.talk.answers = append(b.talk.answers, fails(ai.FailRetry, "overloaded", 0))
					case 2:
						b.talk.answers = append(b.talk.answers, fails(ai.FailFatal, "bad request", 0))
					}
					b.talk.answers = append(b.talk.answers, sized(strings.Repeat("y", r.IntN(2000)), r.Int64N(3000)))
					b.summaries.answers = []reply{says("sum"), fails(ai.FailFatal, "no", 0), says("sum"), says("sum")}
					nodes := b.Store().Nodes()
					somewhere := nodes[r.IntN(len(nodes))].ID
					switch r.IntN(8) {
					case 0:
						_, _ = b.Compact(t.Context(), "")
					case 1, 2:
						if _, err := b.Navigate(t.Context(), somewhere, NavigateOptions{Summarize: r.IntN(2) == 0, Label: []string{"", "l"}[r.IntN(2)]}); err != nil && !strings.Contains(err.Error(), "no") {
							t.Fatal(err)
						}
					case 3:
						if err := b.SetLabel(somewhere, fmt.Sprint("label", r.IntN(3))); err != nil {
							t.Fatal(err)
						}
					case 4:
						if b.Model().ID == "m" {
							b.SetModel(small)
						} else {
							b.SetModel(&ai.Model{ID: "m", Provider: "p", ContextWindow: window, MaxTokens: 500})
						}
					default:
						ask(t, b.Session, strings.Repeat("x", 1+r.IntN(3000)))
					}
					agree(t, b, path)
				}
			})
		})
	}
}

func agree(t *testing.T, b *bench, path string) {
	t.Helper()
	live, err := b.Store().Context()
	if err != nil {
		t.Fatal(err)
	}
	want := encode(t, live.Messages)
	if _, err := os.Stat(path); err == nil {
		st, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		if len(st.Problems()) > 0 || st.Len() != b.Store().Len() {
			t.Fatalf("%v, %d entries of %d", st.Problems(), st.Len(), b.Store().Len())
		}
		disk, err := st.ContextAt(b.Store().Leaf())
		if b.Store().Leaf() != "" && (err != nil || !reflect.DeepEqual(encode(t, disk.Messages), want)) {
			t.Fatalf("the file says\n%q\nthe store\n%q", encode(t, disk.Messages), want)
		}
	}
	if b.loaded {
		if got := encode(t, b.agent.State().Context.Messages); !reflect.DeepEqual(got, want) {
			t.Fatalf("the agent has\n%q\nthe store\n%q", got, want)
		}
	}
	sent := ai.Replay(b.Model(), message.ToLLM(live.Messages))
	for i, m := range sent {
		a, ok := m.(*ai.AssistantMessage)
		if !ok {
			continue
		}
		for n, c := range a.ToolCalls() {
			if i+1+n >= len(sent) {
				t.Fatalf("call %s has no result", c.ID)
			}
			if r, ok := sent[i+1+n].(*ai.ToolResultMessage); !ok || r.ToolCallID != c.ID {
				t.Fatalf("call %s is not followed by its result: %s", c.ID, encode(t, sent[i+1+n:i+2+n]))
			}
		}
	}
}
