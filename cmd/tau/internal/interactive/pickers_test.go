package interactive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/cmd/tau/internal/cli"
)

const ctrlR, ctrlS, ctrlA, ctrlX = "\x12", "\x13", "\x01", "\x18"

// withModels gives the rig a provider with three models.
func withModels(t *testing.T, work string) {
	t.Helper()
	write(t, filepath.Join(filepath.Dir(work), ".tau", "agent", "models.json"), `{"providers":{"lab":{"baseUrl":"http://127.0.0.1:1","api":"anthropic-messages","apiKey":"k","models":[
		{"id":"one","contextWindow":1000},{"id":"two","reasoning":true,"contextWindow":200000},{"id":"three","input":["text","image"],"cost":{"input":1,"output":2}}]}}}`)
}

func TestScopedModels(t *testing.T) {
	work := home(t)
	withModels(t, work)
	relaunch(t, work, 100, 24, cli.Options{}, []turn{}, func(r *rig) {
		file := filepath.Join(filepath.Dir(work), ".tau", "agent", "settings.json")
		r.ask("/scoped-models")
		r.has("Models to cycle through: all", "lab/one", "lab/three")
		r.typing("three")
		r.typing(enter)
		r.has("1 of 4", "✓ lab/three")
		r.dev.Type("\x15") // empties the filter
		r.settle()
		r.typing("two")
		r.typing(enter)
		r.typing("\x15")
		r.golden("scoped")
		r.typing("\x1b[1;3B")
		r.typing(ctrlS)
		b, err := os.ReadFile(file)
		if err != nil || !strings.Contains(strings.Join(strings.Fields(string(b)), ""), `"enabledModels":["lab/two","lab/three"]`) {
			t.Errorf("settings: %s (%v)", b, err)
		}
		r.typing(ctrlX)
		r.has("Models to cycle through: all")
		r.typing(ctrlA)
		r.has("4 of 4")
		r.typing(esc)
		r.ask("/model")
		r.has("those of the cycle (tab: all)")
		r.typing("two")
		r.typing(ctrlS)
		b, _ = os.ReadFile(file)
		if got := r.session().Model().Ref(); got != "lab/two" || !strings.Contains(string(b), `"two"`) {
			t.Errorf("model %s, settings %s", got, b)
		}
		r.ask("/thinking")
		r.has("Thinking", "for hard problems")
		r.golden("thinking_picker")
		r.typing("high")
		r.typing(enter)
		if got := r.session().Thinking(); got != "high" {
			t.Errorf("thinking %s", got)
		}
	})
}

func TestContextAndCost(t *testing.T) {
	launch(t, 100, 40, cli.Options{}, []turn{{Thinking: "Hm.", Text: "One."}, {Text: "Two."}}, func(r *rig) {
		r.ask("/cost")
		r.settle()
		r.has("No turn has been paid for yet.")
		r.ask("first question")
		r.finish()
		r.ask("second question")
		r.finish()
		r.ask("/context")
		r.settle()
		r.has("tools", "your messages (2)", "answers (2)", "thoughts", "system prompt: rules")
		r.ask("/cost")
		r.settle()
		r.has("first question", "second question")
	})
}

func TestRecallAndStash(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "One."}, {Text: "Two."}}, func(r *rig) {
		r.ask("build the parser")
		r.finish()
		r.ask("test the lexer")
		r.finish()
		r.ask("/new")
		r.dev.Type("parser")
		r.settle()
		r.typing(ctrlR)
		r.settle()
		r.has("What you asked before", "build the parser")
		r.hasNot("test the lexer")
		r.typing(enter)
		if got := r.p.editor.Text(); got != "build the parser" {
			t.Errorf("editor %q", got)
		}
		r.typing(ctrlS)
		if !r.p.editor.IsEmpty() {
			t.Errorf("editor %q", r.p.editor.Text())
		}
		r.typing("!ls")
		r.typing(ctrlS)
		r.typing(ctrlS)
		if got := r.p.editor.Text(); got != "!ls" {
			t.Errorf("editor %q", got)
		}
		r.p.editor.Clear()
		r.typing(ctrlS)
		if got := r.p.editor.Text(); got != "build the parser" {
			t.Errorf("editor %q", got)
		}
	})
}

func TestDoctorAndHotkeys(t *testing.T) {
	work := home(t)
	write(t, filepath.Join(filepath.Dir(work), ".tau", "agent", "keybindings.json"), `{"app.model.select":"ctrl+o"}`)
	relaunch(t, work, 100, 60, cli.Options{}, []turn{}, func(r *rig) {
		r.ask("/doctor")
		r.wait(300e6)
		r.has("this session", "nothing on disk yet", "key bindings", "true colour")
		r.ask("/hotkeys")
		r.has("ctrl+o means more than one thing: app.tools.expand, app.model.select.")
	})
}

func TestThemePicker(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, nil, func(r *rig) {
		r.ask("/theme")
		r.dev.Type("\x1b[B\x1b[B")
		r.settle()
		if got := r.p.look.Theme.Name(); got != "light" {
			t.Errorf("the preview is %s", got)
		}
		r.typing(esc)
		if got := r.p.look.Theme.Name(); got != "system" {
			t.Errorf("after leaving it is %s", got)
		}
	})
}
