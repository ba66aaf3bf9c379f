package interactive

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/vt"
)

func TestConfigSwitches(t *testing.T) {
	work := home(t)
	agent := filepath.Join(filepath.Dir(work), ".tau", "agent")
	for path, s := range map[string]string{
		filepath.Join(agent, "prompts", "ask.md"):             "x",
		filepath.Join(agent, "settings.json"):                 "{\n  // mine\n  \"theme\": \"dark\",\n  \"packages\": [\"../../pack\"]\n}",
		filepath.Join(work, "..", "pack", "themes", "b.json"): "{}",
		filepath.Join(work, ".tau", "prompts", "own.md"):      "x",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		a, err := app.New(cli.Options{Mode: "text", Approve: true}, "test")
		if err != nil {
			t.Fatal(err)
		}
		dev := termtest.New(80, 24)
		c := newConfig(a, false, term.New(dev, term.Options{Getenv: func(string) string { return "" }}))
		done := make(chan error, 1)
		go func() { done <- c.ui.Run(context.Background()) }()
		do := func(keys string) {
			dev.Type(keys)
			synctest.Wait()
			time.Sleep(200 * time.Millisecond)
			synctest.Wait()
		}
		shows := func(parts ...string) {
			t.Helper()
			var s string
			dev.Screen(func(v *vt.Terminal) { s = v.String() })
			for _, p := range parts {
				if !strings.Contains(s, p) {
					t.Errorf("%q is not to be seen:\n%s", p, s)
				}
			}
		}
		holds := func(file string, parts ...string) {
			t.Helper()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range parts {
				if !strings.Contains(string(b), p) {
					t.Errorf("%s does not hold %q:\n%s", file, p, b)
				}
			}
		}
		do("")
		shows("Resources", "prompt ask", "theme b", "settings.json")
		do(enter)
		shows("prompt ask  off")
		do("\x1b[B" + enter)
		shows("theme b     off")
		holds(filepath.Join(agent, "settings.json"), "// mine", `"-prompts/ask.md"`, `"source": "../../pack"`, `"-themes/b.json"`)
		do("\x1b[A" + enter)
		shows("prompt ask  on")
		do("\t")
		shows("Resources of this project", "prompt own  on")
		do(enter)
		shows("prompt own  off")
		holds(filepath.Join(work, ".tau", "settings.json"), `"-prompts/own.md"`)
		do("\t")
		shows("prompt ask  on", "theme b     off")
		// A file that cannot be written says so, and the row stays.
		if err := os.WriteFile(filepath.Join(agent, "settings.json"), []byte("{ broken"), 0o600); err != nil {
			t.Fatal(err)
		}
		do(enter)
		shows("is not valid", "prompt ask  on")
		do(esc)
		do("")
		if err := <-done; err != nil {
			t.Error(err)
		}
		a.Close()
	})
}
