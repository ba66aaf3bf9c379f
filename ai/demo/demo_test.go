package demo

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/ai"
	"tau/ai/internal/answertest"
)

func TestUnderstand(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want intent
	}{
		{"list files", intent{kind: list}},
		{"Please list the files.", intent{kind: list}},
		{"list all files in src", intent{kind: list, path: "src"}},
		{"Can you list the files in the src folder?", intent{kind: list, path: "src"}},
		{"show me the files in `my docs`", intent{kind: list, path: "my docs"}},
		{"what files are here?", intent{kind: list}},
		{"ls", intent{kind: list}},
		{"ls internal/x", intent{kind: list, path: "internal/x"}},
		{"what is in this folder?", intent{kind: list}},

		{"read README.md", intent{kind: read, path: "README.md"}},
		{"Read the file go.mod, please", intent{kind: read, path: "go.mod"}},
		{"could you show me main.go?", intent{kind: read, path: "main.go"}},
		{"cat my notes.txt", intent{kind: read, path: "my notes.txt"}},
		{`open "a b.txt"`, intent{kind: read, path: "a b.txt"}},
		{"open “a b.txt”", intent{kind: read, path: "a b.txt"}},
		{"open ‘it’s.txt’", intent{kind: read, path: "it’s.txt"}},
		{"open 'it's.txt'", intent{kind: read, path: "it's.txt"}},
		{"what does go.mod say?", intent{kind: read, path: "go.mod"}},
		{"what is in go.mod", intent{kind: read, path: "go.mod"}},
		{"summarize README", intent{kind: read, path: "README"}},
		{"explain src/main.go", intent{kind: read, path: "src/main.go"}},
		{"read ./a.txt.", intent{kind: read, path: "./a.txt"}},

		{"search for TODO", intent{kind: search, pattern: "TODO"}},
		{`search for "func main" in cmd`, intent{kind: search, pattern: "func main", path: "cmd"}},
		{"search the code for «grüße» in the src directory", intent{kind: search, pattern: "grüße", path: "src"}},
		{"grep foo in bar.go", intent{kind: search, pattern: "foo", path: "bar.go"}},
		{"grep 'a b'", intent{kind: search, pattern: "a b"}},
		{"where is Foo used?", intent{kind: search, pattern: "Foo"}},
		{"find all uses of `Foo` in src", intent{kind: search, pattern: "Foo", path: "src"}},

		{"find *.go", intent{kind: find, pattern: "*.go"}},
		{"find all go files in cmd", intent{kind: find, pattern: "*.go", path: "cmd"}},
		{"find all .md files", intent{kind: find, pattern: "*.md"}},
		{"find files named main.go", intent{kind: find, pattern: "main.go"}},
		{"find the file main.go", intent{kind: find, pattern: "main.go"}},
		{"where is the file x.txt?", intent{kind: find, pattern: "x.txt"}},

		{`create hello.txt with "Hello, world!"`, intent{kind: write, path: "hello.txt", new: "Hello, world!"}},
		{"create a file hello.txt with hello world", intent{kind: write, path: "hello.txt", new: "hello world"}},
		{"Create a new file called `my notes.txt` with the content “one”", intent{kind: write, path: "my notes.txt", new: "one"}},
		{"write 'x y' to out.txt", intent{kind: write, path: "out.txt", new: "x y"}},
		{"put \"a\" into the file b c.txt.", intent{kind: write, path: "b c.txt", new: "a"}},
		{"create a.go with:\n```go\npackage a\n\nvar x  = \"y\"\n```", intent{kind: write, path: "a.go", new: "package a\n\nvar x  = \"y\"\n"}},

		{`replace "a" with "b" in x.txt`, intent{kind: replace, old: "a", new: "b", path: "x.txt"}},
		{"replace `a  b` by 'it's' in the file “d e.txt”.", intent{kind: replace, old: "a  b", new: "it's", path: "d e.txt"}},
		{"Please change foo to bar in src/a.go", intent{kind: replace, old: "foo", new: "bar", path: "src/a.go"}},
		{"In x.txt, replace „alt“ with „neu“.", intent{kind: replace, old: "alt", new: "neu", path: "x.txt"}},
		{`replace "a" with "" in x.txt`, intent{kind: replace, old: "a", new: "", path: "x.txt"}},
		{"replace all occurrences of 'x' with 'y' in z.md", intent{kind: replace, old: "x", new: "y", path: "z.md"}},

		{"run `go version`", intent{kind: run, pattern: "go version"}},
		{`run the command "echo 'a' | wc -c"`, intent{kind: run, pattern: "echo 'a' | wc -c"}},
		{"run git status", intent{kind: run, pattern: "git status"}},
		{"run for i in 1 2; do echo $i; done", intent{kind: run, pattern: "for i in 1 2; do echo $i; done"}},
		{"please execute ./build.sh --fast", intent{kind: run, pattern: "./build.sh --fast"}},
		{"run all of them", intent{kind: unknown}},
		{"execute: ls -la", intent{kind: run, pattern: "ls -la"}},

		{"help", intent{kind: help}},
		{"What can you do?", intent{kind: help}},
		{"hello", intent{kind: help}},

		{"write me a web server", intent{kind: unknown}},
		{"run the tests", intent{kind: unknown}},
		{"don't do anything", intent{kind: unknown}},
		{"explain monads", intent{kind: unknown}},
		{"", intent{kind: unknown}},
		{"\xff\xfe", intent{kind: unknown}},
	} {
		if got := understand(tt.in); got != tt.want {
			t.Errorf("%q:\n got %+v\nwant %+v", tt.in, got, tt.want)
		}
	}
}

func FuzzUnderstand(f *testing.F) {
	f.Add("replace `a` with 'b in “c” ```x")
	f.Fuzz(func(t *testing.T, in string) { understand(in) })
}

var allTools = []ai.ToolDef{{Name: "read"}, {Name: "bash"}, {Name: "edit"}, {Name: "write"}, {Name: "grep"}, {Name: "find"}, {Name: "ls"}}

// talk asks the model until it has no more calls. tool answers them.
func talk(t *testing.T, request string, tools []ai.ToolDef, tool func(c *ai.ToolCall) *ai.ToolResultMessage) (calls []string, text string) {
	t.Helper()
	msgs := []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("old request")}, &ai.AssistantMessage{Content: ai.TextBlocks("old answer")}, &ai.UserMessage{Content: ai.TextBlocks(request)}}
	stream := New(0)
	for range 10 {
		m := answertest.Check(t, stream(t.Context(), Model(), ai.Request{Messages: msgs, Tools: tools}, ai.Options{}))
		msgs = append(msgs, m)
		if m.StopReason != ai.StopToolUse {
			return calls, ai.ContentText(m.Content)
		}
		for _, c := range m.ToolCalls() {
			calls = append(calls, c.Name+string(c.Arguments))
			r := tool(c)
			r.ToolCallID, r.ToolName = c.ID, c.Name
			msgs = append(msgs, r)
		}
	}
	t.Fatalf("%q does not end", request)
	return nil, ""
}

func says(text string) func(*ai.ToolCall) *ai.ToolResultMessage {
	return func(*ai.ToolCall) *ai.ToolResultMessage { return &ai.ToolResultMessage{Content: ai.TextBlocks(text)} }
}

func TestPlans(t *testing.T) {
	for _, tt := range []struct{ request, result, calls, text string }{
		{"list files in src", "a.go\nb.go", `ls{"path":"src"}`, "`src` has 2 entries"},
		{"read a.txt", "one\ntwo", `read{"path":"a.txt"}`, "`a.txt` has 2 lines"},
		{`search for "x<y" in src`, "a.go:1: x<y", `grep{"pattern":"x<y","path":"src","literal":true}`, "1 line for"},
		{"search for zz", "No matches found", `grep{"pattern":"zz","path":".","literal":true}`, "does not occur"},
		{"find *.go", "a.go\nb.go", `find{"pattern":"*.go","path":"."}`, "2 files"},
		{"create a.txt with 'hi'", "ok", `write{"path":"a.txt","content":"hi"}`, "I wrote `a.txt` (2 bytes)"},
		{"run `pwd`", "/x", `bash{"command":"pwd"}`, "The command printed"},
		{"help", "", "", "offline"},
		{"write a poem", "", "", "did not understand"},
	} {
		calls, text := talk(t, tt.request, allTools, says(tt.result))
		if strings.Join(calls, " ") != tt.calls || !strings.Contains(text, tt.text) && !(tt.request == "help" && strings.Contains(text, "demo model")) {
			t.Errorf("%q:\n%q\n%s", tt.request, calls, text)
		}
	}
}

func TestToolsThatAreOff(t *testing.T) {
	few := allTools[:4]
	for request, want := range map[string]string{
		"list files in it's":   `bash{"command":"ls -la -- 'it'\\''s'"}`,
		"search for '-x' in a": `bash{"command":"grep -rnIF -e '-x' -- 'a' | head -n 100"}`,
	} {
		if calls, _ := talk(t, request, few, says("x")); len(calls) != 1 || calls[0] != want {
			t.Errorf("%q: %q, want %q", request, calls, want)
		}
	}
	if calls, text := talk(t, "read a.txt", nil, says("x")); len(calls) != 0 || !strings.Contains(text, "not switched on") {
		t.Errorf("%q %s", calls, text)
	}
}

func TestToolError(t *testing.T) {
	_, text := talk(t, "read a.txt", allTools, func(*ai.ToolCall) *ai.ToolResultMessage {
		return &ai.ToolResultMessage{IsError: true, Content: ai.TextBlocks("a.txt: no such file")}
	})
	if text != "That did not work: a.txt: no such file" {
		t.Error(text)
	}
}

func TestReplace(t *testing.T) {
	file := "foo\nbar\nfoo\nbaz foo foo\n"
	tool := func(c *ai.ToolCall) *ai.ToolResultMessage {
		if c.Name == "read" {
			// In two parts, as a file over the limits.
			if strings.Contains(string(c.Arguments), "offset") {
				return &ai.ToolResultMessage{Content: ai.TextBlocks("foo\nbaz foo foo\n")}
			}
			return &ai.ToolResultMessage{Content: ai.TextBlocks("foo\nbar\n\n[Showing lines 1-2 of 4. Use offset=3 to continue.]"), Details: json.RawMessage(`{"truncation":{"truncated":true}}`)}
		}
		var in struct{ Edits []edit }
		if err := json.Unmarshal(c.Arguments, &in); err != nil {
			t.Error(err)
		}
		file = applyEdits(t, file, in.Edits)
		return &ai.ToolResultMessage{Content: ai.TextBlocks("ok")}
	}
	calls, text := talk(t, `replace "foo" with "qux" in a.txt`, allTools, tool)
	if file != "qux\nbar\nqux\nbaz qux qux\n" || len(calls) != 3 || text != "I replaced 4 occurrences of \"foo\" with \"qux\" in `a.txt`." {
		t.Errorf("%q\n%q\n%s", file, calls, text)
	}
	if _, text := talk(t, `replace "foo" with "qux" in a.txt`, allTools, says("nothing")); !strings.Contains(text, "does not contain") {
		t.Error(text)
	}
}

// applyEdits is the edit tool's rule: each text occurs once, none overlap.
func applyEdits(t *testing.T, text string, edits []edit) string {
	t.Helper()
	type place struct {
		from, to int
		new      string
	}
	var places []place
	for _, e := range edits {
		if n := strings.Count(text, e.OldText); n != 1 {
			t.Errorf("%q occurs %d times in %q", e.OldText, n, text)
		}
		from := strings.Index(text, e.OldText)
		places = append(places, place{from, from + len(e.OldText), e.NewText})
	}
	out, at := "", 0
	for _, p := range places { // they come in order
		if p.from < at {
			t.Errorf("edits overlap in %q: %q", text, edits)
			return text
		}
		out += text[at:p.from] + p.new
		at = p.to
	}
	return out + text[at:]
}

func TestMakeEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "b", "aa", "x a", "", "foo", "a b a", "  a"}
	for range 500 {
		var lines []string
		for range rng.IntN(12) {
			lines = append(lines, words[rng.IntN(len(words))])
		}
		text := strings.Join(lines, "\n") + []string{"", "\n"}[rng.IntN(2)]
		old := []string{"a", "aa", "a\nb", "b\n", "foo"}[rng.IntN(5)]
		edits := makeEdits(text, old, "NEW")
		if got, want := applyEdits(t, text, edits), strings.ReplaceAll(text, old, "NEW"); got != want {
			t.Fatalf("%q, %q: got %q, want %q (edits %q)", text, old, got, want, edits)
		}
	}
}

func TestPaceAndAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		time.AfterFunc(100*time.Millisecond, cancel)
		req := ai.Request{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("help")}}}
		m := answertest.Check(t, New(DefaultPace)(ctx, Model(), req, ai.Options{}))
		if m.StopReason != ai.StopAborted || len(m.Content) == 0 || time.Since(start) != 100*time.Millisecond {
			t.Errorf("%+v after %v", m, time.Since(start))
		}
	})
}

func TestScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a script.json")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"turns":[
		{"thinking":"hm","text":"look","toolCalls":[{"name":"read","arguments":{"path":"a"}},{"id":"x","name":"ls"}]},
		{"text":"half","error":{"message":"Overloaded","class":"retry","status":529,"retryAfterMs":300}},
		{"text":"long","stopReason":"length"}]}`)
	stream := New(0)
	model := Model()
	model.ID = "script:" + path
	next := func() *ai.AssistantMessage {
		return answertest.Check(t, stream(t.Context(), model, ai.Request{}, ai.Options{}))
	}
	if m := next(); m.StopReason != ai.StopToolUse || len(m.Content) != 4 || m.ToolCalls()[1].ID != "x" || string(m.ToolCalls()[1].Arguments) != "{}" || m.ToolCalls()[0].ID == "" {
		t.Errorf("%+v", m)
	}
	if m := next(); m.StopReason != ai.StopError || ai.ContentText(m.Content) != "half" || m.Failure.Class != ai.FailRetry || m.Failure.RetryAfter != 300*time.Millisecond {
		t.Errorf("%+v", m.Failure)
	}
	if m := next(); m.StopReason != ai.StopLength {
		t.Errorf("%+v", m)
	}
	if m := next(); m.StopReason != ai.StopError || !strings.Contains(m.ErrorMessage, "only 3 turns") {
		t.Errorf("%+v", m)
	}
	write(`{"turns":[{"txt":"x"}]}`)
	if _, err := Script(path); err == nil {
		t.Error("a misspelt member is accepted")
	}
	model.ID = "script:/nowhere.json"
	if m := next(); m.StopReason != ai.StopError {
		t.Errorf("%+v", m)
	}
}
