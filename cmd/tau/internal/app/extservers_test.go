package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/cmd/tau/internal/cli"
	"tau/session"
	"tau/session/extension"
	"tau/session/store"
	"tau/tools/mcp"
)

// greeter is an MCP server of one tool. It says in a file when it ends.
const greeter = `import json, os, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {}
    if m["method"] == "initialize":
        r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "greeter", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": [{"name": "greet", "description": "Greets", "inputSchema": {"type": "object"}}]}
    elif m["method"] == "tools/call":
        r = {"content": [{"type": "text", "text": "hello"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
open(sys.argv[1], "w").write("ended")
`

// extended opens the program with an extension.
func extended(t *testing.T, o cli.Options, user, code string) (a *App, s *session.Session, dir string, failures func() string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ext.js")
	dir = filepath.Dir(file)
	if err := os.WriteFile(filepath.Join(dir, "greeter.py"), []byte(greeter), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(code, "DIR", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Extensions = []string{file}
	a = serversOf(t, o, user, "")
	var mu sync.Mutex
	var told []string
	a.Front = Front{Mode: "print", OnError: func(f extension.Failure) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, f.Event+": "+f.Err)
	}}
	s, _, err := a.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	a.Begin(s, "startup", "")
	return a, s, dir, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(told, "\n")
	}
}

func runCommand(t *testing.T, a *App, s *session.Session, line string) {
	t.Helper()
	c, args, ok := a.Runner(s).Command(line)
	if !ok {
		t.Fatalf("there is no command %s", line)
	}
	if err := a.Runner(s).Run(t.Context(), c, args); err != nil {
		t.Fatal(err)
	}
}

// wait waits for another process.
func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it did not come", what)
		}
	}
}

func toolOf(s *session.Session, name string) *agent.Tool {
	for _, t := range s.Tools() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func ended(dir, name string) bool {
	b, err := os.ReadFile(filepath.Join(dir, name))
	return err == nil && string(b) == "ended"
}

// A server that an extension registers is connected to, brings its tools, and is
// left when the extension takes it back, or is gone after a reload.
func TestServersOfExtensions(t *testing.T) {
	a, s, dir, failures := extended(t, cli.Options{}, "", `
		const config = (end) => ({ command: "python3", args: ["DIR/greeter.py", "DIR/" + end], exposure: "direct" });
		export default (pi) => {
			pi.registerMcpServer("early", config("early.end"));
			pi.on("mcp_servers_change", (e) => { pi.appendEntry("servers", e.servers.map((s) => s.name)); });
			pi.registerCommand("add", { description: "", handler: async () => pi.registerMcpServer("late", config("late.end")) });
			pi.registerCommand("drop", { description: "", handler: async () => pi.unregisterMcpServer("late") });
			pi.registerCommand("bad", { description: "", handler: async (what) => { try { pi.registerMcpServer(...JSON.parse(what)); } catch (e) { pi.appendEntry("refused", e.message); } } });
		}`)
	call := func(name string) {
		t.Helper()
		wait(t, name, func() bool { return toolOf(s, name) != nil })
		r, err := toolOf(s, name).Execute(context.Background(), agent.Call{ID: "1", Args: []byte(`{}`)}, func(agent.Result) {})
		if err != nil || !strings.Contains(ai.ContentText(r.Content), "hello") {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
	call("mcp__early__greet")
	runCommand(t, a, s, "/add")
	call("mcp__late__greet")
	if got := names(a.MCP()); got != "early:extension late:extension" {
		t.Error(got)
	}
	wait(t, "mcp_servers_change", func() bool { return strings.Contains(entries(t, s), `["early","late"]`) })
	runCommand(t, a, s, "/drop")
	if toolOf(s, "mcp__late__greet") != nil {
		t.Error("the tool of a server that was left is still there")
	}
	wait(t, "the end of the server", func() bool { return ended(dir, "late.end") })
	for _, tt := range []struct{ args, want string }{
		{`["no name!", {"command":"x"}]`, "letters, digits"},
		{`["x", {}]`, "neither command nor url"},
		{`["x", {"url":"ftp://x"}]`, "no http address"},
	} {
		runCommand(t, a, s, "/bad "+tt.args)
		if got := entries(t, s); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.args, got)
		}
	}
	before := a.MCP()
	runCommand(t, a, s, "/add")
	call("mcp__late__greet")
	if err := os.Remove(filepath.Join(dir, "late.end")); err != nil {
		t.Fatal(err)
	}
	if err := a.ReloadExtensions(s); err != nil {
		t.Fatal(err)
	}
	wait(t, "the end of what was not registered again", func() bool { return ended(dir, "late.end") })
	if a.MCP() != before || ended(dir, "early.end") {
		t.Error("a server that has not changed was connected to anew")
	}
	call("mcp__early__greet")
	a.End(s, "quit", nil)
	wait(t, "the end with the session", func() bool { return ended(dir, "early.end") })
	if f := failures(); f != "" {
		t.Error(f)
	}
}

// entries are those of the session, as text.
func entries(t *testing.T, s *session.Session) string {
	t.Helper()
	var out []string
	for _, n := range s.Store().PathTo("") {
		e, err := s.Store().Entry(n.ID)
		if err != nil {
			t.Fatal(err)
		}
		line, err := store.EncodeEntry(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
	return strings.Join(out, "\n")
}

// mcp.json comes first, --no-mcp means extensions, too, and what the user has
// switched off stays so.
func TestServersOfExtensionsAndFiles(t *testing.T) {
	const code = `export default (pi) => { for (const name of ["a", "x-y", "e"]) pi.registerMcpServer(name, { command: "x", enabled: false }); }`
	a, _, _, _ := extended(t, cli.Options{}, `{"mcpServers":{"a":{"command":"x","enabled":false},"x_y":{"command":"x","enabled":false}}}`, code)
	if got := names(a.MCP()); got != "a:user e:extension x_y:user" {
		t.Error(got)
	}
	if o := a.Overridden(); len(o) != 2 || o[0].Name != "a" || o[1].Name != "x-y" {
		t.Errorf("%+v", o)
	}
	if err := a.EnableServer("e", false); err != nil {
		t.Error(err)
	}
	a, _, _, _ = extended(t, cli.Options{NoMCP: true}, "", code)
	if a.MCP() != nil {
		t.Error(names(a.MCP()))
	}
	a, _, _, _ = extended(t, cli.Options{Offline: true}, "", `export default (pi) => { pi.registerMcpServer("web", { url: "https://x.example/mcp" }); }`)
	if st := a.MCP().Status(); len(st) != 1 || st[0].State != mcp.Disabled {
		t.Errorf("%+v", st)
	}
}
