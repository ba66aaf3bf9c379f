package prompt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/agent"
	"tau/ai"
)

func tool(name string) *agent.Tool {
	return &agent.Tool{Name: name, Snippet: "does " + name, Guidelines: []string{"Use " + name + " well."}, Parameters: json.RawMessage(`{"type": "object"}`)}
}

func TestBuildAndRender(t *testing.T) {
	s := Build(Input{Tools: []*agent.Tool{tool("bash"), tool("edit")}, CWD: "/w", Append: []string{"also"}, Files: []ContextFile{{"/w/AGENTS.md", "be kind\n"}}})
	text := Render(s)
	for _, want := range []string{
		"<tools>\n- bash: does bash\n- edit: does edit\n</tools>", "- Use edit well.", "- List and search files with bash",
		"<addendum>\nalso\n</addendum>", "<project_instructions path=\"/w/AGENTS.md\">\nbe kind\n</project_instructions>", "<cwd>\n/w\n</cwd>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if custom := Render(Build(Input{Custom: "only this", Tools: []*agent.Tool{tool("bash")}})); custom != "only this" {
		t.Errorf("custom prompt: %q", custom)
	}
	if text != Render(Build(Input{Tools: []*agent.Tool{tool("bash"), tool("edit")}, CWD: "/w", Append: []string{"also"}, Files: []ContextFile{{"/w/AGENTS.md", "be kind\n"}}})) {
		t.Error("the same input gave another prompt")
	}
}

func TestDiffAndReplay(t *testing.T) {
	one := Build(Input{CWD: "/a", Tools: []*agent.Tool{tool("bash")}})
	defs := func(names ...string) (d []ai.ToolDef) {
		for _, n := range names {
			d = append(d, tool(n).Def())
		}
		return d
	}
	first := Diff(State{}, one, defs("bash"))
	if first == nil || len(first.ToolsAdded) != 1 {
		t.Fatalf("first: %+v", first)
	}
	msgs := []ai.Message{first}
	if again := Diff(Replay(msgs), one, defs("bash")); again != nil {
		t.Errorf("nothing changed, but %+v", again)
	}
	two := Build(Input{CWD: "/b", Custom: "x"})
	second := Diff(Replay(msgs), two, defs("read"))
	msgs = append(msgs, second)
	st := Replay(msgs)
	if st.Prompt() != Render(two) {
		t.Errorf("after the patch\n%s\nwant\n%s", st.Prompt(), Render(two))
	}
	if len(st.Tools) != 1 || st.Tools[0].Name != "read" {
		t.Errorf("tools %v", st.Tools)
	}
	old := []ai.Message{&ai.SystemMessage{Content: ai.TextBlocks("plain"), Plain: true}}
	if got := Replay(old).Prompt(); got != "plain" {
		t.Errorf("prompt without sections: %q", got)
	}
}

func TestContextFiles(t *testing.T) {
	root := t.TempDir()
	agentDir := filepath.Join(root, "agent")
	cwd := filepath.Join(root, "a", "b")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(agentDir, "AGENTS.md"), "global")
	write(filepath.Join(root, "a", "CLAUDE.md"), "\ufeffouter")
	write(filepath.Join(cwd, "AGENTS.md"), "inner")
	write(filepath.Join(cwd, "AGENTS.override.md"), "override")
	write(filepath.Join(cwd, "CLAUDE.md"), "not read")
	files, problems := ContextFiles(agentDir, cwd)
	if len(problems) > 0 {
		t.Error(problems)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Text)
	}
	if s := strings.Join(got, " "); s != "global outer override" {
		t.Error(s)
	}
	write(filepath.Join(cwd, "AGENTS.override.md"), strings.Repeat("x", maxContextFile+1))
	if _, problems := ContextFiles(agentDir, cwd); len(problems) != 1 {
		t.Errorf("a huge file: %v", problems)
	}
}

func TestWorktreeInsideItsMainCheckout(t *testing.T) {
	root := t.TempDir()
	tree := filepath.Join(root, "trees", "x")
	if err := os.MkdirAll(tree, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(root, "AGENTS.md"): "main", filepath.Join(tree, "AGENTS.md"): "tree",
		filepath.Join(tree, ".git"): "gitdir: " + filepath.Join(root, ".git", "worktrees", "x") + "\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := ContextFiles("", tree)
	if len(files) != 1 || files[0].Text != "tree" {
		t.Errorf("%v", files)
	}
}
