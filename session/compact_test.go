package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session/compaction"
	"tau/session/store"
)

// bench is a session whose model answers what the talk needs, and summaries
// by a list of their own.
type bench struct {
	*Session
	talk, summaries model
	mu              sync.Mutex
	events          []string
}

const window = 3000

// sized answers with a count of tokens.
func sized(s string, tokens int64) reply {
	return func(context.Context, ai.Request) *ai.AssistantMessage {
		m := text(s)
		m.Usage.TotalTokens, m.Usage.Input = tokens, tokens
		return m
	}
}

func newBench(t *testing.T, path string, change func(*Options)) *bench {
	t.Helper()
	b := &bench{}
	st := store.Create(path, store.Header{CWD: "/w"})
	if path != "" {
		if old, err := store.Open(path); err == nil {
			st = old
		}
	}
	o := Options{
		Store: st, CWD: "/w", Model: &ai.Model{ID: "m", Provider: "p", ContextWindow: window, MaxTokens: 500},
		Tools: []*agent.Tool{work(nil)}, Retry: DefaultRetry(),
		Prompt:     func([]*agent.Tool) ai.Sections { s := "be good"; return ai.Sections{{Name: "preamble", Text: &s}} },
		Compaction: compaction.Settings{ReserveTokens: 1000, KeepRecentTokens: 200},
		Stream: func(ctx context.Context, m *ai.Model, req ai.Request, o ai.Options) iter.Seq[ai.Event] {
			if strings.HasPrefix(req.System, "You write summaries") {
				if o.Cache != ai.CacheNone || o.SessionID == st.Header().ID {
					t.Errorf("a summary request with cache %q and session %q", o.Cache, o.SessionID)
				}
				return b.summaries.stream(ctx, m, req, o)
			}
			return b.talk.stream(ctx, m, req, o)
		},
	}
	if change != nil {
		change(&o)
	}
	b.Session = New(o)
	b.Subscribe(func(ev Event) {
		line := string(ev.Type)
		switch ev.Type {
		case CompactionStart:
			line += " " + string(ev.Compaction.Reason)
		case CompactionEnd:
			c := ev.Compaction
			line += fmt.Sprintf(" %s result=%v aborted=%v retry=%v", c.Reason, c.Result != nil, c.Aborted, c.WillRetry)
			if c.Error != "" {
				line += " error=" + c.Error
			}
			if c.Mechanical != "" {
				line += " mechanical=" + c.Mechanical
			}
		case AgentEndType, Settled, SummaryRetryScheduled, SummaryRetryStart, SummaryRetryEnd:
		default:
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, line)
	})
	return b
}

// AgentEndType is the agent's event as the session passes it on.
const AgentEndType = EventType(agent.AgentEnd)

// log closes the session and returns its events.
func (b *bench) log() string {
	b.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.events, "\n") + "\n"
}

// contextOf is the request in short form.
func contextOf(req ai.Request) string {
	var out []string
	for _, m := range req.Messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			t := ai.ContentText(m.Content)
			if strings.HasPrefix(t, "The conversation history before") {
				t = "SUMMARY"
			}
			out = append(out, t)
		case *ai.AssistantMessage:
			out = append(out, "A:"+strings.TrimSpace(ai.ContentText(m.Content)))
		case *ai.ToolResultMessage:
			out = append(out, "R")
		}
	}
	s := strings.Join(out, " ")
	for _, long := range []string{"x", "y"} {
		for strings.Contains(s, strings.Repeat(long, 10)) {
			s = strings.ReplaceAll(s, strings.Repeat(long, 10), long)
		}
	}
	return s
}

var long = strings.Repeat("x", 1000) // 250 tokens

func TestThresholdBeforeAPrompt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	b := newBench(t, path, nil)
	b.talk.answers = []reply{sized("one", 900), sized("two", 1900), sized("three", 800)}
	b.summaries.answers = []reply{says("they talked")}
	ask(t, b.Session, "first "+long)
	ask(t, b.Session, "second "+long)
	if n, known := b.ContextUsage(); n != 1900 || !known {
		t.Fatalf("context %d %v", n, known)
	}
	// 1900 tokens are within 2000; with the prompt they are not.
	ask(t, b.Session, "third "+long)
	if got := contextOf(b.talk.requests[2]); !strings.HasPrefix(got, "SUMMARY third") {
		t.Errorf("the third request: %s", got)
	}
	if n, known := b.ContextUsage(); n != 800 || !known {
		t.Errorf("context %d %v", n, known)
	}
	if b.talk.requests[2].System != b.talk.requests[0].System {
		t.Errorf("the system prompt changed to %q", b.talk.requests[2].System)
	}
	if got := b.Usage().Cost.Total; got != 2 {
		t.Errorf("cost %v, want 4 answers of 0.5", got)
	}
	log := b.log()
	want := "agent_end\nagent_settled\nagent_end\nagent_settled\ncompaction_start threshold\ncompaction_end threshold result=true aborted=false retry=false\nagent_end\nagent_settled\n"
	if log != want {
		t.Errorf("events\n%s\nwant\n%s", log, want)
	}

	// The file gives the same context, and one prompt more goes on from it.
	r := newBench(t, path, nil)
	defer r.Close()
	r.talk.answers = []reply{sized("four", 900)}
	ask(t, r.Session, "fourth")
	if got := contextOf(r.talk.requests[0]); !strings.HasPrefix(got, "SUMMARY third") || !strings.HasSuffix(got, " A:three fourth") {
		t.Errorf("after a resume: %s", got)
	}
	if r.talk.requests[0].System != b.talk.requests[0].System {
		t.Errorf("the system prompt after a resume is %q", r.talk.requests[0].System)
	}
	if n := strings.Count(short(t, r.Store()), "system\n"); n != 1 {
		t.Errorf("%d system messages", n)
	}
}

func TestThresholdBetweenTurnsAndAfterARun(t *testing.T) {
	b := newBench(t, "", nil)
	b.talk.answers = []reply{
		func(ctx context.Context, r ai.Request) *ai.AssistantMessage {
			m := calls("1")(ctx, r)
			m.Content = append(m.Content, &ai.Text{Text: long})
			m.Usage.TotalTokens = 2500
			return m
		},
		sized(long, 2600),
	}
	b.summaries.answers = []reply{says("part one"), says("again")}
	ask(t, b.Session, "go "+long)
	if got := contextOf(b.talk.requests[1]); !strings.HasPrefix(got, "SUMMARY A:x") || !strings.HasSuffix(got, " R") {
		t.Errorf("second request: %s", got)
	}
	// The turn was cut in two, so its beginning has a summary of its own.
	if !strings.Contains(ai.ContentText(b.summaries.requests[0].Messages[0].(*ai.UserMessage).Content), "Original Request") {
		t.Error("the beginning of the turn was not summarised as such")
	}
	if n, known := b.ContextUsage(); known || n > 1000 {
		t.Errorf("after the run: %d %v", n, known)
	}
	if log := b.log(); strings.Count(log, "compaction_end threshold result=true") != 2 || !strings.HasSuffix(log, "retry=false\nagent_settled\n") {
		t.Errorf("events\n%s", log)
	}
}

func TestManualCompaction(t *testing.T) {
	b := newBench(t, "", nil)
	if _, err := b.Compact(t.Context(), ""); !errors.Is(err, compaction.ErrNothing) {
		t.Errorf("an empty session: %v", err)
	}
	b.SetAutoCompaction(false)
	b.talk.answers = []reply{sized("one", 900), sized("two", 2900)}
	ask(t, b.Session, "first "+long)
	ask(t, b.Session, "second "+long)
	b.summaries.answers = []reply{says("the sum")}
	r, err := b.Compact(t.Context(), "mind the gap")
	if err != nil {
		t.Fatal(err)
	}
	if r.TokensBefore != 2900 || r.EstimatedTokensAfter > 600 || !strings.HasPrefix(r.Summary, "the sum") || r.Usage == nil || string(r.Details) != `{"readFiles":[],"modifiedFiles":[]}` {
		t.Errorf("result %+v", r)
	}
	if q := ai.ContentText(b.summaries.requests[0].Messages[0].(*ai.UserMessage).Content); !strings.Contains(q, "Additional focus: mind the gap") {
		t.Errorf("request %s", q)
	}
	before := b.Store().Len()
	if _, err := b.Compact(t.Context(), ""); !errors.Is(err, compaction.ErrNothing) {
		t.Errorf("twice: %v", err)
	}
	b.summaries.answers = []reply{says("a summary that is " + strings.Repeat("very ", 9000) + "long")}
	b.talk.answers = []reply{sized("three", 900)}
	ask(t, b.Session, "third "+long)
	if _, err := b.Compact(t.Context(), ""); !errors.Is(err, errFreesNothing) {
		t.Errorf("a summary that frees nothing: %v", err)
	}
	if got := short(t, b.Store()); strings.Count(got, "compaction\n") != 1 || b.Store().Len() != before+3 {
		t.Errorf("entries\n%s", got)
	}
	b.Close()
	if _, err := b.Compact(t.Context(), ""); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed session: %v", err)
	}
}

func TestMessagesSentWhileCompacting(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, "", nil)
			defer b.Close()
			b.talk.answers = []reply{sized("one", 900), sized("two", 900)}
			ask(t, b.Session, "first "+long)
			ask(t, b.Session, "second "+long)
			b.summaries.answers = []reply{func(ctx context.Context, _ ai.Request) *ai.AssistantMessage {
				select {
				case <-ctx.Done():
					return &ai.AssistantMessage{StopReason: ai.StopAborted}
				case <-time.After(time.Minute):
					return text("sum")
				}
			}}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { _, err := b.Compact(ctx, ""); done <- err }()
			synctest.Wait()
			for _, s := range []string{"third", "fourth"} {
				if d, err := b.Send(ai.TextBlocks(s), Steer); d != Queued || err != nil {
					t.Fatalf("%v %v", d, err)
				}
			}
			if cancelled {
				cancel()
			}
			if err := <-done; cancelled != errors.Is(err, ErrCompactionCancelled) {
				t.Errorf("compaction: %v", err)
			}
			if err := b.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			cancel()
			got := short(t, b.Store())
			if strings.Count(got, "user:third\n") != 1 || strings.Count(got, "user:fourth\n") != 1 {
				t.Errorf("entries\n%s", got)
			}
			if cancelled == strings.Contains(got, "compaction\n") {
				t.Errorf("cancelled %v:\n%s", cancelled, got)
			}
		})
	}
}

func TestAbortOfAnAutomaticCompaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "", nil)
		b.talk.answers = []reply{sized("one", 900), sized("two", 1950)}
		ask(t, b.Session, "first "+long)
		ask(t, b.Session, "second "+long)
		b.summaries.answers = []reply{func(ctx context.Context, _ ai.Request) *ai.AssistantMessage {
			<-ctx.Done()
			return &ai.AssistantMessage{StopReason: ai.StopAborted}
		}}
		if _, err := b.Send(ai.TextBlocks("third "+long), Steer); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		b.Abort()
		if err := b.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := short(t, b.Store()); !strings.HasSuffix(got, "user:third "+long+"\nassistant:Operation aborted\n") {
			t.Errorf("the prompt is lost:\n%s", got)
		}
		if log := b.log(); !strings.Contains(log, "compaction_end threshold result=false aborted=true retry=false\nagent_end\nagent_settled") {
			t.Errorf("events\n%s", log)
		}
	})
}

func TestSummaryRequestsAreRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "", func(o *Options) { o.SummaryModel = &ai.Model{ID: "cheap", Provider: "p"} })
		b.talk.answers = []reply{sized("one", 900), sized("two", 900)}
		ask(t, b.Session, "first "+long)
		ask(t, b.Session, "second "+long)
		over := fails(ai.FailRetry, "overloaded", 0)
		b.summaries.answers = []reply{over, over, fails(ai.FailFatal, "no such model", 0), says("by the other")}
		start := time.Now()
		r, err := b.Compact(t.Context(), "")
		if err != nil || !strings.HasPrefix(r.Summary, "by the other") {
			t.Fatalf("%+v %v", r, err)
		}
		if took := time.Since(start); took != 6*time.Second {
			t.Errorf("took %v", took)
		}
		if got := strings.Count(b.log(), "summarization_retry_"); got != 5 {
			t.Errorf("%d events about repetitions, want 5", got)
		}
	})
}

// A failing summary must not cost a request before every turn.
func TestAFailedThresholdCompactionIsTriedOncePerPrompt(t *testing.T) {
	b := newBench(t, "", nil)
	defer b.Close()
	b.talk.answers = []reply{sized("one", 900), sized("two", 1950), calls("1"), calls("2"), calls("3"), sized("end", 2100)}
	ask(t, b.Session, "first "+long)
	ask(t, b.Session, "second "+long)
	bad := fails(ai.FailFatal, "bad request", 0)
	b.summaries.answers = []reply{bad, bad, bad}
	ask(t, b.Session, "third "+long)
	if n := len(b.summaries.requests); n != 1 {
		t.Errorf("%d summary requests", n)
	}
	if b.Last() == nil || ai.ContentText(b.Last().Content) != "end" {
		t.Errorf("the run did not go on: %+v", b.Last())
	}
}
