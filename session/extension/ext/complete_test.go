package ext

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"tau/session/extension/jsonrpc"
)

func TestCompletion(t *testing.T) {
	e := New()
	e.Command("go", "Go somewhere", func(*Context, string) error { return nil })
	e.Completes("go", func(_ *Context, typed string) ([]Item, error) { return []Item{{Value: typed + "home"}}, nil })
	e.Autocomplete([]string{"%"}, func(_ *Context, t Typing) (*Suggestions, error) {
		if !strings.HasSuffix(t.Before, "%") {
			return nil, nil
		}
		return &Suggestions{Items: []Item{{Value: "100%"}}, Prefix: "%"}, nil
	})
	in, toIn := io.Pipe()
	out, toOut := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- e.Serve(in, toOut) }()
	host := jsonrpc.New(out, toIn, jsonrpc.Options{Serve: func(context.Context, string, json.RawMessage) (any, error) { return nil, nil }})
	go func() { _ = host.Run() }()
	for _, tt := range []struct{ method, params, want string }{
		{"initialize", `{}`, `"autocomplete":{"triggerCharacters":["%"]}`},
		{"initialize", `{}`, `{"name":"go","description":"Go somewhere","completes":true}`},
		{"complete", `{"name":"go","args":"to "}`, `[{"value":"to home"}]`},
		{"suggest", `{"lines":["a %"],"line":0,"before":"a %"}`, `{"items":[{"value":"100%"}],"prefix":"%"}`},
		{"suggest", `{"lines":["a"],"line":0,"before":"a"}`, `null`},
	} {
		raw, err := host.Call(t.Context(), tt.method, json.RawMessage(tt.params))
		if err != nil || !strings.Contains(string(raw), tt.want) {
			t.Errorf("%s %s: %s %v", tt.method, tt.params, raw, err)
		}
	}
	if _, err := host.Call(t.Context(), "complete", json.RawMessage(`{"name":"no"}`)); err == nil {
		t.Error("a command that is not there was completed")
	}
	toIn.Close()
	toOut.Close()
	<-over
}
