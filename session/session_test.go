package session

import (
	"context"
	"encoding/json"
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
	"tau/session/store"
)

// model plays answers in turn; each is a function of the request.
type model struct {
	mu       sync.Mutex
	answers  []func(ctx context.Context, req ai.Request) *ai.AssistantMessage
	requests []ai.Request
}

func (m *model) stream(ctx context.Context, md *ai.Model, req ai.Request, _ ai.Options) iter.Seq[ai.Event] {
	m.mu.Lock()
	m.requests = append(m.requests, req)
	next := func(context.Context, ai.Request) *ai.AssistantMessage { return text("no more answers") }
	if len(m.answers) > 0 {
		next = m.answers[0]
		m.answers = m.answers[1:]
	}
	m.mu.Unlock()
	return func(yield func(ai.Event) bool) {
		msg := next(ctx, req)
		msg.Provider, msg.Model = md.Provider, md.ID
		typ := ai.EventDone
		if msg.StopReason == ai.StopError || msg.StopReason == ai.StopAborted {
			typ = ai.EventError
		}
		yield(ai.Event{Type: typ, Reason: msg.StopReason, Message: msg})
	}
}

type reply = func(context.Context, ai.Request) *ai.AssistantMessage

func text(s string) *ai.AssistantMessage {
	return &ai.AssistantMessage{Content: ai.TextBlocks(s), StopReason: ai.StopEnd, Usage: ai.Usage{TotalTokens: 100, Cost: ai.Cost{Total: 0.5}}}
}

func says(s string) reply {
	return func(context.Context, ai.Request) *ai.AssistantMessage { return text(s) }
}

func calls(ids ...string) reply {
	return func(context.Context, ai.Request) *ai.AssistantMessage {
		m := &ai.AssistantMessage{StopReason: ai.StopToolUse}
		for _, id := range ids {
			m.Content = append(m.Content, &ai.ToolCall{ID: id, Name: "work", Arguments: json.RawMessage(`{}`)})
		}
		return m
	}
}

func fails(class ai.FailClass, text string, after time.Duration) reply {
	return func(context.Context, ai.Request) *ai.AssistantMessage {
		return &ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: text, Failure: &ai.Failure{Class: class, Message: text, RetryAfter: after}}
	}
}

func work(fn func(ctx context.Context)) *agent.Tool {
	return &agent.Tool{Name: "work", Snippet: "works", Parameters: json.RawMessage(`{"type":"object"}`), Execute: func(ctx context.Context, _ agent.Call, _ func(agent.Result)) (agent.Result, error) {
		if fn != nil {
			fn(ctx)
		}
		return agent.TextResult("done"), ctx.Err()
	}}
}

func newSession(t *testing.T, path string, m *model, tool *agent.Tool) *Session {
	t.Helper()
	st := store.Create(path, store.Header{CWD: "/w"})
	if path != "" {
		if old, err := store.Open(path); err == nil {
			st = old
		}
	}
	return New(Options{
		Store: st, CWD: "/w", Model: &ai.Model{ID: "m", Provider: "p", Reasoning: true}, Thinking: ai.ThinkingMedium,
		Stream: m.stream, Tools: []*agent.Tool{tool}, Retry: DefaultRetry(),
	})
}

func ask(t *testing.T, s *Session, text string) {
	t.Helper()
	if d, err := s.Send(ai.TextBlocks(text), Steer); err != nil || d != Started {
		t.Fatalf("send: %v %v", d, err)
	}
	if err := s.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// short writes the entries of the store, one a line.
func short(t *testing.T, st *store.Store) string {
	t.Helper()
	var b strings.Builder
	for _, n := range st.Nodes() {
		e, err := st.Entry(n.ID)
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *store.MessageEntry:
			switch m := e.Message.(type) {
			case *ai.UserMessage:
				fmt.Fprintf(&b, "user:%s\n", ai.ContentText(m.Content))
			case *ai.AssistantMessage:
				fmt.Fprintf(&b, "assistant:%s%s", ai.ContentText(m.Content), m.ErrorMessage)
				for _, c := range m.ToolCalls() {
					fmt.Fprintf(&b, " %s", c.ID)
				}
				b.WriteByte('\n')
			case *ai.ToolResultMessage:
				fmt.Fprintf(&b, "result(%s):%s\n", m.ToolCallID, ai.ContentText(m.Content))
			default:
				fmt.Fprintf(&b, "%s\n", m.MessageRole())
			}
		default:
			fmt.Fprintf(&b, "%s\n", n.Type)
		}
	}
	return b.String()
}

func TestEntriesOfARunAndOfAResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	m := &model{answers: []reply{calls("1", "2"), says("ok")}}
	s := newSession(t, path, m, work(nil))
	ask(t, s, "go")
	want := "model_change\nthinking_level_change\nsystem\nuser:go\nassistant: 1 2\nresult(1):done\nresult(2):done\nassistant:ok\n"
	if got := short(t, s.Store()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(m.requests[0].System, "- work: works") {
		t.Errorf("system prompt: %s", m.requests[0].System)
	}
	if s.Usage().Cost.Total != 0.5 || s.ContextTokens() != 100 {
		t.Errorf("cost %v, context %d", s.Usage().Cost.Total, s.ContextTokens())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(ai.TextBlocks("x"), Steer); err == nil {
		t.Error("a closed session took a message")
	}

	again := &model{answers: []reply{says("still here")}}
	r := newSession(t, path, again, work(nil))
	defer r.Close()
	if r.ContextTokens() != 100 {
		t.Errorf("context after resume: %d", r.ContextTokens())
	}
	if err := r.CountTotals(); err != nil || r.Usage().Cost.Total != 0.5 {
		t.Errorf("totals after resume: %v %v", r.Usage().Cost.Total, err)
	}
	ask(t, r, "more")
	if got := short(t, r.Store()); got != want+"user:more\nassistant:still here\n" {
		t.Errorf("got\n%s", got)
	}
	if again.requests[0].System != m.requests[0].System || len(again.requests[0].Messages) != 7 {
		t.Errorf("resume changed the prompt, or sent %d messages", len(again.requests[0].Messages))
	}
}

func TestSteeringAndFollowUp(t *testing.T) {
	m := &model{answers: []reply{calls("1"), says("steered"), says("followed")}}
	var s *Session
	s = newSession(t, "", m, work(func(context.Context) {
		if d, _ := s.Send(ai.TextBlocks("later"), FollowUp); d != Queued {
			t.Errorf("follow-up was %s", d)
		}
		if d, _ := s.Send(ai.TextBlocks("now"), Steer); d != Queued {
			t.Errorf("steering was %s", d)
		}
	}))
	var queues []string
	var mu sync.Mutex
	s.Subscribe(func(ev Event) {
		if ev.Type == QueueUpdate {
			mu.Lock()
			queues = append(queues, fmt.Sprint(ev.Steering, ev.FollowUp))
			mu.Unlock()
		}
	})
	ask(t, s, "go")
	if got := short(t, s.Store()); !strings.HasSuffix(got, "user:go\nassistant: 1\nresult(1):done\nuser:now\nassistant:steered\nuser:later\nassistant:followed\n") {
		t.Errorf("got\n%s", got)
	}
	s.Close()
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(queues, " "); !strings.Contains(got, "[now] [later]") || !strings.HasSuffix(got, "[] []") {
		t.Errorf("queue updates: %s", got)
	}
}

func TestRetries(t *testing.T) {
	over := fails(ai.FailRetry, "overloaded", 0)
	for _, tt := range []struct {
		name    string
		answers []reply
		want    string
		took    time.Duration
		asked   int
	}{
		{"works the third time", []reply{over, over, says("ok")}, "user:go\nassistant:overloaded\ncontext_edit\nassistant:overloaded\ncontext_edit\nassistant:ok\n", 6 * time.Second, 3},
		{"given up", []reply{over, over, over, over}, "user:go\nassistant:overloaded\ncontext_edit\nassistant:overloaded\ncontext_edit\nassistant:overloaded\ncontext_edit\nassistant:overloaded\n", 14 * time.Second, 4},
		{"quota is not repeated", []reply{fails(ai.FailQuota, "no money", 0)}, "user:go\nassistant:no money\n", 0, 1},
		{"the server's wish", []reply{fails(ai.FailRetry, "slow down", 20*time.Second), says("ok")}, "user:go\nassistant:slow down\ncontext_edit\nassistant:ok\n", 20 * time.Second, 2},
		{"a wish over the limit", []reply{fails(ai.FailRetry, "tomorrow", 24*time.Hour)}, "user:go\nassistant:tomorrow\n", 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{answers: tt.answers}
				s := newSession(t, "", m, work(nil))
				defer s.Close()
				start := time.Now()
				ask(t, s, "go")
				if got := strings.TrimPrefix(short(t, s.Store()), "model_change\nthinking_level_change\nsystem\n"); got != tt.want {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if len(m.requests) != tt.asked {
					t.Errorf("%d requests, want %d", len(m.requests), tt.asked)
				}
				for i, r := range m.requests {
					if len(r.Messages) != 2 { // the system message and the question
						t.Errorf("request %d holds the failed answers: %d messages", i, len(r.Messages))
					}
				}
			})
		})
	}
}

func TestAbortDuringTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{answers: []reply{fails(ai.FailRetry, "overloaded", 0), says("never")}}
		s := newSession(t, "", m, work(nil))
		var ends []Retry
		s.Subscribe(func(ev Event) {
			if ev.Type == RetryEnd {
				ends = append(ends, ev.Retry)
			}
		})
		if _, err := s.Send(ai.TextBlocks("go"), Steer); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		s.Abort()
		start := time.Now()
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		time.Sleep(time.Minute)
		if time.Since(start) > 61*time.Second || len(m.requests) != 1 {
			t.Errorf("%d requests", len(m.requests))
		}
		if len(ends) != 1 || ends[0].Success || ends[0].Final != "cancelled" {
			t.Errorf("ends %+v", ends)
		}
	})
}

func TestAbortWithAQueueKeepsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{answers: []reply{calls("1"), says("never")}}
		s := newSession(t, "", m, work(func(ctx context.Context) { <-ctx.Done() }))
		defer s.Close()
		if _, err := s.Send(ai.TextBlocks("go"), Steer); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := s.Send(ai.TextBlocks("wait"), Steer); err != nil {
			t.Fatal(err)
		}
		s.Abort()
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if st, fu := s.TakeQueue(); len(st) != 1 || st[0] != "wait" || len(fu) != 0 {
			t.Errorf("queue %v %v", st, fu)
		}
		if got := short(t, s.Store()); !strings.Contains(got, "result(1):") || !strings.HasSuffix(got, "assistant:Operation aborted\n") {
			t.Errorf("got\n%s", got)
		}
	})
}

func TestModelChangeInMidRun(t *testing.T) {
	m := &model{answers: []reply{calls("1"), says("ok")}}
	var s *Session
	s = newSession(t, "", m, work(func(context.Context) { s.SetModel(&ai.Model{ID: "plain", Provider: "q"}) }))
	defer s.Close()
	ask(t, s, "go")
	if last := s.Last(); last.Model != "plain" || last.Provider != "q" {
		t.Errorf("answered by %s", last.Model)
	}
	if s.Thinking() != ai.ThinkingOff {
		t.Errorf("thinking %s on a model that does not reason", s.Thinking())
	}
}

// Messages that are sent while runs end must start a run or be part of one:
// none may be left in a queue.
func TestNoMessageIsLeftBehind(t *testing.T) {
	m := &model{}
	s := newSession(t, "", m, work(nil))
	const n = 200
	for i := range n {
		if _, err := s.Send(ai.TextBlocks(fmt.Sprint(i)), Delivery(i%2)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(short(t, s.Store()), "user:"); got != n {
		t.Errorf("%d of %d messages were delivered", got, n)
	}
	s.Close()
}

func TestAsk(t *testing.T) {
	m := &model{answers: []reply{says("fine"), fails(ai.FailFatal, "broken", 0), func(ctx context.Context, _ ai.Request) *ai.AssistantMessage {
		<-ctx.Done()
		return &ai.AssistantMessage{StopReason: ai.StopAborted, ErrorMessage: "aborted"}
	}}}
	s := newSession(t, "", m, work(nil))
	defer s.Close()
	if got, err := s.Ask(t.Context(), "a"); err != nil || ai.ContentText(got.Content) != "fine" {
		t.Errorf("%v %v", got, err)
	}
	if got, err := s.Ask(t.Context(), "b"); err == nil || err.Error() != "broken" || got == nil {
		t.Errorf("%v %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Subscribe(func(ev Event) {
		if ev.Type == EventType(agent.TurnStart) {
			cancel()
		}
	})
	if _, err := s.Ask(ctx, "c"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
