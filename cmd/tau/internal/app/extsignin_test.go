package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tau/ai"
	"tau/ai/credentials"
	"tau/cmd/tau/internal/cli"
	"tau/session"
	"tau/session/extension"
)

// clerk is a UI that answers as prepared and remembers what it was told.
type clerk struct {
	extension.UI
	mu      sync.Mutex
	answers map[string]string // by what is asked; others are cancelled
	told    []string
}

func (c *clerk) say(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, s)
}

func (c *clerk) answer(title string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.answers[title]
	return a, ok
}

func (c *clerk) Notify(message, _ string) { c.say(message) }

func (c *clerk) Input(ctx context.Context, title, _ string, _ time.Duration) (string, bool) {
	c.say("asked " + title)
	if title == "forever" {
		<-ctx.Done()
		c.say("taken back")
		return "", false
	}
	return c.answer(title)
}

func (c *clerk) Select(_ context.Context, title string, options []string, _ time.Duration) (string, bool) {
	c.say("chose of " + strings.Join(options, ","))
	return c.answer(title)
}

const ownProvider = `
const models = [
	{ id: "talk", name: "Talk", api: "openai-completions", baseUrl: "http://127.0.0.1:9/v1", input: ["text", "image"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100, reasoning: false },
	{ type: "image", id: "paint", name: "Paint", api: "x-images", baseUrl: "http://127.0.0.1:9/v1", input: ["text"], output: ["image"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
];
export default (pi) => pi.registerProvider("own", { name: "Own", models, images: { "x-images": { generateImages: async () => {} } }, oauth: {
	name: "Own Inc.",
	async login(cb) {
		cb.onAuth({ url: "https://own.example/auth", instructions: "Then come back." });
		cb.onManualCodeInput().catch(() => {});
		const where = await cb.onSelect({ message: "Where?", options: [{ id: "eu", label: "Europe" }, { id: "us", label: "America" }] });
		const code = await cb.onPrompt({ message: "Paste the code:" });
		cb.onProgress("nearly there");
		cb.onDeviceCode({ userCode: "AB-12", verificationUri: "https://own.example/device", expiresInSeconds: 60 });
		if (code === "bad") throw new Error("the code is not right");
		return { access: "a-" + code, refresh: "r-" + code, expires: Date.now() + 0.5, region: where };
	},
	async refreshToken(c) { if (c.refresh === "r-stop") throw new Error("no more"); return { ...c, access: c.access + "+", expires: Date.now() + 3600000 }; },
	getApiKey: (c) => c.region + ":" + c.access,
} });`

// signingIn starts a session with an extension, whose questions a clerk answers.
func signingIn(t *testing.T, code string) (a *App, s *session.Session, ui *clerk, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "ext.js")
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	a = serversOf(t, cli.Options{Extensions: []string{file}}, "", "")
	ui = &clerk{}
	a.Front = Front{Mode: "rpc", UI: ui, OnError: func(f extension.Failure) { t.Errorf("%s: %s", f.Event, f.Err) }}
	s, _, err := a.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return a, s, ui, file
}

// A provider of an extension signs in by the extension's own way; what comes of
// it is stored, renewed and made a key as the extension says.
func TestSignInOfAnExtension(t *testing.T) {
	a, s, ui, file := signingIn(t, ownProvider)
	m := a.Catalog.Models("own")
	if len(m) != 1 || m[0].ID != "talk" || !m[0].Sees() {
		t.Fatalf("models: %+v", m)
	}
	if a.Keys.Has("own") {
		t.Error("it counts as signed in before that")
	}
	if _, err := a.auth(t.Context(), m[0]); err == nil || !strings.Contains(err.Error(), "/login") {
		t.Errorf("without a sign-in: %v", err)
	}
	flow, err := a.Flow("own")
	if err != nil || flow == nil || flow.Own == nil {
		t.Fatalf("%+v %v", flow, err)
	}
	signIn := func(where, code string) error {
		ui.mu.Lock()
		ui.answers, ui.told = map[string]string{"Where?": where}, nil
		if code != "" {
			ui.answers["Paste the code:"] = code
		}
		ui.mu.Unlock()
		return a.Keys.Store.SignIn(t.Context(), "own", flow, flow.Ways()[0], nil, nil)
	}
	if err := signIn("Europe", ""); err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("cancelled: %v", err)
	}
	if err := signIn("Europe", "bad"); err == nil || !strings.Contains(err.Error(), "the code is not right") {
		t.Errorf("a bad code: %v", err)
	}
	if _, ok, _ := a.Keys.Store.Get("own"); ok {
		t.Error("a sign-in that failed was stored")
	}
	if err := signIn("Europe", "c1"); err != nil {
		t.Fatal(err)
	}
	ui.mu.Lock()
	told := strings.Join(ui.told, "\n")
	ui.mu.Unlock()
	for _, want := range []string{"https://own.example/auth\nThen come back.", "Paste the code, or the address", "chose of Europe,America", "asked Paste the code:", "nearly there", "AB-12"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q was not said:\n%s", want, told)
		}
	}
	stored := func() map[string]any {
		b, err := os.ReadFile(filepath.Join(a.AgentDir, "auth.json"))
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]map[string]any
		if err := json.Unmarshal(b, &all); err != nil {
			t.Fatal(err)
		}
		return all["own"]
	}
	if e := stored(); e["type"] != "oauth" || e["access"] != "a-c1" || e["refresh"] != "r-c1" || e["region"] != "eu" {
		t.Errorf("stored %v", e)
	}
	// It has expired already.
	got, err := a.auth(t.Context(), m[0])
	if err != nil || got.Key != "eu:a-c1+" {
		t.Errorf("%q %v", got.Key, err)
	}
	if e := stored(); e["access"] != "a-c1+" || e["region"] != "eu" || e["type"] != "oauth" {
		t.Errorf("stored after the renewal %v", e)
	}
	if got, err := a.auth(t.Context(), m[0]); err != nil || got.Key != "eu:a-c1+" {
		t.Errorf("renewed too often: %q %v", got.Key, err)
	}
	if err := signIn("America", "stop"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.auth(t.Context(), m[0]); err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("a renewal that fails: %v", err)
	}
	if err := os.WriteFile(file, []byte(`export default () => {}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.ReloadExtensions(s); err != nil {
		t.Fatal(err)
	}
	if len(a.Catalog.Models("own")) > 0 {
		t.Error("the models of a provider that was taken away are still there")
	}
	if f, _ := a.Flow("own"); f != nil {
		t.Error("the sign-in of a provider that was taken away is still there")
	}
}

// What a sign-in still asks when it is over is taken back.
func TestSignInTakesQuestionsBack(t *testing.T) {
	code := `export default (pi) => pi.registerProvider("own", { baseUrl: "http://127.0.0.1:9", api: "openai-completions", models: [], auth: { oauth: {
		name: "Own", login: async (i) => { i.prompt({ type: "text", message: "forever" }); await new Promise((r) => setTimeout(r, 50)); i.notify({ type: "progress", message: "by itself" }); return { access: "a", refresh: "", expires: 0 }; },
		refresh: async (c) => c, toAuth: async (c) => ({ apiKey: "key of " + c.access }),
	} } });`
	a, _, ui, _ := signingIn(t, code)
	flow, err := a.Flow("own")
	if err != nil || flow == nil {
		t.Fatal(flow, err)
	}
	if err := a.Keys.Store.SignIn(t.Context(), "own", flow, flow.Ways()[0], nil, nil); err != nil {
		t.Fatal(err)
	}
	wait(t, "the end of the question", func() bool {
		ui.mu.Lock()
		defer ui.mu.Unlock()
		return strings.Contains(strings.Join(ui.told, ","), "by itself") && strings.Contains(strings.Join(ui.told, ","), "taken back")
	})
	if key, err := a.Keys.PrintKey(t.Context(), "own", credentials.Need{}); err != nil || key != "key of a" {
		t.Errorf("%q %v", key, err)
	}
}

// A model that an extension speaks to is given pictures as pi gives them.
func TestPicturesForAnExtension(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ext.js")
	code := `import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";
	export default (pi) => pi.registerProvider("eyes", { baseUrl: "http://127.0.0.1:9", api: "eyes-api", apiKey: "k", models: [{ id: "m", input: ["text", "image"] }],
		streamSimple: (model, context) => {
			const s = createAssistantMessageEventStream(), block = context.messages.at(-1).content.find((b) => b.type === "image");
			s.push({ type: "done", reason: "stop", message: { role: "assistant", content: [{ type: "text", text: block.mimeType + " " + block.data }], api: model.api, provider: model.provider, model: model.id, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }, stopReason: "stop", timestamp: 1 } });
			return s;
		} });`
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	a := serversOf(t, cli.Options{Extensions: []string{file}}, "", "")
	s, _, err := a.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := a.Catalog.Models("eyes")[0]
	req := ai.Request{Messages: []ai.Message{&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "look"}, &ai.Image{Data: "cG5n", MimeType: "image/png"}}}}}
	got := ""
	for ev := range a.stream(t.Context(), m, req, ai.Options{}) {
		if ev.Message != nil {
			got = ai.ContentText(ev.Message.Content) + ev.Message.ErrorMessage
		}
	}
	if got != "image/png cG5n" {
		t.Errorf("the extension saw %q", got)
	}
}
