package js

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tau/session/extension"
	"tau/session/resources"
)

// patient answers nothing at once but the settings, which it never has.
type patient struct{}

func (patient) Serve(ctx context.Context, method string, _ json.RawMessage) (any, error) {
	if method != "getSettings" {
		return nil, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// Whoever tells of an event gets away from a handler when it has to, whatever the
// handler does, and the extension can be ended.
func TestCallersGetAway(t *testing.T) {
	for name, body := range map[string]string{
		"working":                  "for (;;) {}",
		"waiting for the program":  "pi.getSettings();",
		"again and again":          "for (;;) { try { pi.getSettings(); } catch {} }",
		"making promises":          "return (async () => { for (;;) await null; })();",
		"working after a promise":  "return (async () => { await null; for (;;) {} })();",
		"waiting for a promise":    "return new Promise(() => {});",
		"catching what it can get": "try { for (;;) {} } catch {} finally { for (;;) {} }",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "e.ts")
			code := `export default (pi) => { pi.on("turn_start", () => { ` + body + ` }); }`
			if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
				t.Fatal(err)
			}
			l := &Loader{Env: Env{Grace: time.Millisecond}}
			c, err := l.Load(t.Context(), resources.Source{Path: path}, patient{})
			if err != nil {
				t.Fatal(err)
			}
			why := errors.New("no more")
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(why)
			began := time.Now()
			if _, err := c.Call(ctx, extension.MethodEvent, extension.EventCall{Event: "turn_start", Handler: 1, Payload: json.RawMessage("{}")}); !errors.Is(err, why) {
				t.Errorf("the handler: %v", err)
			}
			if d := time.Since(began); d > TurnLimit/2 {
				t.Errorf("it took %v", d)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// An extension that begins to work again after it was interrupted ends as well.
func TestCloseWhileWorkBegins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.ts")
	if err := os.WriteFile(path, []byte(`export default (pi) => { pi.on("turn_start", () => { for (;;) {} }); }`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &Loader{}
	c, err := l.Load(t.Context(), resources.Source{Path: path}, patient{})
	if err != nil {
		t.Fatal(err)
	}
	m := c.(*machine)
	begins := make(chan struct{})
	m.post(func() {
		close(begins)
		for range 3 {
			m.beginEvent(1, extension.EventCall{Event: "turn_start", Handler: 1, Payload: json.RawMessage("{}")})
		}
	})
	<-begins
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
