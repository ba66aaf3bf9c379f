package mcp

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
)

func TestCallsOfAProgram(t *testing.T) {
	h := newHub(t, local("test", "good", Direct))
	b := h.Toolbox(nil, nil)
	b.Wait(t.Context())
	for _, tt := range []struct{ tool, args, want string }{
		{"mcp__test__echo", `{"text":"hé"}`, "echo: hé"},
		{"list_mcp_resources", `{}`, "test  test://hello  greeting  text/plain"},
		{"read_mcp_resource", `{"server":"test","uri":"test://hello"}`, "hello from the resource"},
		{"list_mcp_resource_templates", `{}`, "There are none."},
	} {
		if got, r, err := call(t, find(t, b, tt.tool), tt.args); got != tt.want || err != nil || r.IsError {
			t.Errorf("%s: %q %v", tt.tool, got, err)
		}
	}
	if got, r, err := call(t, find(t, b, "mcp__test__fail"), `{}`); err != nil || !r.IsError || !strings.Contains(got, "it went wrong") {
		t.Errorf("a failing tool: %q, %v, %v", got, r.IsError, err)
	}
	got, r, err := call(t, find(t, b, "mcp__test__paint"), `{}`)
	if err != nil || len(r.Content) != 2 || !strings.Contains(got, "image/x") {
		t.Fatalf("pictures: %q %v", got, err)
	}
	if m, ok := r.Content[1].(*ai.Image); !ok || m.Data != "cG5n" || m.MimeType != "image/png" {
		t.Errorf("the picture is %+v", r.Content[1])
	}
	if _, _, err := call(t, find(t, b, "read_mcp_resource"), `{"server":"none","uri":"x"}`); err == nil {
		t.Error("a server that is not there was read from")
	}
	if tool := find(t, b, "mcp__test__echo"); !strings.Contains(string(tool.Parameters), `"properties":{"text"`) {
		t.Errorf("schema %s", tool.Parameters)
	}
}

func TestLongResultsAreKeptInAFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	h := newHub(t, local("test", "good", Direct))
	b := h.Toolbox(nil, nil)
	b.Wait(t.Context())
	got, _, err := call(t, find(t, b, "mcp__test__flood"), `{}`)
	if err != nil || len(got) > maxText+300 || !strings.HasPrefix(got, "BEGIN\n") || !strings.HasSuffix(got, "\nEND") {
		t.Fatalf("%d bytes, %v: %.60s … %s", len(got), err, got, got[len(got)-60:])
	}
	_, rest, _ := strings.Cut(got, "all of it: ")
	path, _, _ := strings.Cut(rest, "]")
	all, err := os.ReadFile(path)
	if err != nil || len(all) != len("BEGIN\n")+10_000*21+len("END") {
		t.Errorf("the file has %d bytes: %v", len(all), err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode of the file: %v %v", st.Mode(), err)
	}
}

func TestDeferredToolsAreFoundAndLoaded(t *testing.T) {
	h := newHub(t, local("test", "good", Deferred))
	var changes atomic.Int32
	b := h.Toolbox(nil, func() { changes.Add(1) })
	search := find(t, b, "tool_search") // there from the beginning
	for _, tool := range b.Tools() {
		if strings.HasPrefix(tool.Name, "mcp__") {
			t.Errorf("%s is declared before it was searched for", tool.Name)
		}
	}
	got, _, err := call(t, search, `{"query":"say a text back","limit":1}`)
	if err != nil || !strings.Contains(got, "- mcp__test__echo: Say a text back") {
		t.Fatalf("%q %v", got, err)
	}
	if changes.Load() == 0 {
		t.Error("nobody was told of the change")
	}
	if got, _, err := call(t, find(t, b, "mcp__test__echo"), `{"text":"x"}`); got != "echo: x" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if got, _, _ := call(t, search, `{"query":"zebra"}`); !strings.Contains(got, "None of the 7 tools fits") {
		t.Error(got)
	}
	if got, _, _ := call(t, search, `{"query":"select:mcp__test__paint,mcp__test__fail"}`); !strings.Contains(got, "paint") || !strings.Contains(got, "fail") || strings.Contains(got, "echo") {
		t.Error(got)
	}
	if s := b.Section(); !strings.Contains(s, "- test: Says things back.\n  to load: ") || !strings.Contains(s, "sleep") {
		t.Errorf("section %q", s)
	}
	// Another session has not loaded anything.
	for _, tool := range h.Toolbox(nil, nil).Tools() {
		if tool.Name == "mcp__test__echo" {
			t.Error("a toolbox has what another has loaded")
		}
	}
}

func TestExposureByTool(t *testing.T) {
	s := local("test", "good", Deferred)
	s.ToolExposure = map[string]Exposure{"e*": Direct, "fl*": Hidden}
	h := newHub(t, s)
	b := h.Toolbox(func(name string) bool { return name != "tool_search" }, nil)
	b.Wait(t.Context())
	var got []string
	for _, tool := range b.Tools() {
		got = append(got, tool.Name)
	}
	if text := strings.Join(got, " "); text != "mcp__test__echo list_mcp_resources list_mcp_resource_templates read_mcp_resource" {
		t.Error(text)
	}
	if strings.Contains(b.Section(), "flood") {
		t.Error("a hidden tool is shown")
	}
}

// A conversation that goes on in another process keeps its tools, and calls
// connect.
func TestRestoredTools(t *testing.T) {
	s := local("test", "good", Deferred)
	h := newHub(t, s)
	if err := h.SetEnabled("test", false); err != nil {
		t.Fatal(err)
	}
	b := h.Toolbox(nil, nil)
	b.Restore([]ai.ToolDef{{Name: "mcp__test__echo", Description: "as it was", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "mcp__other__x"}, {Name: "read"}})
	if n := len(b.Tools()); n != 0 {
		t.Errorf("%d tools of a disabled server", n)
	}
	h.servers[0].cfg.Disabled = false
	tool := find(t, b, "mcp__test__echo")
	if tool.Description != "as it was" {
		t.Error("the declaration has changed")
	}
	if got, _, err := call(t, tool, `{"text":"x"}`); got != "echo: x" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if tool := find(t, b, "mcp__test__echo"); tool.Description != "Say a text back" {
		t.Errorf("once the server is there it says what the tool is, not %q", tool.Description)
	}
}

func TestServerThatDiesIsConnectedAgain(t *testing.T) {
	h := newHub(t, local("test", "good", Direct))
	b := h.Toolbox(nil, nil)
	b.Wait(t.Context())
	_, _, err := call(t, find(t, b, "mcp__test__die"), `{}`)
	if err == nil || !strings.Contains(err.Error(), "went away during the call") {
		t.Errorf("%v", err)
	}
	if got, _, err := call(t, find(t, b, "mcp__test__echo"), `{"text":"again"}`); got != "echo: again" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	log, _ := os.ReadFile(h.o.LogPath)
	if !strings.Contains(string(log), "[test] fatal: asked to die") {
		t.Errorf("the log is %s", log)
	}
}

func TestServerThatFloods(t *testing.T) {
	h := newHub(t, local("chatty", "chatty", Direct), local("changing", "changing", Direct))
	b := h.Toolbox(nil, nil)
	b.Wait(t.Context())
	for range 20 {
		if got, _, err := call(t, find(t, b, "mcp__chatty__echo"), `{"text":"x"}`); got != "echo: x" || err != nil {
			t.Fatalf("%q %v", got, err)
		}
	}
	if got, _, err := call(t, find(t, b, "mcp__changing__echo"), `{"text":"x"}`); got != "echo: x" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	until(t, "the log was put aside", func() bool { _, err := os.Stat(h.o.LogPath + ".1"); return err == nil })
	for _, name := range []string{h.o.LogPath, h.o.LogPath + ".1"} {
		b, err := os.ReadFile(name)
		if err != nil || len(b) > maxLogSize+2*maxLogLine {
			t.Errorf("%s has %d bytes: %v", name, len(b), err)
		}
		if strings.Contains(string(b), "\x1b") {
			t.Errorf("%s has control characters", name)
		}
	}
}

func TestToolsThatAppear(t *testing.T) {
	h := newHub(t, local("test", "good", Direct))
	b := h.Toolbox(nil, nil)
	b.Wait(t.Context())
	if _, _, err := call(t, find(t, b, "mcp__test__grow"), `{}`); err != nil {
		t.Fatal(err)
	}
	until(t, "the new tool is there", func() bool {
		for _, tool := range b.Tools() {
			if tool.Name == "mcp__test__grown" {
				return true
			}
		}
		return false
	})
}

func TestTimeoutProgressAndCancellation(t *testing.T) {
	s := local("test", "good", Direct)
	s.Timeout = 5 * time.Second
	h := newHub(t, s)
	b := h.Toolbox(nil, nil)
	b.Wait(t.Context())
	h.servers[0].mu.Lock()
	h.servers[0].cfg.Timeout = 1500 * time.Millisecond // less than the two seconds that the tool takes
	h.servers[0].mu.Unlock()
	sleep := find(t, b, "mcp__test__sleep")
	if _, _, err := call(t, sleep, `{"text":""}`); err == nil || !strings.Contains(err.Error(), "did not answer within 1.5s") {
		t.Errorf("a call without an answer: %v", err)
	}
	var shown atomic.Int32
	r, err := sleep.Execute(t.Context(), agent.Call{Args: []byte(`{"text":"progress"}`)}, func(r agent.Result) {
		if strings.HasPrefix(ai.ContentText(r.Content), "still here · ") {
			shown.Add(1)
		}
	})
	if err != nil || ai.ContentText(r.Content) != "slept" || shown.Load() == 0 {
		t.Errorf("a call with signs of life: %v %v, %d shown", ai.ContentText(r.Content), err, shown.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	if _, err := sleep.Execute(ctx, agent.Call{Args: []byte(`{"text":""}`)}, func(agent.Result) {}); err != context.Canceled || time.Since(began) > 1400*time.Millisecond {
		t.Errorf("a cancelled call: %v after %v", err, time.Since(began))
	}
}

// Servers come and go while others stay connected.
func TestServersComeAndGo(t *testing.T) {
	h := newHub(t, local("m", "good", Direct))
	b := h.Toolbox(nil, nil)
	b.Wait(t.Context())
	if err := h.Add(local("m", "good", Direct)); err == nil {
		t.Error("a name was taken twice")
	}
	if err := h.Add(local("b", "good", Direct)); err != nil {
		t.Fatal(err)
	}
	b.Wait(t.Context())
	tool := find(t, b, "mcp__b__echo")
	if got, _, err := call(t, tool, `{"text":"x"}`); got != "echo: x" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if st := h.Status(); len(st) != 2 || st[0].Name != "b" || st[1].State != Connected {
		t.Errorf("%+v", st)
	}
	if err := h.Remove("b"); err != nil {
		t.Fatal(err)
	}
	if err := h.Remove("b"); err == nil {
		t.Error("a server was removed twice")
	}
	for _, x := range b.Tools() {
		if strings.HasPrefix(x.Name, "mcp__b__") {
			t.Error("a tool of a server that is gone is still there")
		}
	}
	if err := h.Add(local("b", "good", Direct)); err != nil {
		t.Errorf("a name cannot be used again: %v", err)
	}
	if got, _, err := call(t, find(t, b, "mcp__m__echo"), `{"text":"y"}`); got != "echo: y" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	h.Close()
	if _, _, err := call(t, tool, `{"text":"x"}`); err == nil {
		t.Error("a tool of a server that was removed was called")
	}
}
