package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/ai"
)

// script is a model that plays answers in turn and records what it was asked.
type script struct {
	t        *testing.T
	answers  []answer
	requests []ai.Request
}

type answer struct {
	text  string
	calls []*ai.ToolCall
	stop  ai.StopReason
	err   string        // stream error after the text
	hang  bool          // wait for cancellation after the text
	cut   bool          // end without a final event
	panic bool          // panic after the text
	wait  time.Duration // before the first event
}

func call(id, name, args string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func (s *script) stream(ctx context.Context, m *ai.Model, req ai.Request, _ ai.Options) iter.Seq[ai.Event] {
	s.requests = append(s.requests, req)
	if len(s.answers) == 0 {
		s.t.Errorf("request %d was not expected", len(s.requests))
		return ai.Fail(m, &ai.Failure{Class: ai.FailFatal, Message: "script is over"})
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	return func(yield func(ai.Event) bool) {
		msg := &ai.AssistantMessage{Model: m.ID, StopReason: ai.StopPending}
		if a.wait > 0 {
			time.Sleep(a.wait)
		}
		if a.text != "" || a.hang || a.panic {
			if !yield(ai.Event{Type: ai.EventStart, Partial: msg}) {
				return
			}
			p := *msg
			p.Content = ai.TextBlocks(a.text)
			msg = &p
			yield(ai.Event{Type: ai.EventTextStart, Partial: msg})
			yield(ai.Event{Type: ai.EventTextDelta, Delta: a.text, Partial: msg})
			yield(ai.Event{Type: ai.EventTextEnd, Content: a.text, Partial: msg})
		}
		if a.panic {
			panic("provider broke")
		}
		if a.cut {
			return
		}
		final := *msg
		final.StopReason = ai.StopEnd
		for _, c := range a.calls {
			final.Content = append(final.Content, c)
			final.StopReason = ai.StopToolUse
		}
		if a.stop != "" {
			final.StopReason = a.stop
		}
		if a.hang {
			<-ctx.Done()
			final.StopReason, final.ErrorMessage = ai.StopAborted, "aborted"
		}
		if a.err != "" {
			final.StopReason, final.ErrorMessage = ai.StopError, a.err
		}
		typ := ai.EventDone
		if final.StopReason == ai.StopError || final.StopReason == ai.StopAborted {
			typ = ai.EventError
		}
		yield(ai.Event{Type: typ, Reason: final.StopReason, Message: &final})
	}
}

func user(text string) ai.Message { return &ai.UserMessage{Content: ai.TextBlocks(text)} }

// short writes messages as role:text, one a line.
func short(msgs []ai.Message) string {
	var b strings.Builder
	for _, m := range msgs {
		switch m := m.(type) {
		case *ai.UserMessage:
			fmt.Fprintf(&b, "user:%s\n", ai.ContentText(m.Content))
		case *ai.AssistantMessage:
			fmt.Fprintf(&b, "assistant:%s", ai.ContentText(m.Content))
			for _, c := range m.ToolCalls() {
				fmt.Fprintf(&b, " %s(%s)", c.Name, c.ID)
			}
			if m.StopReason == ai.StopError || m.StopReason == ai.StopAborted {
				fmt.Fprintf(&b, " !%s: %s", m.StopReason, m.ErrorMessage)
			}
			b.WriteByte('\n')
		case *ai.ToolResultMessage:
			mark := "result"
			if m.IsError {
				mark = "error"
			}
			text, _, _ := strings.Cut(ai.ContentText(m.Content), "\n")
			fmt.Fprintf(&b, "%s(%s):%s\n", mark, m.ToolCallID, text)
		}
	}
	return b.String()
}

func echoTool(name string) *Tool {
	return &Tool{
		Name:       name,
		Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"},"list":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]}}},"required":["text"]}`),
		Execute: func(_ context.Context, c Call, _ func(Result)) (Result, error) {
			var a struct {
				Text string
				N    int
			}
			if err := json.Unmarshal(c.Args, &a); err != nil {
				return Result{}, err
			}
			switch a.Text {
			case "fail":
				return Result{}, errors.New("it broke")
			case "panic":
				panic("oh")
			case "end":
				return Result{Content: ai.TextBlocks("ended"), Terminate: true}, nil
			}
			return TextResult(fmt.Sprintf("%s %d", a.Text, a.N)), nil
		},
	}
}

func kinds(events []Event) string {
	var out []string
	for _, ev := range events {
		k := string(ev.Type)
		switch ev.Type {
		case MessageStart, MessageEnd:
			k += ":" + string(ev.Message.MessageRole())
		case ToolExecutionStart, ToolExecutionEnd, ToolExecutionUpdate:
			k += ":" + ev.ToolCallID
		}
		out = append(out, k)
	}
	return strings.Join(out, " ")
}

// Each row of the loop's error table, and the plain cases.
func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []answer
		cfg     func(*Config)
		want    string
	}{
		{"plain answer", []answer{{text: "hello"}}, nil, "user:go\nassistant:hello\n"},
		{"tool, then answer", []answer{{text: "a", calls: []*ai.ToolCall{call("1", "echo", `{"text":"x","n":2}`)}}, {text: "done"}}, nil,
			"user:go\nassistant:a echo(1)\nresult(1):x 2\nassistant:done\n"},
		{"results keep source order", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`), call("2", "nope", `{}`), call("3", "echo", `{"text":"z"}`)}}, {text: "done"}}, nil,
			"user:go\nassistant: echo(1) nope(2) echo(3)\nresult(1):x 0\nerror(2):Tool nope not found\nresult(3):z 0\nassistant:done\n"},
		{"length runs no call", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`)}, stop: ai.StopLength}, {text: "ok"}}, nil,
			"user:go\nassistant: echo(1)\nerror(1):" + truncatedText + "\nassistant:ok\n"},
		{"invalid arguments", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"n":"x"}`)}}, {text: "ok"}}, nil,
			"user:go\nassistant: echo(1)\nerror(1):Invalid arguments for tool echo:\nassistant:ok\n"},
		{"unreadable arguments", []answer{{calls: []*ai.ToolCall{{ID: "1", Name: "echo", Arguments: json.RawMessage(`{}`), ArgumentsError: "bad", ArgumentsText: "rm"}}}, {text: "ok"}}, nil,
			"user:go\nassistant: echo(1)\nerror(1):The arguments of this call are not valid JSON (bad), so it was not run. You sent:\nassistant:ok\n"},
		{"tool error goes on", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"fail"}`), call("2", "echo", `{"text":"b"}`)}}, {text: "ok"}}, nil,
			"user:go\nassistant: echo(1) echo(2)\nerror(1):it broke\nresult(2):b 0\nassistant:ok\n"},
		{"tool panic is an error result", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"panic"}`)}}, {text: "ok"}}, nil,
			"user:go\nassistant: echo(1)\nerror(1):tool echo: panic: oh\nassistant:ok\n"},
		{"blocked", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`)}}, {text: "ok"}}, func(c *Config) {
			c.BeforeToolCall = func(context.Context, ToolContext) (*Block, error) { return &Block{}, nil }
		}, "user:go\nassistant: echo(1)\nerror(1):" + blockedText + "\nassistant:ok\n"},
		{"blocked and terminated", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`)}}}, func(c *Config) {
			c.BeforeToolCall = func(context.Context, ToolContext) (*Block, error) {
				return &Block{Reason: "no", Terminate: true}, nil
			}
		}, "user:go\nassistant: echo(1)\nerror(1):no\n"},
		{"failing before hook blocks", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`)}}, {text: "ok"}}, func(c *Config) {
			c.BeforeToolCall = func(context.Context, ToolContext) (*Block, error) { return nil, errors.New("hook died") }
		}, "user:go\nassistant: echo(1)\nerror(1):hook died\nassistant:ok\n"},
		{"after hook replaces", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`)}}, {text: "ok"}}, func(c *Config) {
			c.AfterToolCall = func(_ context.Context, tc ToolContext, r Result) (*Result, error) {
				n := TextResult("new " + ai.ContentText(r.Content))
				return &n, nil
			}
		}, "user:go\nassistant: echo(1)\nresult(1):new x 0\nassistant:ok\n"},
		{"terminate needs all", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"end"}`), call("2", "echo", `{"text":"b"}`)}}, {text: "ok"}}, nil,
			"user:go\nassistant: echo(1) echo(2)\nresult(1):ended\nresult(2):b 0\nassistant:ok\n"},
		{"all terminate", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"end"}`), call("2", "echo", `{"text":"end"}`)}}}, nil,
			"user:go\nassistant: echo(1) echo(2)\nresult(1):ended\nresult(2):ended\n"},
		{"stream error ends the run", []answer{{text: "par", calls: nil, err: "overloaded"}}, nil,
			"user:go\nassistant:par !error: overloaded\n"},
		{"stream without an end", []answer{{text: "par", cut: true}}, nil,
			"user:go\nassistant:par !error: the stream ended without a final event\n"},
		{"provider panic", []answer{{text: "par", panic: true}}, nil,
			"user:go\nassistant:par !error: ask model: panic: provider broke\n"},
		{"transform error", nil, func(c *Config) {
			c.TransformContext = func(context.Context, []ai.Message) ([]ai.Message, error) { return nil, errors.New("no context") }
		}, "user:go\nassistant: !error: no context\n"},
		{"no key", nil, func(c *Config) {
			c.APIKey = func(context.Context, *ai.Model) (Auth, error) { return Auth{}, errors.New("no key for p") }
		}, "user:go\nassistant: !error: no key for p\n"},
		{"finish turn ends", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`)}}}, func(c *Config) {
			c.FinishTurn = func(context.Context, Turn) (Decision, error) { return EndRun, nil }
		}, "user:go\nassistant: echo(1)\nresult(1):x 0\n"},
		{"should stop", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`)}}}, func(c *Config) {
			c.ShouldStopAfterTurn = func(context.Context, Turn) bool { return true }
		}, "user:go\nassistant: echo(1)\nresult(1):x 0\n"},
		{"finish turn goes on once", []answer{{text: "a"}, {text: "b"}}, func(c *Config) {
			n := 0
			c.FinishTurn = func(context.Context, Turn) (Decision, error) {
				if n++; n == 1 {
					return ContinueTurn, nil
				}
				return Proceed, nil
			}
		}, "user:go\nassistant:a\nassistant:b\n"},
		{"prepare next turn fails", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`)}}}, func(c *Config) {
			c.PrepareNextTurn = func(context.Context, Turn) (*NextTurn, error) { return nil, errors.New("compaction failed") }
		}, "user:go\nassistant: echo(1)\nresult(1):x 0\nassistant: !error: compaction failed\n"},
		{"sequential", []answer{{calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`), call("2", "echo", `{"text":"y"}`)}}, {text: "ok"}}, func(c *Config) {
			c.ToolExecution = Sequential
		}, "user:go\nassistant: echo(1) echo(2)\nresult(1):x 0\nresult(2):y 0\nassistant:ok\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{t: t, answers: tt.answers}
			cfg := Config{Model: &ai.Model{ID: "m"}, Stream: s.stream}
			if tt.cfg != nil {
				tt.cfg(&cfg)
			}
			var events []Event
			msgs := Run(context.Background(), []ai.Message{user("go")}, Context{Tools: []*Tool{echoTool("echo")}}, cfg, func(e Event) { events = append(events, e) })
			if got := short(msgs); got != tt.want {
				t.Errorf("messages\n%s\nwant\n%s", got, tt.want)
			}
			if len(s.answers) > 0 {
				t.Errorf("%d answers were not asked for", len(s.answers))
			}
			checkEvents(t, events, msgs)
		})
	}
}

// checkEvents holds what every run must keep: balanced events, each call with
// one result, agent_end last and with all messages.
func checkEvents(t *testing.T, events []Event, msgs []ai.Message) {
	t.Helper()
	open := map[string]int{}
	var ended []ai.Message
	for _, ev := range events {
		switch ev.Type {
		case TurnStart, MessageStart, AgentStart:
			open[strings.TrimSuffix(string(ev.Type), "_start")]++
		case TurnEnd, AgentEnd:
			open[strings.TrimSuffix(string(ev.Type), "_end")]--
		case MessageEnd:
			open["message"]--
			ended = append(ended, ev.Message)
		case ToolExecutionStart:
			open["tool"]++
		case ToolExecutionEnd:
			open["tool"]--
		}
	}
	for k, n := range open {
		if n != 0 {
			t.Errorf("%s events are not balanced (%+d): %s", k, n, kinds(events))
		}
	}
	if last := events[len(events)-1]; last.Type != AgentEnd || len(last.Messages) != len(msgs) || len(ended) != len(msgs) {
		t.Errorf("agent_end has %d messages, %d ended, want %d", len(last.Messages), len(ended), len(msgs))
	}
	results := map[string]int{}
	for _, m := range msgs {
		if r, ok := m.(*ai.ToolResultMessage); ok {
			results[r.ToolCallID]++
		}
	}
	for _, m := range msgs {
		if a, ok := m.(*ai.AssistantMessage); ok {
			for _, c := range a.ToolCalls() {
				if results[c.ID] != 1 {
					t.Errorf("call %s has %d results", c.ID, results[c.ID])
				}
			}
		}
	}
}

func TestEventOrder(t *testing.T) {
	s := &script{t: t, answers: []answer{{text: "a", calls: []*ai.ToolCall{call("1", "echo", `{"text":"x"}`)}}, {text: "b"}}}
	var events []Event
	Run(context.Background(), []ai.Message{user("go")}, Context{Tools: []*Tool{echoTool("echo")}}, Config{Model: &ai.Model{}, Stream: s.stream}, func(e Event) { events = append(events, e) })
	want := "agent_start turn_start message_start:user message_end:user " +
		"message_start:assistant message_update message_update message_update message_end:assistant " +
		"tool_execution_start:1 tool_execution_end:1 message_start:toolResult message_end:toolResult turn_end " +
		"turn_start message_start:assistant message_update message_update message_update message_end:assistant turn_end agent_end"
	if got := kinds(events); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSteeringEntersAfterTheBatch(t *testing.T) {
	s := &script{t: t, answers: []answer{
		{calls: []*ai.ToolCall{call("1", "slow", `{"text":"x"}`), call("2", "slow", `{"text":"y"}`)}},
		{text: "steered"}, {text: "followed"},
	}}
	var a *Agent
	slow := echoTool("slow")
	inner := slow.Execute
	slow.Execute = func(ctx context.Context, c Call, u func(Result)) (Result, error) {
		if c.ID == "1" {
			a.FollowUp(user("later"))
			a.Steer(user("now"))
		}
		return inner(ctx, c, u)
	}
	a = New(Config{Model: &ai.Model{}, Stream: s.stream}, Context{Tools: []*Tool{slow}})
	if err := a.Prompt(context.Background(), user("go")); err != nil {
		t.Fatal(err)
	}
	want := "user:go\nassistant: slow(1) slow(2)\nresult(1):x 0\nresult(2):y 0\nuser:now\nassistant:steered\nuser:later\nassistant:followed\n"
	if got := short(a.State().Context.Messages); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for i, n := range []int{1, 5, 7} {
		if got := len(s.requests[i].Messages); got != n {
			t.Errorf("request %d has %d messages, want %d", i, got, n)
		}
	}
}

func TestQueueModes(t *testing.T) {
	for _, tt := range []struct {
		mode QueueMode
		want string
	}{
		{OneAtATime, "user:go\nassistant:1\nuser:a\nassistant:2\nuser:b\nassistant:3\n"},
		{All, "user:go\nassistant:1\nuser:a\nuser:b\nassistant:2\n"},
	} {
		s := &script{t: t, answers: []answer{{text: "1"}, {text: "2"}, {text: "3"}}}
		if tt.mode == All {
			s.answers = s.answers[:2]
		}
		a := New(Config{Model: &ai.Model{}, Stream: s.stream}, Context{})
		a.SetFollowUpMode(tt.mode)
		a.FollowUp(user("a"))
		a.FollowUp(user("b"))
		if err := a.Prompt(context.Background(), user("go")); err != nil {
			t.Fatal(err)
		}
		if got := short(a.State().Context.Messages); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.mode, got, tt.want)
		}
	}
}

func TestAbortAnswersEveryCall(t *testing.T) {
	for _, mode := range []ExecutionMode{Parallel, Sequential} {
		t.Run(string(mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{t: t, answers: []answer{{calls: []*ai.ToolCall{call("1", "wait", `{}`), call("2", "deaf", `{}`), call("3", "wait", `{}`)}}}}
				release := make(chan struct{})
				wait := &Tool{Name: "wait", Execute: func(ctx context.Context, _ Call, _ func(Result)) (Result, error) {
					<-ctx.Done()
					return Result{}, ctx.Err()
				}}
				deaf := &Tool{Name: "deaf", Execute: func(_ context.Context, _ Call, update func(Result)) (Result, error) {
					<-release
					update(TextResult("too late"))
					return Result{}, nil
				}}
				a := New(Config{Model: &ai.Model{}, Stream: s.stream, ToolExecution: mode}, Context{Tools: []*Tool{wait, deaf}})
				var events []Event
				a.Record = func(ev Event) { events = append(events, ev) }
				go func() {
					time.Sleep(time.Second)
					a.Steer(user("kept"))
					a.Abort()
				}()
				if err := a.Prompt(t.Context(), user("go")); err != nil {
					t.Fatal(err)
				}
				msgs := a.State().Context.Messages
				checkEvents(t, events, msgs)
				last := msgs[len(msgs)-1].(*ai.AssistantMessage)
				if last.StopReason != ai.StopAborted {
					t.Errorf("last message: %s", short(msgs))
				}
				if st, _ := a.Queued(); len(st) != 1 {
					t.Errorf("the steering message was sent after the abort")
				}
				close(release)
			})
		})
	}
}

func TestAbortWhileStreamingKeepsTheText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{t: t, answers: []answer{{text: "half", hang: true}}}
		a := New(Config{Model: &ai.Model{}, Stream: s.stream}, Context{})
		go func() { time.Sleep(time.Second); a.Abort() }()
		if err := a.Prompt(t.Context(), user("go")); err != nil {
			t.Fatal(err)
		}
		if got := short(a.State().Context.Messages); got != "user:go\nassistant:half !aborted: aborted\n" {
			t.Error(got)
		}
	})
}

func TestParallelCallsOverlapAndSequentialDoNot(t *testing.T) {
	for _, tt := range []struct {
		mode ExecutionMode
		want time.Duration
	}{{Parallel, time.Second}, {Sequential, 3 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{t: t, answers: []answer{{calls: []*ai.ToolCall{call("1", "nap", `{}`), call("2", "nap", `{}`), call("3", "nap", `{}`)}}, {text: "ok"}}}
			nap := &Tool{Name: "nap", Mode: tt.mode, Execute: func(context.Context, Call, func(Result)) (Result, error) {
				time.Sleep(time.Second)
				return TextResult("z"), nil
			}}
			start := time.Now()
			Run(t.Context(), []ai.Message{user("go")}, Context{Tools: []*Tool{nap}}, Config{Model: &ai.Model{}, Stream: s.stream}, func(Event) {})
			if got := time.Since(start); got != tt.want {
				t.Errorf("%s took %v", tt.mode, got)
			}
		})
	}
}

func TestSlowSubscriberDoesNotSlowTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{t: t, answers: []answer{{text: "a"}}}
		a := New(Config{Model: &ai.Model{}, Stream: s.stream}, Context{})
		var got []Event
		done := make(chan struct{})
		cancel := a.Subscribe(func(ev Event) {
			time.Sleep(time.Minute)
			if got = append(got, ev); ev.Type == AgentEnd {
				close(done)
			}
		})
		start := time.Now()
		if err := a.Prompt(t.Context(), user("go")); err != nil {
			t.Fatal(err)
		}
		if time.Since(start) > 0 {
			t.Errorf("the run waited %v", time.Since(start))
		}
		cancel()
		<-done
		checkEvents(t, got, a.State().Context.Messages)
	})
}

func TestBusyAndContinue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{t: t, answers: []answer{{text: "a", hang: true}, {text: "b"}}}
		a := New(Config{Model: &ai.Model{}, Stream: s.stream}, Context{})
		if err := a.Continue(t.Context()); !errors.Is(err, ErrNoMessages) {
			t.Errorf("continue of nothing: %v", err)
		}
		go func() { _ = a.Prompt(t.Context(), user("go")) }()
		synctest.Wait()
		if err := a.Prompt(t.Context(), user("again")); !errors.Is(err, ErrBusy) {
			t.Errorf("second prompt: %v", err)
		}
		a.Abort()
		if err := a.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if err := a.Continue(t.Context()); !errors.Is(err, ErrAnsweredAlready) {
			t.Errorf("continue with empty queues: %v", err)
		}
		a.FollowUp(user("queued"))
		if err := a.Continue(t.Context()); err != nil {
			t.Error(err)
		}
		if got := short(a.State().Context.Messages); !strings.HasSuffix(got, "user:queued\nassistant:b\n") {
			t.Error(got)
		}
	})
}

func TestPullStopsWhenTheCallerDoes(t *testing.T) {
	s := &script{t: t, answers: []answer{{text: "a", hang: true}}}
	st := Stream(context.Background(), []ai.Message{user("go")}, Context{}, Config{Model: &ai.Model{}, Stream: s.stream})
	for ev := range st.Events() {
		if ev.Type == MessageUpdate {
			break
		}
	}
	if got := short(st.Messages()); got != "user:go\nassistant:a !aborted: aborted\n" {
		t.Error(got)
	}
}

func TestRunDoesNotWriteToTheCallersSlice(t *testing.T) {
	msgs := make([]ai.Message, 1, 10)
	msgs[0] = user("old")
	s := &script{t: t, answers: []answer{{text: "a"}}}
	Run(context.Background(), []ai.Message{user("go")}, Context{Messages: msgs}, Config{Model: &ai.Model{}, Stream: s.stream}, func(Event) {})
	if msgs[:2][1] != nil {
		t.Error("the caller's array was written to")
	}
}
