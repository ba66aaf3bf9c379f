package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/cmd/tau/internal/cli"
	"tau/tools/mcp"
)

// servers opens the program in a folder with the two files, all disabled: no
// process is to run.
func serversOf(t *testing.T, o cli.Options, user, project string) *App {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("TAU_AGENT_DIR", filepath.Join(dir, "agent"))
	work := filepath.Join(dir, "work")
	for path, text := range map[string]string{filepath.Join(dir, "agent", "mcp.json"): user, filepath.Join(work, ".tau", "mcp.json"): project} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o.Mode = "text"
	o.NoSession = true
	a, err := NewIn(work, o, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func names(h *mcp.Hub) string {
	var out []string
	if h != nil {
		for _, s := range h.Status() {
			out = append(out, s.Name+":"+string(s.Scope))
		}
	}
	return strings.Join(out, " ")
}

const (
	mine   = `{"mcpServers":{"a":{"command":"x","enabled":false},"b":{"command":"x","enabled":false}}}`
	theirs = `{"mcpServers":{"b":{"command":"y","enabled":false},"c":{"command":"y","enabled":false}}}`
)

func TestServersOfASession(t *testing.T) {
	for _, tt := range []struct {
		name          string
		o             cli.Options
		user, project string
		want          string
	}{
		{"none", cli.Options{}, "", "", ""},
		{"an untrusted project", cli.Options{}, mine, theirs, "a:user b:user"},
		{"a trusted project", cli.Options{Approve: true}, mine, theirs, "a:user b:project c:project"},
		{"switched off", cli.Options{Approve: true, NoMCP: true}, mine, theirs, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := serversOf(t, tt.o, tt.user, tt.project)
			s, _, err := a.Start()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := names(a.MCP()); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Consent, and a changed file, take effect in the session there is.
func TestServersAfterReload(t *testing.T) {
	a := serversOf(t, cli.Options{}, mine, theirs)
	a.AddServers([]byte(`{"a":{"command":"z","enabled":false}}`))
	s, _, err := a.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := names(a.MCP()); got != "b:user a:client" {
		t.Error(got)
	}
	before := a.MCP()
	a.Reload()
	if a.MCP() != before {
		t.Error("nothing has changed, and the connections are new")
	}
	if err := a.SetTrust(true, ""); err != nil {
		t.Fatal(err)
	}
	if got := names(a.MCP()); got != "b:project c:project a:client" {
		t.Error(got)
	}
	if err := a.EnableServer("a", true); err != nil {
		t.Fatal(err)
	}
	if err := a.EnableServer("ghost", true); err == nil {
		t.Error("a server that is not there was enabled")
	}
}

func TestWhichToolsOfServersAreAllowed(t *testing.T) {
	for _, tt := range []struct {
		tools, exclude, own []string
		none                bool
		want                string
	}{
		{want: "mcp__a__x mcp__b__y tool_search"},
		{none: true},
		{tools: []string{"read", "mcp__a__*"}, want: "mcp__a__x"},
		{tools: []string{"+grep"}, want: "mcp__a__x mcp__b__y tool_search"},
		{tools: []string{"-mcp__b__*"}, want: "mcp__a__x tool_search"},
		{exclude: []string{"mcp__*"}, want: "tool_search"},
		{own: []string{"-tool_search"}, want: "mcp__a__x mcp__b__y"},
		{own: []string{"read"}, want: "mcp__a__x mcp__b__y tool_search"},
	} {
		a := &App{Options: cli.Options{Tools: tt.tools, ExcludeTools: tt.exclude, NoTools: tt.none}}
		a.Settings.DefaultTools = tt.own
		allowed := a.allowed()
		var got []string
		for _, name := range []string{"mcp__a__x", "mcp__b__y", "tool_search"} {
			if allowed(name) {
				got = append(got, name)
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%+v: %q", tt, s)
		}
	}
}
