package extension_test

import (
	"strings"
	"testing"

	"tau/session/extension"
)

// Transformers are called in the order of the extensions; one that fails is told
// of once, one that gives back no text changes nothing.
func TestTransform(t *testing.T) {
	r, told := typist(t, &desk{},
		script(t, `export default (pi) => { pi.registerMarkdownTransformer((m, c) => m.replaceAll("-->", "→") + (c.isStreaming ? "…" : "") + (c.messageId ?? "")); }`),
		script(t, `export default (pi) => { pi.registerMarkdownTransformer((m) => { if (m.includes("bad")) throw new Error("cannot"); if (m.includes("number")) return 7; return m.toUpperCase(); }, { messageTypes: ["assistant", "summary"] }); }`),
	)
	for _, tt := range []struct {
		text, kind, id string
		streaming      bool
		want           string
	}{
		{"a --> b", "assistant", "", false, "A → B"},
		{"a --> b", "user", "e1", false, "a → be1"},
		{"a --> b", "summary", "", false, "A --> B"},
		{"a --> b", "custom", "", false, "a --> b"},
		{"a", "assistant", "", true, "A…"},
		{"bad -->", "assistant", "", false, "bad →"},
		{"bad -->", "assistant", "", false, "bad →"},
		{"number", "assistant", "", false, "number"},
	} {
		if got := r.Transform(t.Context(), tt.text, extension.Shown{Kind: tt.kind, Width: 80, Streaming: tt.streaming, ID: tt.id}); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.kind, tt.text, got, tt.want)
		}
	}
	if got := told(); len(got) != 1 || !strings.HasPrefix(got[0], "markdown transformer: cannot") {
		t.Errorf("told of %q", got)
	}
	if r.Transformers("assistant") == 0 || r.Transformers("custom") != 0 {
		t.Error("the kinds are not those that were asked for")
	}
}
