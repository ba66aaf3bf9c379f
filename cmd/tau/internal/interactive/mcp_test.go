package interactive

import (
	"os"
	"path/filepath"
	"testing"

	"tau/cmd/tau/internal/cli"
)

func TestMCPWithoutServers(t *testing.T) {
	launch(t, 100, 20, cli.Options{}, nil, func(r *rig) {
		r.ask("/mcp")
		r.has("there are no MCP servers; tau mcp add names one")
	})
}

// The servers are disabled: no process runs in a test of the screen.
func TestMCPServers(t *testing.T) {
	work := home(t)
	dir := filepath.Join(filepath.Dir(work), ".tau", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := `{"mcpServers":{"files":{"command":"run-\u001b[31mfiles","enabled":false},"web":{"url":"https://x.example/mcp","enabled":false}}}`
	if err := os.WriteFile(filepath.Join(dir, "mcp.json"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	relaunch(t, work, 100, 24, cli.Options{}, nil, func(r *rig) {
		r.ask("/mcp")
		r.has("files", "disabled", "run-files", "https://x.example/mcp")
		r.ask("/mcp dance files")
		r.has("/mcp dance is not known")
		r.ask("/mcp login files")
		r.has("files is a program that runs here; it has no sign-in")
	})
}
