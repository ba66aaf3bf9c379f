package session

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tau/ai"
	"tau/session/message"
	"tau/session/store"
)

// echo is a shell that writes its command line back.
func echo(_ context.Context, command string, delta func(string)) (ShellResult, error) {
	delta("ran ")
	delta(command)
	code := 0
	return ShellResult{Output: "ran " + command, ExitCode: &code}, nil
}

func TestShellCommandsJoinTheConversation(t *testing.T) {
	m := &model{answers: []reply{says("one"), says("two")}}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	s := newSession(t, path, m, work(nil))
	s.opts.Shell = echo
	var mu sync.Mutex
	var got []string
	s.Subscribe(func(ev Event) {
		mu.Lock()
		defer mu.Unlock()
		switch ev.Type {
		case ShellUpdate:
			got = append(got, ev.ShellID+" "+ev.Delta)
		case ShellEnd:
			got = append(got, ev.ShellID+" end "+ev.Shell.Output)
		}
	})
	ask(t, s, "first")
	if _, err := s.RunShell(context.Background(), "a", "ls", false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RunShell(context.Background(), "b", "secret", true); err != nil {
		t.Fatal(err)
	}
	ask(t, s, "second")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "a ran |a ls|a end ran ls|b ran |b secret|b end ran secret"; strings.Join(got, "|") != want {
		t.Errorf("events %q, want %q", strings.Join(got, "|"), want)
	}
	var sent []string
	for _, msg := range m.requests[1].Messages {
		if u, ok := msg.(*ai.UserMessage); ok {
			sent = append(sent, ai.ContentText(u.Content))
		}
	}
	if want := "first|Ran `ls`\n```\nran ls\n```|second"; strings.Join(sent, "|") != want {
		t.Errorf("sent %q, want %q", strings.Join(sent, "|"), want)
	}
	st, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	c, err := st.Context()
	if err != nil {
		t.Fatal(err)
	}
	var stored []string
	for _, msg := range c.Messages {
		if b, ok := msg.(*message.Bash); ok {
			stored = append(stored, b.Command)
		}
	}
	if strings.Join(stored, " ") != "ls secret" {
		t.Errorf("stored %q", stored)
	}
}

func TestShellCommandDuringARunGoesInAfterIt(t *testing.T) {
	var s *Session
	m := &model{answers: []reply{calls("1"), says("done"), says("more")}}
	s = newSession(t, "", m, work(func(ctx context.Context) {
		if _, err := s.RunShell(ctx, "", "ls", false); err != nil {
			t.Error(err)
		}
	}))
	s.opts.Shell = echo
	ask(t, s, "go")
	ask(t, s, "again")
	var order []string
	for _, n := range s.Store().Nodes() {
		if n.Type == "message" && n.Role != ai.RoleSystem {
			order = append(order, string(n.Role))
		}
	}
	if want := "user assistant toolResult assistant bashExecution user assistant"; strings.Join(order, " ") != want {
		t.Errorf("order %q, want %q", strings.Join(order, " "), want)
	}
	s.Close()
}

func TestAbortShell(t *testing.T) {
	m := &model{}
	s := newSession(t, "", m, work(nil))
	begun := make(chan struct{})
	s.opts.Shell = func(ctx context.Context, _ string, _ func(string)) (ShellResult, error) {
		close(begun)
		<-ctx.Done()
		return ShellResult{Cancelled: true}, nil
	}
	go func() {
		<-begun
		s.AbortShell()
	}()
	b, err := s.RunShell(context.Background(), "", "sleep", false)
	if err != nil || !b.Cancelled {
		t.Errorf("%+v %v", b, err)
	}
	if s.ShellRunning() {
		t.Error("still running")
	}
	s.Close()
	if _, err := s.RunShell(context.Background(), "", "x", false); err == nil {
		t.Error("a closed session ran a command")
	}
}
