package interactive

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tau/agent"
	"tau/ai"
	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/session/store"
	"tau/tui/term"
	"tau/tui/termtest"
)

// benchProgram is a program that is not run: what it would draw is asked for
// directly.
func benchProgram(b *testing.B, o cli.Options) *program {
	b.Helper()
	dir := b.TempDir()
	b.Setenv("HOME", dir)
	b.Setenv("TAU_AGENT_DIR", "")
	b.Chdir(dir)
	o.Mode = "text"
	a, err := app.New(o, "bench")
	if err != nil {
		b.Fatal(err)
	}
	s, _, err := a.Start()
	if err != nil {
		b.Fatal(err)
	}
	p := newProgram(a, s, term.New(termtest.New(120, 40), term.Options{Getenv: func(string) string { return "" }}))
	b.Cleanup(func() {
		p.cancel()
		_ = s.Close()
		a.Close()
	})
	return p
}

// BenchmarkFirstFrame is what happens between the command line and the first
// frame, without the start of the process.
func BenchmarkFirstFrame(b *testing.B) {
	for b.Loop() {
		p := benchProgram(b, cli.Options{NoSession: true})
		if lines := p.screen.RenderArea(120, 40); len(lines) == 0 {
			b.Fatal("nothing was drawn")
		}
	}
}

// BenchmarkDelta is one delta of an answer and what is drawn of it, below
// transcripts of different length. The cost must not depend on the length.
func BenchmarkDelta(b *testing.B) {
	for _, lines := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			p := benchProgram(b, cli.Options{NoSession: true})
			for i := range lines / 10 {
				a := newAnswer()
				p.script.answer = a
				p.script.stream(a, &ai.Event{Type: ai.EventTextEnd, Content: fmt.Sprintf("Answer %d.\n\n- a\n- b\n- c\n- d\n- e\n\nThe end.", i)})
			}
			p.screen.RenderArea(120, 40)
			p.script.answer = newAnswer()
			ev := agent.Event{Type: agent.MessageUpdate, Stream: &ai.Event{Type: ai.EventTextDelta, Delta: "word "}}
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				if n++; n%400 == 0 {
					// Answers have paragraphs.
					ev.Stream.Delta = "\n\n"
				} else {
					ev.Stream.Delta = "word "
				}
				p.script.apply(ev)
				p.screen.RenderArea(120, 40)
			}
		})
	}
}

// BenchmarkResume opens a conversation of 10,000 entries up to its first
// screen.
func BenchmarkResume(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s.jsonl")
	st := store.Create(path, store.Header{CWD: os.TempDir()})
	for i := range 5_000 {
		for _, m := range []ai.Message{
			&ai.UserMessage{Content: ai.TextBlocks(fmt.Sprintf("question %d", i))},
			&ai.AssistantMessage{Content: ai.TextBlocks("An answer of some length, in **Markdown**.\n\n- one\n- two"), StopReason: ai.StopEnd, Provider: "demo", Model: "demo", Usage: ai.Usage{TotalTokens: 1000}},
		} {
			if _, err := st.Append(&store.MessageEntry{Message: m}); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p := benchProgram(b, cli.Options{Session: path})
		p.screen.RenderArea(120, 40)
		b.StopTimer()
		p.cancel()
		_ = p.session.Close()
		b.StartTimer()
	}
}
