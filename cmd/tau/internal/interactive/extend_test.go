package interactive

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tau/cmd/tau/internal/cli"
)

// extend runs body with the program and an extension that is loaded.
func extend(t *testing.T, code string, turns []turn, body func(r *rig)) {
	t.Helper()
	work := home(t)
	file := filepath.Join(filepath.Dir(work), "ext.js")
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	relaunch(t, work, 80, 24, cli.Options{Extensions: []string{file}}, turns, func(r *rig) {
		r.p.ui.Post(func() { r.p.loadExtensions(func() {}) })
		r.wait(time.Second)
		body(r)
	})
}

// An extension completes behind its own character and in its commands, and does
// not stand in the way of what the program completes.
func TestExtensionsComplete(t *testing.T) {
	extend(t, `export default (pi) => {
		pi.registerCommand("greet", { description: "Greets", getArgumentCompletions: async (p) => ["mary", "martha"].filter((n) => n.startsWith(p)).map((value) => ({ value, label: value, description: "a name" })), handler: async () => {} });
		pi.on("session_start", (_e, ctx) => ctx.ui.addAutocompleteProvider((current) => ({
			triggerCharacters: ["$"],
			async getSuggestions(lines, line, col, o) {
				const m = lines[line].slice(0, col).match(/(?:^| )\$(\S*)$/);
				return m ? { prefix: "$" + m[1], items: [{ value: "$PATH", label: "$PATH", description: "\x1b[2Jwhere\nto look" }, { value: "$HOME", label: "$HOME" }] } : current.getSuggestions(lines, line, col, o);
			},
			applyCompletion(lines, line, col, item, prefix) {
				const r = current.applyCompletion(lines, line, col, item, prefix);
				if (item.value === "$HOME") { r.lines = ["home first", ...r.lines]; r.cursorLine++; }
				return r;
			},
		})));
	}`, nil, func(r *rig) {
		r.typing("see $")
		r.has("$PATH", "where to look", "$HOME")
		r.typing("\x1b[B\t!")
		r.has("home first", "see $HOME!")
		r.p.ui.Post(func() { r.p.editor.SetText("") })
		r.settle()
		r.typing("/greet mar")
		r.has("mary", "martha", "a name")
		r.typing("t")
		r.typing("\t")
		r.has("/greet martha")
		r.p.ui.Post(func() { r.p.editor.SetText("") })
		r.settle()
		r.typing("/hotk")
		r.has("all keys")
		r.typing("\t")
		r.has("/hotkeys ")
	})
}
