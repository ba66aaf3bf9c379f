package interactive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tau/ai"
	"tau/cmd/tau/internal/cli"
	"tau/session/store"
	"tau/themes"
)

func TestStart(t *testing.T) {
	launch(t, 100, 20, cli.Options{}, nil, func(r *rig) { r.golden("start") })
}

func TestStartNarrow(t *testing.T) {
	launch(t, 40, 12, cli.Options{}, nil, func(r *rig) { r.golden("start-narrow") })
}

func TestTinyWindows(t *testing.T) {
	for _, size := range [][2]int{{20, 5}, {10, 3}, {2, 2}, {1, 1}} {
		launch(t, size[0], size[1], cli.Options{}, []turn{{Text: "An answer in **Markdown** with a list:\n\n- one\n- two"}}, func(r *rig) {
			r.ask("hi")
			r.finish()
			r.dev.SetSize(100, 20)
			r.settle()
			r.has("An answer in Markdown", "- two")
		})
	}
}

func TestAnswerWithThinkingAndCode(t *testing.T) {
	launch(t, 80, 24, cli.Options{}, []turn{{Thinking: "Short.", Text: "Use `x`:\n\n```go\nfunc main() {}\n```\n\nDone."}}, func(r *rig) {
		r.ask("how?")
		r.finish()
		r.golden("answer")
		r.typing(ctrlT)
		r.hasNot("Short.")
		r.has("thought")
		r.typing(ctrlT)
		r.has("Short.")
	})
}

func TestEditIsShownAsDiff(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{
		{Text: "I will change it.", ToolCalls: []call{{"edit", map[string]any{"path": "notes.txt", "edits": []any{map[string]any{"oldText": "hello", "newText": "goodbye"}}}}}},
		{Text: "Changed."},
	}, func(r *rig) {
		if err := os.WriteFile("notes.txt", []byte("one\nhello world\nthree\n"), 0o644); err != nil {
			r.t.Fatal(err)
		}
		r.ask("replace it")
		r.finish()
		r.golden("edit")
		if b, _ := os.ReadFile(filepath.Join(r.dir, "notes.txt")); string(b) != "one\ngoodbye world\nthree\n" {
			r.t.Errorf("file %q", b)
		}
	})
}

func TestFailedCallShowsWhy(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{
		{ToolCalls: []call{{"edit", map[string]any{"path": "none.txt", "edits": []any{map[string]any{"oldText": "a", "newText": "b"}}}}, {"nope", map[string]any{"x": 1}}}},
		{Text: "It is not there."},
	}, func(r *rig) {
		r.ask("go")
		r.finish()
		r.golden("failed-call")
	})
}

func TestSteeringIsQueuedAndShown(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{
		{Text: "Working on it.", DelayMs: 3000}, {Text: "Steered."}, {Text: "Followed up."},
	}, func(r *rig) {
		r.ask("go")
		r.dev.Type("look here")
		r.wait(20 * time.Millisecond)
		r.dev.Type(enter)
		r.wait(20 * time.Millisecond)
		r.dev.Type("and later this")
		r.wait(20 * time.Millisecond)
		r.dev.Type(altEnter)
		r.wait(100 * time.Millisecond)
		r.golden("queue")
		r.finish()
		r.hasNot("follow-up 1", "steering 1")
		r.golden("queue-sent")
	})
}

func TestEscGivesTheQueueBack(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "Thinking about it.", DelayMs: 60_000}}, func(r *rig) {
		r.ask("go")
		r.ask("first")
		r.dev.Type("second")
		r.wait(20 * time.Millisecond)
		r.dev.Type(altEnter)
		r.wait(20 * time.Millisecond)
		r.dev.Type("draft")
		r.wait(20 * time.Millisecond)
		start := time.Now()
		r.dev.Type(esc)
		for r.session().Busy() && time.Since(start) < time.Second {
			r.wait(5 * time.Millisecond)
		}
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Errorf("the prompt came back after %v", took)
		}
		r.settle()
		r.has("Stopped.")
		if got := r.p.editor.Text(); got != "first\n\nsecond\n\ndraft" {
			t.Errorf("editor %q", got)
		}
		r.golden("stopped")
	})
}

func TestRetryCountsDown(t *testing.T) {
	launch(t, 90, 20, cli.Options{}, []turn{{Text: "Half", Error: &failed{"Overloaded", "retry"}}, {Text: "Whole."}}, func(r *rig) {
		r.ask("go")
		r.wait(300 * time.Millisecond)
		r.has("again in 2s (1 of 3)", "Overloaded")
		r.finish()
		r.has("Half", "Whole.")
		r.hasNot("again in")
	})
}

func TestEscDuringTheWait(t *testing.T) {
	launch(t, 90, 20, cli.Options{}, []turn{{Error: &failed{"Overloaded", "retry"}}}, func(r *rig) {
		r.ask("go")
		r.wait(300 * time.Millisecond)
		r.dev.Type(esc)
		r.wait(100 * time.Millisecond)
		if r.session().Busy() {
			t.Error("still waiting")
		}
		r.hasNot("again in")
	})
}

func TestFatalErrorIsShown(t *testing.T) {
	launch(t, 90, 20, cli.Options{}, []turn{{Error: &failed{"The key is wrong.", "auth"}}}, func(r *rig) {
		r.ask("go")
		r.finish()
		r.has("✗ The key is wrong.")
	})
}

func TestSlashCommands(t *testing.T) {
	launch(t, 100, 40, cli.Options{}, nil, func(r *rig) {
		r.typing("/th")
		r.has("/thinking", "/theme", "choose the colours")
		r.typing(esc)
		r.typing("\x15") // ctrl+u
		r.ask("/nope")
		r.has("There is no command /nope")
		if r.p.editor.Text() != "/nope" {
			t.Errorf("what was typed is gone: %q", r.p.editor.Text())
		}
		r.typing("\x15")
		r.ask("/help")
		r.has("/tree walk back", "alt+enter")
		r.ask("/session")
		r.has("entries")
		r.ask("/name my work")
		r.has("my work")
		r.ask("/hotkeys")
		r.has("keybindings.json")
	})
}

func TestModelPicker(t *testing.T) {
	launch(t, 100, 24, cli.Options{}, nil, func(r *rig) {
		r.typing(ctrlL)
		r.golden("model-picker")
		r.typing("zzz")
		r.has("nothing matches")
		r.typing(esc)
		r.hasNot("nothing matches")
		r.typing("x")
		if r.p.editor.Text() != "x" {
			t.Errorf("the editor does not have the keyboard: %q", r.p.editor.Text())
		}
	})
}

func TestCtrlCAndCtrlD(t *testing.T) {
	launch(t, 80, 20, cli.Options{}, nil, func(r *rig) {
		r.typing("some text")
		r.typing(ctrlC)
		if !r.p.editor.IsEmpty() {
			t.Error("Ctrl+C did not empty the editor")
		}
		r.typing("abc")
		r.typing("\x01" + ctrlD) // at the start of the text it deletes
		if r.p.editor.Text() != "bc" {
			t.Errorf("Ctrl+D: %q", r.p.editor.Text())
		}
	})
}

func TestCtrlCTwiceQuits(t *testing.T) {
	launch(t, 80, 20, cli.Options{}, nil, func(r *rig) {
		r.typing(ctrlC)
		r.has("again to quit")
		r.typing(ctrlC)
		r.wait(time.Second)
		select {
		case err := <-r.done:
			r.done <- err
		default:
			t.Error("the program still runs")
		}
	})
}

func TestResumeShowsTheConversation(t *testing.T) {
	work := home(t)
	relaunch(t, work, 90, 24, cli.Options{}, []turn{
		{Text: "First.", ToolCalls: []call{{"write", map[string]any{"path": "a.txt", "content": "x\n"}}}}, {Text: "Written."},
	}, func(r *rig) {
		r.ask("make a file")
		r.finish()
	})
	relaunch(t, work, 90, 24, cli.Options{Continue: true}, []turn{{Text: "Still here."}}, func(r *rig) {
		r.has("make a file", "First.", "write", "Written.")
		r.ask("and now?")
		r.finish()
		r.has("Still here.")
		r.golden("resumed")
		if n := r.session().Store().Len(); n < 8 {
			t.Errorf("%d entries", n)
		}
	})
}

// A file of another program may hold one question and one answer, and nothing
// else.
func TestTwoEntriesAreAConversation(t *testing.T) {
	work := home(t)
	file := filepath.Join(work, "two.jsonl")
	st := store.Create(file, store.Header{CWD: work})
	for _, m := range []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("what is it?")}, &ai.AssistantMessage{Content: ai.TextBlocks("This."), StopReason: ai.StopEnd}} {
		if _, err := st.Append(&store.MessageEntry{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	relaunch(t, work, 80, 20, cli.Options{Session: file}, nil, func(r *rig) { r.has("what is it?", "This.") })
}

func TestNewSession(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "One."}, {Text: "Two."}}, func(r *rig) {
		r.ask("a")
		r.finish()
		first := r.session().Store().Path()
		r.ask("/new")
		r.settle()
		r.hasNot("One.")
		r.ask("b")
		r.finish()
		r.has("Two.")
		if r.session().Store().Path() == first {
			t.Error("the new session has the old file")
		}
		if b, err := os.ReadFile(first); err != nil || !strings.Contains(string(b), "One.") {
			t.Errorf("the old session: %v", err)
		}
	})
}

func TestPanicInATerminalThatGoesAway(t *testing.T) {
	launch(t, 80, 20, cli.Options{}, []turn{{Text: "x", DelayMs: 1000}}, func(r *rig) {
		r.ask("go")
		r.dev.HangUp()
		r.settle()
		select {
		case err := <-r.done:
			if err == nil {
				t.Error("no error for a terminal that is gone")
			}
			r.done <- nil
		default:
			t.Error("the program still runs")
		}
	})
}

func TestLightBackground(t *testing.T) {
	launch(t, 80, 20, cli.Options{}, nil, func(r *rig) {
		r.dev.Type("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
		r.settle()
		if got := r.p.look.Theme.Appearance(); got != themes.Light {
			t.Errorf("theme %s", got)
		}
		if r.p.editor.Text() != "" {
			t.Errorf("the reply was typed: %q", r.p.editor.Text())
		}
	})
}

// A finished program writes nothing and wakes up for nothing.
func TestIdleIsSilent(t *testing.T) {
	launch(t, 80, 20, cli.Options{}, []turn{{Text: "Done."}}, func(r *rig) {
		r.ask("go")
		r.finish()
		r.wait(5 * time.Second)
		r.dev.Writes()
		r.wait(10 * time.Minute)
		if w := r.dev.Writes(); len(w) > 0 {
			t.Errorf("%d writes while idle: %q", len(w), w[0])
		}
	})
}

func TestFileCompletion(t *testing.T) {
	launch(t, 90, 20, cli.Options{}, []turn{{Text: "Seen."}}, func(r *rig) {
		for _, name := range []string{"src/main.go", "src/other.txt", "README.md", ".git/config", ".github/w.yml"} {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				r.t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
				r.t.Fatal(err)
			}
		}
		r.typing("look at @mai")
		r.has("main.go", "src")
		r.typing("\t")
		if got := r.p.editor.Text(); got != "look at @src/main.go " {
			t.Errorf("completed to %q", got)
		}
		r.typing("\x15@git")
		r.has(".github/")
		r.hasNot(".git/config")
	})
}

func TestLoginStoresAKeyThatDoesNotShow(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "One."}}, func(r *rig) {
		r.ask("/login deepseek")
		r.settle()
		r.has("Key of deepseek")
		r.typing("sk-secret")
		r.hasNot("sk-secret")
		r.has("•••")
		r.typing(enter)
		r.has("Signed in to deepseek")
		b, err := os.ReadFile(filepath.Join(filepath.Dir(r.dir), ".tau", "agent", "auth.json"))
		if err != nil || !strings.Contains(string(b), "sk-secret") {
			t.Errorf("auth.json: %v", err)
		}
		r.ask("/logout")
		r.settle()
		r.has("Sign out of", "deepseek")
		r.typing(enter)
		r.has("Signed out of deepseek.")
	})
}

func TestPickersFitSmallWindows(t *testing.T) {
	launch(t, 40, 10, cli.Options{}, nil, func(r *rig) {
		r.ask("/login")
		r.settle()
		s := r.dev.String()
		if !strings.Contains(s, "Sign in to") || !strings.Contains(s, "╰") {
			t.Errorf("the box is cut:\n%s", s)
		}
	})
}
