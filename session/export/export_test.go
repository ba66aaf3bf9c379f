package export

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tau/ai"
	"tau/session/message"
	"tau/session/store"
)

const attack = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> [x](javascript:alert(1)) ![p](http://example.test/p.png) \x1b[31mred\x1b]0;title\x07 \u202eflip"

// sample is a session with two branches and one of everything.
func sample(t *testing.T) *store.Store {
	t.Helper()
	s := store.Create("", store.Header{ID: "sess", CWD: "/w/<b>", Timestamp: "2026-01-02T03:04:05.000Z"})
	add := func(e store.Entry) string {
		id, err := s.Append(e)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	msg := func(m ai.Message) string { return add(&store.MessageEntry{Message: m}) }
	text := "be good <b>"
	code, took := 2, int64(1500)
	add(&store.ModelEntry{Provider: "p", ModelID: "m"})
	msg(&ai.SystemMessage{Sections: ai.Sections{{Name: "preamble", Text: &text}}, ToolsAdded: []ai.ToolDef{{Name: "read", Description: "reads"}}})
	root := msg(&ai.UserMessage{Content: append(ai.TextBlocks("# Hello\n\n"+attack), &ai.Image{MimeType: "image/png", Data: "iVBORw0KGgo="}, &ai.Image{MimeType: "image/svg+xml", Data: "PHN2Zz4="}, &ai.Image{MimeType: "image/png", Data: "\"onload=x"})})
	msg(&ai.AssistantMessage{Model: "m", Content: []ai.Block{
		&ai.Thinking{Thinking: "let me see"}, &ai.Text{Text: "I read **it**:\n\n```go\nfunc main() {}\n```"},
		&ai.ToolCall{ID: "c1", Name: "edit", Arguments: json.RawMessage(`{"path":"a<b>.go","edits":[{"oldText":"x"}]}`)},
	}, StopReason: ai.StopToolUse, Usage: ai.Usage{Input: 10, Output: 5, TotalTokens: 15, Cost: ai.Cost{Total: 0.5}}})
	msg(&ai.ToolResultMessage{ToolCallID: "c1", ToolName: "edit", Content: ai.TextBlocks(strings.Repeat("line "+attack+"\n", 30)), Details: json.RawMessage(`{"diff":" 1 a\n-2 b\n+2 <c>\n"}`), DurationMs: &took,
		NestedCalls: json.RawMessage(`{"calls":[{"id":"n","name":"read","status":"error","error":"no <file>"}],"complete":true}`)})
	left := msg(&ai.AssistantMessage{Model: "m", ErrorMessage: "overloaded <x>", StopReason: ai.StopError})
	add(&store.LabelEntry{TargetID: left, Label: "dead <end>"})
	if err := s.SetLeaf(root); err != nil {
		t.Fatal(err)
	}
	add(&store.BranchSummaryEntry{FromID: left, Summary: "it **failed** " + attack})
	msg(&message.Bash{Command: "ls <x>", Output: "out", ExitCode: &code})
	msg(&ai.UserMessage{Content: ai.TextBlocks("second branch")})
	add(&store.CompactionEntry{Summary: "summed up", TokensBefore: 1234, FirstKeptEntryID: root})
	add(&store.CustomMessageEntry{CustomType: "note", Content: json.RawMessage(`"for your eyes"`), Display: true})
	add(&store.CustomMessageEntry{CustomType: "note", Content: json.RawMessage(`"hidden one"`)})
	return s
}

func export(t *testing.T, s *store.Store, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := HTML(&b, s, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestContent(t *testing.T) {
	page := export(t, sample(t), Options{Colors: map[string]string{"text": "#abcdef", "evil": "red}</style><script>", "bad name": "red"}})
	for _, has := range []string{
		"<h1>Hello</h1>", "--text:#abcdef;", "let me see", "<strong>it</strong>", "func main() {}", "a&lt;b&gt;.go", "+2 &lt;c&gt;", "1.5s",
		"no &lt;file&gt;", "overloaded &lt;x&gt;", "dead &lt;end&gt;", "<strong>failed</strong>", "$ ls &lt;x&gt;", "(exit code 2)", "second branch",
		"Compacted from 1234 tokens", "for your eyes", "data:image/png;base64,iVBORw0KGgo=", "(an image of type image/svg+xml)", "(a broken image)",
		"25 more lines", "/w/&lt;b&gt;", "&lt;script&gt;document.title", "10 tokens in, 5 out, 0 cached, $0.5000", "be good &lt;b&gt;",
	} {
		if !strings.Contains(page, has) {
			t.Errorf("the page lacks %q", has)
		}
	}
	for _, no := range []string{"<script>document", "<img src=x", "href=\"javascript", "src=\"http", "\x1b", "\u202e", "hidden one", "evil", "bad name", "<b>.go", "onload=x\""} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
	if !strings.Contains(export(t, sample(t), Options{ShowHidden: true}), "hidden one") {
		t.Error("hidden messages are not shown on demand")
	}
	if n, m := strings.Count(page, "<article"), sample(t).Len(); n != m {
		t.Errorf("%d articles for %d entries", n, m)
	}
	if n := strings.Count(page, "\" hidden>"); n != 4 {
		t.Errorf("%d entries are off the path", n)
	}
	if FileName("/a/b_c.jsonl") != "tau-session-b_c.html" {
		t.Error(FileName("/a/b_c.jsonl"))
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain é\n\t": "plain é\n\t", "a\x1b[31mb\x1b[0mc": "abc", "a\x1b]0;t\x07b": "ab", "a\x1b]8;;u\x1b\\b": "ab", "a\x1b": "a", "a\x1b[3": "a",
		"a\x1b(Bb": "ab", "a\r\nb": "a\nb", "a\x00\x7f\u0085b": "ab", "a\x1bé": "aé", "\x1bPq\x1b\\x": "x",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;x\x07")
	f.Fuzz(func(t *testing.T, s string) {
		if got := clean(s); strings.IndexFunc(got, control) >= 0 {
			t.Errorf("%q left %q", s, got)
		}
	})
}

// In a browser: nothing that the session says runs, the path to the leaf is
// shown, and a link in the sidebar shows the other branch.
func TestInABrowser(t *testing.T) {
	bin := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			bin = p
			break
		}
	}
	if bin == "" || testing.Short() {
		t.Skip("no browser")
	}
	s := sample(t)
	left := ""
	for _, n := range s.Nodes() {
		if s.Label(n.ID) != "" {
			left = n.ID
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "s.html")
	if err := os.WriteFile(path, []byte(export(t, s, Options{Title: "the title"})), 0o600); err != nil {
		t.Fatal(err)
	}
	dom := func(hash string) string {
		cmd := exec.Command(bin, "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom", "file://"+path+hash)
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("the browser does not run: %v", err)
		}
		return string(out)
	}
	visible := func(dom, text string) bool {
		at := strings.Index(dom, "<main>")
		i := strings.Index(dom[at:], text)
		if i < 0 {
			t.Fatalf("%q is not in the page", text)
		}
		article := dom[:at+i]
		article = article[strings.LastIndex(article, "<article"):]
		head, _, _ := strings.Cut(article, ">")
		return !strings.Contains(head, "hidden")
	}
	d := dom("")
	if !strings.Contains(d, "<title>the title</title>") || !visible(d, "second branch") || visible(d, "overloaded") {
		t.Error("the first view is not that of the leaf, or something ran")
	}
	d = dom("#e-" + left)
	if visible(d, "second branch") || !visible(d, "overloaded") || !strings.Contains(d, `data-shown="`+left+`"`) {
		t.Error("the other branch is not shown")
	}
}
