package interactive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tau/cmd/tau/internal/cli"
)

// shellDone waits for the user's own command.
func (r *rig) shellDone() {
	r.t.Helper()
	for range 500 {
		if r.p.run == nil {
			r.settle()
			return
		}
		r.wait(20 * time.Millisecond)
	}
	r.t.Fatal("the command does not end")
}

func TestOwnCommand(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "I see it."}}, func(r *rig) {
		r.ask("!echo to the model; exit 3")
		r.shellDone()
		r.has("bash", "echo to the model", "yours", "to the model", "[exit status 3]")
		r.ask("!!echo only for me")
		r.shellDone()
		r.has("yours, not sent")
		r.ask("what was that?")
		r.finish()
		r.has("I see it.")
		b, err := os.ReadFile(r.session().Store().Path())
		if err != nil || strings.Count(string(b), `"role":"bashExecution"`) != 2 || !strings.Contains(string(b), `"excludeFromContext":true`) {
			t.Errorf("the file: %v\n%s", err, b)
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTrustIsAskedFor(t *testing.T) {
	work := home(t)
	write(t, filepath.Join(work, ".git", "HEAD"), "ref: refs/heads/main\n")
	skill := filepath.Join(work, ".tau", "skills", "hello", "SKILL.md")
	write(t, skill, "---\nname: hello\ndescription: Says hello.\n---\nSay hello.\n")
	write(t, filepath.Join(work, ".tau", "prompts", "greet.md"), "Greet $1 kindly")
	write(t, filepath.Join(work, ".tau", "settings.json"), `{"hideThinkingBlock":true}`)
	start := func(name string, body func(r *rig)) {
		t.Run(name, func(t *testing.T) {
			relaunch(t, work, 90, 30, cli.Options{}, []turn{{Thinking: "Quietly.", Text: "Hello."}}, func(r *rig) {
				r.p.ui.Post(func() { r.p.begin(nil, nil) })
				r.settle()
				body(r)
			})
		})
	}
	start("asked", func(r *rig) {
		r.has("Trust what this folder brings?", ".tau/skills", "Trust the folder above")
		r.golden("trust")
		r.typing(esc)
		r.ask("/greet Ann")
		r.has("There is no command /greet")
	})
	start("trusted", func(r *rig) {
		r.has("Trust what this folder brings?")
		r.dev.Type("\x1b[A\x1b[A\x1b[A\x1b[A") // up from "not this time"
		r.settle()
		r.typing(enter)
		r.ask("/greet Ann")
		r.finish()
		r.has("Greet Ann kindly", "Hello.")
		r.hasNot("Quietly.")
	})
	start("not asked again", func(r *rig) {
		r.hasNot("Trust what")
		r.ask("/skill:hello and more")
		r.finish()
		r.has("/skill:hello and more")
		r.hasNot("Say hello.", "location=")
	})
	write(t, skill, "---\nname: hello\ndescription: Changed.\n---\nDo something else.\n")
	start("changed", func(r *rig) { r.has("Changed since you trusted it") })
}

func TestReload(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "Done."}}, func(r *rig) {
		write(t, filepath.Join(filepath.Dir(r.dir), ".tau", "agent", "prompts", "greet.md"), "Greet $1")
		r.ask("/greet Ann")
		r.has("There is no command")
		r.p.editor.Clear()
		write(t, filepath.Join(filepath.Dir(r.dir), ".tau", "agent", "keybindings.json"), `{"app.thinking.toggle":"f4"`)
		r.ask("/reload")
		r.has("keybindings.json")
		r.ask("/greet Ann")
		r.finish()
		r.has("Greet Ann", "Done.")
	})
}

func TestSettingsMenu(t *testing.T) {
	launch(t, 100, 30, cli.Options{}, nil, func(r *rig) {
		file := filepath.Join(filepath.Dir(r.dir), ".tau", "agent", "settings.json")
		write(t, file, "{\n  // mine\n  \"zeta\": 1\n}\n")
		r.ask("/settings")
		r.has("Settings", "Theme", "Screen", "settings.json")
		r.golden("settings")
		r.typing("steering")
		r.typing(enter)
		if s, _ := r.session().QueueModes(); s != "all" {
			t.Errorf("steering mode %s", s)
		}
		r.typing(esc) // the search
		r.typing("theme")
		r.typing(enter)
		r.has("light")
		r.dev.Type("\x1b[B\x1b[B")
		r.settle()
		if got := r.p.look.Theme.Name(); got != "light" {
			t.Errorf("the preview is %s", got)
		}
		r.typing(esc)
		if got := r.p.look.Theme.Name(); got != "system" {
			t.Errorf("after leaving the preview it is %s", got)
		}
		r.typing(esc)
		r.typing(esc)
		r.hasNot("Settings")
		b, _ := os.ReadFile(file)
		for _, want := range []string{"// mine", `"zeta":`, `"steeringMode": "all"`} {
			if !strings.Contains(string(b), want) {
				t.Errorf("no %s in %s", want, b)
			}
		}
	})
}
