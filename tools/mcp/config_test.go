package mcp

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func load(t *testing.T, user, project string) ([]Server, string) {
	t.Helper()
	dir := t.TempDir()
	var files []File
	for _, f := range []struct {
		scope Scope
		text  string
	}{{User, user}, {Project, project}} {
		path := filepath.Join(dir, string(f.scope)+".json")
		if f.text != "" {
			if err := os.WriteFile(path, []byte(f.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		files = append(files, File{path, f.scope})
	}
	servers, problems := Load(files...)
	var all []string
	for _, p := range problems {
		all = append(all, strings.TrimPrefix(p.Error(), dir+"/"))
	}
	return servers, strings.Join(all, "\n")
}

func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		name, user, project string
		want                []Server // without path
		problem             string
	}{
		{name: "none"},
		{
			name: "a program, with comments and unknown keys", user: "{ // mine\n\"autoEnableCodemode\": true, \"mcpServers\": {\"a\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": {\"K\": \"v\"}, \"cwd\": \"sub\", \"new\": 1,},}}",
			want: []Server{{Name: "a", Scope: User, Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"K": "v"}, CWD: "sub", Timeout: time.Minute, Exposure: Deferred}},
		},
		{
			name: "a service", user: `{"mcpServers":{"b":{"type":"streamable-http","url":"https://x.example/mcp","headers":{"A":"b"},"oauth":{"clientId":"c","callbackPort":7},"timeout":5000,"exposure":"direct","toolExposure":{"x*":"hidden"},"description":"d","auth":{"provider":"openai"}}}}`,
			want: []Server{{Name: "b", Scope: User, URL: "https://x.example/mcp", Headers: map[string]string{"A": "b"}, OAuth: OAuth{ClientID: "c", CallbackPort: 7}, Timeout: 5 * time.Second, Exposure: Direct, ToolExposure: map[string]Exposure{"x*": Hidden}, Description: "d", Provider: "openai"}},
		},
		{
			name: "the project replaces", user: `{"mcpServers":{"a":{"command":"x","env":{"K":"v"}}}}`, project: `{"mcpServers":{"a":{"command":"y","exposure":"codemode"}}}`,
			want: []Server{{Name: "a", Scope: Project, Command: "y", Timeout: time.Minute, Exposure: Deferred}},
		},
		{
			name: "the project overrides", user: `{"mcpServers":{"a":{"command":"x","description":"d"}}}`, project: `{"mcpServers":{"a":{"enabled":false,"exposure":"direct","description":"no"}}}`,
			want: []Server{{Name: "a", Scope: User, Command: "x", Description: "d", Disabled: true, Timeout: time.Minute, Exposure: Direct}},
		},
		{name: "seconds", user: `{"mcpServers":{"a":{"command":"x","timeout":30}}}`, want: []Server{{Name: "a", Scope: User, Command: "x", Timeout: 30 * time.Second, Exposure: Deferred}}},
		{name: "sse", user: `{"mcpServers":{"a":{"type":"sse","url":"http://x/sse"},"b":{"command":"x"}}}`, problem: "the server a is not used: the transport sse is obsolete", want: []Server{{Name: "b", Scope: User, Command: "x", Timeout: time.Minute, Exposure: Deferred}}},
		{name: "nothing to reach", project: `{"mcpServers":{"a":{"enabled":true}}}`, problem: "project.json: the server a is not used: it has neither command nor url"},
		{name: "both", user: `{"mcpServers":{"a":{"command":"x","url":"http://x"}}}`, problem: "both command and url"},
		{name: "no address", user: `{"mcpServers":{"a":{"url":"file:///etc/passwd"}}}`, problem: "no http address"},
		{name: "an unknown type", user: `{"mcpServers":{"a":{"type":"ws","url":"http://x"}}}`, problem: `type "ws" is not known`},
		{name: "an unknown exposure", user: `{"mcpServers":{"a":{"command":"x","exposure":"open"}}}`, problem: `exposure "open" is not known`},
		{name: "a wrong kind", user: `{"mcpServers":{"a":{"command":["x"]}}}`, problem: "the server a is not used"},
		{name: "keys for a project", project: `{"mcpServers":{"a":{"url":"http://x","auth":{"provider":"openai"}}}}`, problem: "the user's own mcp.json only"},
		{name: "broken", user: `{"mcpServers":`, problem: "no server of it is used"},
		{name: "not an object", user: `{"mcpServers":[]}`, problem: "must be an object"},
		{name: "empty", user: ` `, problem: "no server of it is used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, problem := load(t, tt.user, tt.project)
			for i := range got {
				got[i].Path = ""
			}
			if len(got)+len(tt.want) > 0 && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			if tt.problem == "" && problem != "" || !strings.Contains(problem, tt.problem) {
				t.Errorf("problem %q, want %q", problem, tt.problem)
			}
		})
	}
}

func TestExposureOfTools(t *testing.T) {
	s := Server{Exposure: Deferred, ToolExposure: map[string]Exposure{"read*": Direct, "read_secret*": Hidden, "read_secret_x": Direct}}
	for tool, want := range map[string]Exposure{"write": Deferred, "read": Direct, "read_all": Direct, "read_secrets": Hidden, "read_secret_x": Direct} {
		if got := s.exposure(tool); got != want {
			t.Errorf("%s is %s", tool, got)
		}
	}
}

func TestToolNames(t *testing.T) {
	long := strings.Repeat("long", 30)
	got := toolNames("my-server", []string{"a.b", "a/b", "plain", long, "über"}, map[string]bool{"mcp__my_server__plain": true})
	seen := map[string]bool{}
	for i, n := range got {
		if len(n) > maxName || seen[n] || !strings.HasPrefix(n, "mcp__my_server__") {
			t.Errorf("%d: %q", i, n)
		}
		seen[n] = true
	}
	if got[4] != "mcp__my_server___ber" {
		t.Errorf("%q", got[4])
	}
	for _, i := range []int{0, 1, 2, 3} {
		if n := len(got[i]); got[i][n-9] != '_' {
			t.Errorf("%q has no hash", got[i])
		}
	}
	if again := toolNames("my-server", []string{"a/b", "a.b"}, nil); again[0] != got[1] || again[1] != got[0] {
		t.Errorf("names depend on the order: %v, %v", again, got[:2])
	}
}

func TestExpand(t *testing.T) {
	t.Setenv("MCP_A", "x")
	for in, want := range map[string]string{"": "", "a$b": "a$b", "${MCP_A}/${MCP_A}": "x/x", "${MCP_NO:-y}": "y", "${MCP_NO:-}": "", "${broken": "${broken", "$MCP_A": "$MCP_A"} {
		if got, err := expand(in); got != want || err != nil {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
	if _, err := expand("${MCP_NO}"); err == nil {
		t.Error("a variable that is not set is no error")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x","oauth":{"clientId":"c"}},"b":{"url":"http://x"}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		byName := map[string]Server{}
		add(byName, b, File{"f", Project})
		for name, s := range byName {
			if s.Name != name || s.Command == "" && s.URL == "" || s.Timeout <= 0 || s.Provider != "" {
				t.Errorf("%+v", s)
			}
		}
	})
}
