package interactive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// What is shown goes through the transformers of extensions, what is stored does
// not; what was there before the extension is rewritten too.
func TestTransformedMessages(t *testing.T) {
	code := `export default (pi) => {
		pi.registerMarkdownTransformer((m, c) => m.replaceAll("-->", "→") + (c.messageType === "user" ? " (" + (c.messageId ? "stored" : "live") + ")" : ""), { messageTypes: ["user", "assistant", "custom"] });
		pi.registerCommand("note", { description: "", handler: async () => pi.sendMessage({ customType: "n", content: "a --> note", display: true }) });
	}`
	work := ""
	extend(t, code, []turn{{Text: "x --> **y** and on", DelayMs: 10}}, func(r *rig) {
		work = r.dir
		r.ask("go --> there")
		r.finish()
		r.has("go → there (live)", "x → y and on")
		r.hasNot("-->")
		r.ask("/note")
		r.settle()
		r.has("a → note")
		for _, n := range r.session().Store().PathTo("") {
			if e, err := r.session().Store().Entry(n.ID); err != nil || strings.Contains(fmt.Sprintf("%+v", e), "→") {
				t.Errorf("stored: %+v %v", e, err)
			}
		}
	})
	file := filepath.Join(filepath.Dir(work), "ext.js")
	relaunch(t, work, 80, 24, cli.Options{Extensions: []string{file}, Continue: true}, nil, func(r *rig) {
		r.has("-->")
		r.p.ui.Post(func() { r.p.loadExtensions(func() {}) })
		r.wait(time.Second)
		r.has("go → there (stored)", "x → y and on", "a → note")
		r.hasNot("-->")
	})
}

// Servers of extensions are listed with the extension.
func TestServersOfExtensionsAreListed(t *testing.T) {
	extend(t, `export default (pi) => { pi.registerMcpServer("mine", { command: "x", enabled: false }); }`, nil, func(r *rig) {
		r.ask("/mcp")
		r.has("mine (~/ext.js)", "disabled")
	})
}

// A sign-in that only shows a code ends with Esc, too.
func TestLoginByACode(t *testing.T) {
	code := `export default (pi) => pi.registerProvider("own", { baseUrl: "http://127.0.0.1:9", api: "openai-completions", models: [{ id: "m" }], oauth: {
		name: "Own", login: (cb) => { cb.onDeviceCode({ userCode: "AB-12", verificationUri: "https://own.example/device", expiresInSeconds: 60 }); return new Promise((resolve, reject) => cb.signal.addEventListener("abort", () => reject(cb.signal.reason))); },
		refreshToken: async (c) => c, getApiKey: (c) => c.access,
	} });`
	extend(t, code, nil, func(r *rig) {
		r.ask("/login own")
		r.settle()
		r.has("https://own.example/device", "AB-12", "signing in to own · esc stops it")
		r.typing("x" + esc)
		r.hasNot("Not signed in")
		r.typing("\x7f" + esc)
		r.settle()
		r.has("Not signed in to own: the sign-in was cancelled")
		if r.p.signing != nil {
			t.Error("the sign-in goes on")
		}
	})
}

// /login of a provider that an extension has registered asks what the extension
// asks, and Esc ends it.
func TestLoginByAnExtension(t *testing.T) {
	code := `export default (pi) => pi.registerProvider("own", { baseUrl: "http://127.0.0.1:9", api: "openai-completions", models: [{ id: "m" }], oauth: {
		name: "Own", login: async (cb) => { cb.onProgress("here we go"); const code = await cb.onPrompt({ message: "Paste the code" }); return { access: code, refresh: "r", expires: 4102444800000 }; },
		refreshToken: async (c) => c, getApiKey: (c) => c.access,
	} });`
	extend(t, code, nil, func(r *rig) {
		r.ask("/login own")
		r.settle()
		r.has("here we go", "Paste the code")
		r.typing(esc)
		r.has("Not signed in to own: the sign-in was cancelled")
		r.hasNot("Paste the code")
		r.ask("/login own")
		r.settle()
		r.typing("secret-1\r")
		r.settle()
		r.has("Signed in to own")
		b, err := os.ReadFile(filepath.Join(filepath.Dir(r.dir), ".tau", "agent", "auth.json"))
		if err != nil || !strings.Contains(string(b), `"access": "secret-1"`) {
			t.Errorf("%s %v", b, err)
		}
	})
}
