package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"tau/ai"
	"tau/session/store"
)

func TestCompactStopsARunFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "", nil)
		b.talk.answers = []reply{sized("one", 900), sized("two", 900), func(ctx context.Context, _ ai.Request) *ai.AssistantMessage {
			<-ctx.Done()
			return &ai.AssistantMessage{StopReason: ai.StopAborted, ErrorMessage: "stopped"}
		}}
		ask(t, b.Session, "first "+long)
		ask(t, b.Session, "second "+long)
		if _, err := b.Send(ai.TextBlocks("third"), Steer); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		b.summaries.answers = []reply{says("sum")}
		var idle bool
		b.Subscribe(func(ev Event) {
			if ev.Type == CompactionEnd {
				idle = !b.Busy()
			}
		})
		if _, err := b.Compact(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !idle || b.Busy() {
			t.Error("the session was busy when it told that the compaction was over")
		}
		if log := b.log(); !strings.HasSuffix(log, "agent_end\nagent_settled\ncompaction_start manual\ncompaction_end manual result=true aborted=false retry=false\n") {
			t.Errorf("events\n%s", log)
		}
	})
}

// Over many rounds, everything the user said is summarised once or still there.
func TestCompactionAgainAndAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	b := newBench(t, path, nil)
	const rounds = 6
	for i := range rounds {
		for k := range 3 {
			b.talk.answers = append(b.talk.answers, sized(fmt.Sprintf("answer %d.%d ", i, k)+strings.Repeat("y", 500), 1000))
		}
	}
	for i := range rounds {
		b.summaries.answers = append(b.summaries.answers, says(fmt.Sprintf("summary %d", i)), says(fmt.Sprintf("prefix %d", i)))
	}
	for i := range rounds {
		for k := range 3 {
			ask(t, b.Session, fmt.Sprintf("prompt %d.%d ", i, k)+strings.Repeat("x", 500))
		}
		if _, err := b.Compact(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	for i, r := range b.summaries.requests {
		q := ai.ContentText(r.Messages[0].(*ai.UserMessage).Content)
		conversation, _, _ := strings.Cut(q, "</conversation>")
		seen = append(seen, conversation)
		if i > 0 && strings.Contains(q, "sections:\n\n## Goal") && !strings.Contains(q, "<previous-summary>") {
			t.Errorf("request %d does not update the summary before it", i)
		}
	}
	c, err := b.Store().Context()
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	for _, m := range c.Messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			kept.WriteString(ai.ContentText(m.Content))
		case *ai.AssistantMessage:
			kept.WriteString(ai.ContentText(m.Content))
		}
	}
	seen = append(seen, kept.String())
	for i := range rounds {
		for k := range 3 {
			for _, what := range []string{"prompt", "answer"} {
				text := fmt.Sprintf("%s %d.%d ", what, i, k)
				if n := strings.Count(strings.Join(seen, "\n"), text); n != 1 {
					t.Errorf("%q was summarised or kept %d times", text, n)
				}
			}
		}
	}
	b.Close()
	// All of it is still in the file, under the ids that the summary names.
	st, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if got := strings.Count(short(t, st), "user:prompt "); got != 3*rounds {
		t.Errorf("%d of %d prompts are in the file", got, 3*rounds)
	}
}

// Labels, names and changes of the model are of no branch: they do not move
// the conversation.
func TestMetadataDoesNotMoveTheConversation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	b := newBench(t, path, nil)
	b.talk.answers = []reply{says("one"), says("two"), says("other")}
	ask(t, b.Session, "first")
	ask(t, b.Session, "second")
	if err := b.SetLabel(find(t, b.Store(), "first"), "start"); err != nil {
		t.Fatal(err)
	}
	b.SetName("a name")
	b.SetModel(&ai.Model{ID: "n", Provider: "p", ContextWindow: window})
	b.Close()
	r := newBench(t, path, func(o *Options) { o.Model = &ai.Model{ID: "n", Provider: "p", ContextWindow: window} })
	defer r.Close()
	r.talk.answers = []reply{says("three")}
	ask(t, r.Session, "third")
	if got := contextOf(r.talk.requests[0]); got != "first A:one second A:two third" {
		t.Errorf("request: %s", got)
	}
	if r.Store().Name() != "a name" || r.Store().Label(find(t, r.Store(), "first")) != "start" {
		t.Error("name or label are gone")
	}
}
