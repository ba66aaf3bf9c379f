package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"tau/agent"
	"tau/ai"
	"tau/ai/demo"
	"tau/session"
	"tau/session/store"
	"tau/tools"
)

// A working agent: a model, its protocol, tools in a folder. The model here
// needs no key; for another take, say, anthropic.Stream, a model of package
// catalog, and Request: ai.Options{APIKey: key}.
func Example() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("hello\n"), 0o600)

	set := tools.New(tools.Options{CWD: dir})
	defer set.Close()
	s := session.New(session.Options{CWD: dir, Model: demo.Model(), Stream: demo.New(0), Tools: set.All()})
	defer s.Close()
	if _, err := s.Ask(context.Background(), `replace "hello" with "goodbye" in notes.txt`); err != nil {
		fmt.Println(err)
	}
	b, _ := os.ReadFile(filepath.Join(dir, "notes.txt"))
	fmt.Print(string(b))
	// Output: goodbye
}

// echo is a provider: it answers with the last message of the user, or calls
// the tool that this names. A stream is a start event, events for each block,
// and one that ends it.
func echo(_ context.Context, m *ai.Model, req ai.Request, _ ai.Options) iter.Seq[ai.Event] {
	answer := &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopEnd}
	switch last := req.Messages[len(req.Messages)-1].(type) {
	case *ai.UserMessage:
		text := ai.ContentText(last.Content)
		if name, args, ok := strings.Cut(text, " "); ok && len(req.Tools) > 0 && name == req.Tools[0].Name {
			answer.Content = []ai.Block{&ai.ToolCall{ID: "call_1", Name: name, Arguments: json.RawMessage(args)}}
			answer.StopReason = ai.StopToolUse
			break
		}
		answer.Content = ai.TextBlocks("You said: " + text)
	case *ai.ToolResultMessage:
		answer.Content = ai.TextBlocks("The tool says: " + ai.ContentText(last.Content))
	}
	return func(yield func(ai.Event) bool) {
		if yield(ai.Event{Type: ai.EventStart, Partial: &ai.AssistantMessage{StopReason: ai.StopPending}}) {
			yield(ai.Event{Type: ai.EventDone, Reason: answer.StopReason, Message: answer})
		}
	}
}

func echoModel() *ai.Model {
	return &ai.Model{ID: "echo", Provider: "mine", API: "echo", ContextWindow: 10_000, MaxTokens: 1000}
}

// A provider of one's own is a function.
func Example_provider() {
	s := session.New(session.Options{Model: echoModel(), Stream: echo})
	defer s.Close()
	m, err := s.Ask(context.Background(), "hello")
	fmt.Println(ai.ContentText(m.Content), err)
	// Output: You said: hello <nil>
}

// upper is a tool of one's own. The arguments that reach it fit its schema.
func upper() *agent.Tool {
	return &agent.Tool{
		Name: "upper", Description: "Write a text in capitals.", Snippet: "write in capitals",
		Parameters: json.RawMessage(`{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}`),
		Execute: func(_ context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
			var a struct{ Text string }
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return agent.Result{}, err // the model sees it
			}
			return agent.TextResult(strings.ToUpper(a.Text)), nil
		},
	}
}

func Example_tool() {
	s := session.New(session.Options{Model: echoModel(), Stream: echo, Tools: []*agent.Tool{upper()}})
	defer s.Close()
	m, _ := s.Ask(context.Background(), `upper {"text":"quiet"}`)
	fmt.Println(ai.ContentText(m.Content))
	m, _ = s.Ask(context.Background(), `upper {"txt":"quiet"}`)
	fmt.Println(strings.Contains(ai.ContentText(m.Content), "Invalid arguments for tool upper"))
	// Output:
	// The tool says: QUIET
	// true
}

// Hooks see each call before it runs, and each result before the model does.
func Example_hooks() {
	s := session.New(session.Options{
		Model: echoModel(), Stream: echo, Tools: []*agent.Tool{upper()},
		BeforeToolCall: func(_ context.Context, c agent.ToolContext) (*agent.Block, error) {
			if strings.Contains(string(c.Args), "secret") {
				return &agent.Block{Reason: "not that"}, nil
			}
			return nil, nil
		},
		AfterToolCall: func(_ context.Context, _ agent.ToolContext, r agent.Result) (*agent.Result, error) {
			r = agent.TextResult(ai.ContentText(r.Content) + "!")
			return &r, nil
		},
	})
	defer s.Close()
	for _, prompt := range []string{`upper {"text":"fine"}`, `upper {"text":"secret"}`} {
		m, _ := s.Ask(context.Background(), prompt)
		fmt.Println(ai.ContentText(m.Content))
	}
	// Output:
	// The tool says: FINE!
	// The tool says: not that
}

// A conversation is kept where the program wants it, and goes on from there. The
// file can be opened by tau itself.
func Example_store() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "conversation.jsonl")

	s := session.New(session.Options{Store: store.Create(path, store.Header{CWD: dir}), CWD: dir, Model: echoModel(), Stream: echo})
	s.Ask(context.Background(), "remember me")
	s.Close()

	st, err := store.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	s = session.New(session.Options{Store: st, CWD: dir, Model: echoModel(), Stream: echo})
	defer s.Close()
	for _, m := range s.Messages() {
		if u, ok := m.(*ai.UserMessage); ok {
			fmt.Println(ai.ContentText(u.Content))
		}
	}
	// Output: remember me
}

// Subscribers are told what happens, in order; a message that is sent while the
// agent works goes in after the current turn.
func ExampleSession_Subscribe() {
	working, sent := make(chan struct{}), make(chan struct{})
	slow := upper()
	run := slow.Execute
	slow.Execute = func(ctx context.Context, call agent.Call, update func(agent.Result)) (agent.Result, error) {
		close(working)
		<-sent
		return run(ctx, call, update)
	}
	s := session.New(session.Options{Model: echoModel(), Stream: echo, Tools: []*agent.Tool{slow}})
	s.Subscribe(func(ev session.Event) {
		switch ev.Type {
		case session.EventType(agent.ToolExecutionEnd):
			fmt.Println("ran", ev.Agent.ToolName)
		case session.EventType(agent.MessageEnd):
			if m, ok := ev.Agent.Message.(*ai.AssistantMessage); ok && len(m.ToolCalls()) == 0 {
				fmt.Println(ai.ContentText(m.Content))
			}
		case session.Settled:
			fmt.Println("done")
		}
	})
	s.Send(ai.TextBlocks(`upper {"text":"a"}`), session.Steer)
	<-working
	s.Send(ai.TextBlocks("and now this"), session.Steer)
	close(sent)
	s.Wait(context.Background())
	s.Close() // the subscribers have been told everything
	// Output:
	// ran upper
	// You said: and now this
	// done
}
