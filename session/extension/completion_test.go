package extension_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tau/session/extension"
	"tau/session/resources"
)

// desk is a screen that suggests the words it has.
type desk struct {
	people
	words []string
}

func (d *desk) Suggest(_ context.Context, t extension.Typing, force bool) *extension.Suggestions {
	d.add("asked %q %v", t.Before, force)
	word := t.Before[strings.LastIndexAny(t.Before, " ")+1:]
	s := &extension.Suggestions{Prefix: word}
	for _, w := range d.words {
		s.Items = append(s.Items, extension.Item{Value: w, Label: w, Insert: w + "!"})
	}
	return s
}

// typist is a runner with a desk, and what was told of.
func typist(t *testing.T, d *desk, files ...string) (r *extension.Runner, told func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	r = extension.NewRunner(extension.Options{Load: load(t.TempDir()), UI: d, Mode: "tui", CWD: t.TempDir(), OnError: func(f extension.Failure) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, f.Event+": "+f.Err)
	}})
	var sources []resources.Source
	for _, f := range files {
		sources = append(sources, resources.Source{Path: f})
	}
	for _, f := range r.Load(t.Context(), sources) {
		t.Fatalf("%s: %s", f.Path, f.Err)
	}
	t.Cleanup(r.Close)
	r.Start(t.Context(), "startup", "")
	return r, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string{}, all...)
	}
}

func typed(s string) extension.Typing {
	return extension.Typing{Lines: []string{s + " tail"}, Before: s}
}

func values(s *extension.Suggestions) string {
	if s == nil {
		return "none"
	}
	var out []string
	for _, it := range s.Items {
		out = append(out, it.Value)
	}
	return s.Prefix + ":" + strings.Join(out, ",")
}

const issues = `export default (pi) => pi.on("session_start", (_e, ctx) => ctx.ui.addAutocompleteProvider((current) => ({
	triggerCharacters: ["$", "#", "/", "two", " "],
	async getSuggestions(lines, line, col, options) {
		const m = lines[line].slice(0, col).match(/(?:^|[ \t])\$([^\s]*)$/);
		if (!m || options.signal.aborted) return current.getSuggestions(lines, line, col, options);
		if (m[1] === "none") return null;
		if (m[1] === "bad") throw new Error("no net");
		return { prefix: "$" + m[1], items: [{ value: "$é1", label: "$é1", description: "one" }] };
	},
	applyCompletion(lines, line, col, item, prefix) {
		const r = current.applyCompletion(lines, line, col, item, prefix);
		if (item.value.startsWith("$")) { r.lines[line] += "<"; }
		return r;
	},
	shouldTriggerFileCompletion: (lines) => !lines[0].startsWith("quiet"),
})))`

const shouting = `export default (pi) => pi.on("session_start", (_e, ctx) => ctx.ui.addAutocompleteProvider((current) => ({
	async getSuggestions(lines, line, col, options) {
		const s = await current.getSuggestions(lines, line, col, options);
		return s && { ...s, items: [...s.items, { value: "more", label: "more" }] };
	},
	applyCompletion: (...a) => current.applyCompletion(...a),
})))`

// Extensions complete in a row: each may ask those before it, and the program.
func TestAutocompleteProviders(t *testing.T) {
	d := &desk{words: []string{"own"}}
	r, told := typist(t, d, script(t, issues), script(t, shouting))
	if !r.Autocompletes() || r.Triggers() != "$#" {
		t.Fatalf("completes %v behind %q", r.Autocompletes(), r.Triggers())
	}
	for _, tt := range []struct {
		text  string
		force bool
		want  string
	}{
		{"é wo", false, "wo:own,more"},
		{"é wo", true, "wo:own,more"},
		{"é $x", false, "$x:$é1,more"},
		{"$none", false, ":more"},
		{"quiet x", true, ":more"},
		{"$bad", false, "$bad:own,more"},
		{"$bad", false, "$bad:own,more"},
	} {
		if got := values(r.Suggest(t.Context(), typed(tt.text), tt.force)); got != tt.want {
			t.Errorf("%q %v: %s, want %s", tt.text, tt.force, got, tt.want)
		}
	}
	if got := told(); len(got) != 1 || !strings.HasPrefix(got[0], "autocomplete: no net") {
		t.Errorf("told of %q", got)
	}
	s := r.Suggest(t.Context(), typed("é wo"), false)
	for _, tt := range []struct {
		text, prefix string
		item         extension.Item
		want, before string
	}{
		{"é wo", "wo", s.Items[0], "é own! tail", "é own!"},
		{"é $x", "$x", extension.Item{Value: "$é1"}, "é $é1 tail<", "é $é1"},
		{"@a", "@a", extension.Item{Value: "@ab"}, "@ab  tail", "@ab "},
		{"@a", "@a", extension.Item{Value: `@"a b/"`, Label: "a b/"}, `@"a b/" tail`, `@"a b/`},
		{"/he", "/he", extension.Item{Value: "help"}, "/help  tail", "/help "},
		{"/x /he", "/he", extension.Item{Value: "/help"}, "/x /help tail", "/x /help"},
	} {
		got, err := r.Apply(t.Context(), typed(tt.text), tt.item, tt.prefix)
		if err != nil || got.Lines[0] != tt.want || got.Before != tt.before {
			t.Errorf("%q with %q: %q %q %v", tt.text, tt.item.Value, got.Lines, got.Before, err)
		}
	}
	if _, err := r.Apply(t.Context(), typed("abc"), extension.Item{Value: "x"}, "zz"); err == nil {
		t.Error("a completion of another text was put in")
	}
}

// A key that is typed on takes the question back, and the extension is told.
func TestAutocompleteIsCancelled(t *testing.T) {
	d := &desk{}
	r, told := typist(t, d, script(t, `export default (pi) => pi.on("session_start", (_e, ctx) => ctx.ui.addAutocompleteProvider((current) => ({
		getSuggestions: (lines, line, col, o) => new Promise((done) => { ctx.ui.notify("waits"); o.signal.addEventListener("abort", () => { ctx.ui.notify("stopped"); done(null); }); }),
		applyCompletion: (...a) => current.applyCompletion(...a),
	})))`))
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan *extension.Suggestions)
	go func() { over <- r.Suggest(ctx, typed("#a"), false) }()
	eventually(t, "the question", func() bool { return d.said("waits") })
	cancel()
	if s := <-over; s != nil && len(s.Items) > 0 {
		t.Errorf("an answer to a question that was taken back: %v", s)
	}
	eventually(t, "the abort", func() bool { return d.said("stopped") })
	if d.said("asked") || len(told()) > 0 {
		t.Errorf("asked on: %v, told: %v", d.said("asked"), told())
	}
}

// A program completes too, and null leaves it to those before it.
func TestAutocompleteOfAProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "complete.py")
	if err := os.WriteFile(path, []byte(`import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "method" not in m or "id" not in m: continue
    p, result = m.get("params") or {}, None
    if m["method"] == "initialize":
        result = {"autocomplete": {"triggerCharacters": ["%"]}, "commands": [{"name": "go", "description": "", "completes": True}, {"name": "no", "description": "", "completes": True}]}
    elif m["method"] == "suggest" and p["before"].endswith("%"):
        result = {"prefix": "%", "items": [{"value": "100%"}]}
    elif m["method"] == "complete" and p["name"] == "go":
        result = [{"value": p["args"] + "al"}]
    elif m["method"] == "complete":
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": 1, "message": "lost"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, told := typist(t, &desk{words: []string{"own"}}, path)
	if r.Triggers() != "%" {
		t.Errorf("completes behind %q", r.Triggers())
	}
	if got := values(r.Suggest(t.Context(), typed("a %"), false)); got != "%:100%" {
		t.Error(got)
	}
	if got := values(r.Suggest(t.Context(), typed("a b"), false)); got != "b:own" {
		t.Error(got)
	}
	if got, err := r.Apply(t.Context(), typed("a %"), extension.Item{Value: "100%"}, "%"); err != nil || got.Before != "a 100%" {
		t.Error(got, err)
	}
	list := r.Commands()
	if items := r.Complete(t.Context(), list[0], "go"); len(items) != 1 || items[0].Value != "goal" {
		t.Errorf("%v", items)
	}
	r.Complete(t.Context(), list[1], "x")
	r.Complete(t.Context(), list[1], "xy")
	if got := told(); len(got) != 1 || !strings.HasPrefix(got[0], "completions of /no: ") {
		t.Errorf("told of %q", got)
	}
}

// Without a provider nothing is asked.
func TestNoAutocomplete(t *testing.T) {
	r, _ := typist(t, &desk{}, script(t, `export default () => {}`))
	if r.Autocompletes() || r.Triggers() != "" {
		t.Error("an extension without a provider completes")
	}
	b, err := json.Marshal(r.Suggest(t.Context(), typed("x"), false))
	if err != nil || string(b) != `{"items":null,"prefix":"x"}` {
		t.Errorf("%s %v", b, err)
	}
}
