package compaction

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tau/ai"
	"tau/session/message"
)

func TestSerialize(t *testing.T) {
	code := 1
	for _, tt := range []struct {
		m    ai.Message
		want string
	}{
		{&ai.UserMessage{Content: append(ai.TextBlocks("look"), &ai.Image{Data: "x"})}, "[User]: look\n(an image)"},
		{&ai.AssistantMessage{Content: []ai.Block{
			&ai.Thinking{Thinking: "hmm"}, &ai.Text{Text: "I look."},
			&ai.ToolCall{Name: "read", Arguments: json.RawMessage(`{"path":"a b","limit":3}`)}, &ai.ToolCall{Name: "ls", Arguments: json.RawMessage(`{}`)},
		}}, "[Assistant]: I look.\n\n[Assistant tool calls]: read(path=\"a b\", limit=3); ls()"},
		{&ai.ToolResultMessage{Content: ai.TextBlocks(strings.Repeat("é", 1500))}, "[Tool result]: " + strings.Repeat("é", 1000) + "\n\n[... 1000 more characters left out]"},
		{&message.Bash{Command: "make", Output: "no", ExitCode: &code}, "[User]: Ran `make`\n```\nno\n```\n\nCommand exited with code 1"},
		{&message.Bash{Command: "make", ExcludeFromContext: true}, ""},
		{&ai.SystemMessage{Content: ai.TextBlocks("you are")}, ""},
	} {
		if got := serialize(tt.m); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

// scribe answers summary requests and remembers them.
type scribe struct {
	asked []string
	most  int // longest request it takes, in characters
	fail  error
}

func (s *scribe) ask(_ context.Context, _, user string) (string, ai.Usage, error) {
	if s.most > 0 && len(user) > s.most {
		return "", ai.Usage{}, fmt.Errorf("ask: %w", &ai.Failure{Class: ai.FailOverflow, Message: "prompt is too long"})
	}
	s.asked = append(s.asked, user)
	return fmt.Sprintf("summary %d", len(s.asked)), ai.Usage{Output: 1, TotalTokens: 1}, s.fail
}

func prepared(t *testing.T, words string, keep int64) *Plan {
	t.Helper()
	msgs, ids := talk(words)
	p, err := Prepare(Input{Messages: msgs, IDs: ids, Limits: Limits{KeepRecent: keep}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestUpdateOfAnEarlierSummary(t *testing.T) {
	var by scribe
	s := Summarizer{Ask: by.ask, Focus: "the tests", Path: "/s.jsonl"}
	sum, err := s.Compact(context.Background(), prepared(t, "s3 u3 a3 u50 a50", 80))
	if err != nil {
		t.Fatal(err)
	}
	want := "summary 1\n\n<user-messages>\n- wordwordword\n</user-messages>\n\n<original-conversation>\n/s.jsonl\nEach line is one entry. Those with the ids 1 to 2 are summarised here.\n</original-conversation>"
	if sum.Text != want {
		t.Errorf("got %q", sum.Text)
	}
	if len(by.asked) != 1 || sum.Usage.TotalTokens != 1 {
		t.Fatalf("%d requests", len(by.asked))
	}
	for _, has := range []string{"<previous-summary>\nwordwordword\n</previous-summary>", "<conversation>\n[User]: wordwordword\n\n[Assistant]: wordwordword\n</conversation>", "Additional focus: the tests"} {
		if !strings.Contains(by.asked[0], has) {
			t.Errorf("the request lacks %q:\n%s", has, by.asked[0])
		}
	}
}

func TestSplitTurn(t *testing.T) {
	var by scribe
	s := Summarizer{Ask: by.ask}
	sum, err := s.Compact(context.Background(), prepared(t, "u3 a3 u3 a3+x r3+x a50", 40))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(sum.Text, "summary 1\n\n---\n\n**Turn Context (split turn):**\n\nsummary 2\n\n<user-messages>\n- wordwordword\n- wordwordword\n") {
		t.Errorf("got %q", sum.Text)
	}
	if len(by.asked) != 2 || !strings.Contains(by.asked[1], "## Original Request") || sum.Usage.TotalTokens != 2 {
		t.Errorf("%d requests, usage %d", len(by.asked), sum.Usage.TotalTokens)
	}
}

func TestTooLongForOneRequest(t *testing.T) {
	// 40 messages of 4,000 characters; a request may hold 24,000 or so.
	plan := prepared(t, strings.Repeat("u1000 a1000 ", 20)+"u9 a9", 10)
	for _, most := range []int{0, 9000} {
		by := scribe{most: most}
		s := Summarizer{Ask: by.ask, Limits: Limits{Window: 18000, Reserve: 6000}}
		sum, err := s.Compact(context.Background(), plan)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for i, a := range by.asked {
			total += strings.Count(a, "word")
			if i > 0 && !strings.Contains(a, fmt.Sprintf("summary %d\n</previous-summary>", i)) {
				t.Errorf("piece %d does not update the one before", i)
			}
		}
		if want := 40*1000 + 9; len(by.asked) < 5 || total < want-len(by.asked) || total > want+len(by.asked) {
			t.Errorf("%d requests with %d of %d words", len(by.asked), total, want)
		}
		if !strings.HasPrefix(sum.Text, fmt.Sprintf("summary %d\n", len(by.asked))) {
			t.Errorf("got %.100q", sum.Text)
		}
	}
}

func TestNeverShortEnough(t *testing.T) {
	by := scribe{most: 100}
	s := Summarizer{Ask: by.ask, Limits: Limits{Window: 18000, Reserve: 6000}}
	var f *ai.Failure
	if _, err := s.Compact(context.Background(), prepared(t, "u1000 a1000 u9 a9", 10)); !errors.As(err, &f) || f.Class != ai.FailOverflow {
		t.Errorf("got %v", err)
	}
}

func TestMechanicalKeepsTheUsersWords(t *testing.T) {
	msgs, ids := talk("u1 a1 u1 a1+x r9000+x u5 a5")
	msgs[0] = &ai.UserMessage{Content: ai.TextBlocks("never touch\nthe vendor folder")}
	msgs[2] = &ai.UserMessage{Content: ai.TextBlocks("fix the parser")}
	p, err := Prepare(Input{Messages: msgs, IDs: ids, Limits: Limits{KeepRecent: 8}})
	if err != nil {
		t.Fatal(err)
	}
	got := p.Mechanical("no credit", "")
	for _, has := range []string{"no credit", "- never touch\n  the vendor folder\n- fix the parser\n</user-messages>", "## Last Answer\nword"} {
		if !strings.Contains(got, has) {
			t.Errorf("%q is missing in\n%s", has, got)
		}
	}
	if len(got) > 1000 {
		t.Errorf("%d characters", len(got))
	}
}

func TestManyWordsOfTheUser(t *testing.T) {
	plan := prepared(t, strings.Repeat("u50 a1 ", 300)+"u9000 a1 u9 a1000", 1000)
	words := plan.userWords()
	if len(words) > 2300 || !strings.HasPrefix(words, "- [earlier messages left out]\n- word") || !strings.Contains(words, "more characters left out") {
		t.Errorf("%d characters: %.200q", len(words), words)
	}
}

func TestBranch(t *testing.T) {
	msgs, _ := talk("u3 a3+x r900+x a3")
	var by scribe
	s := Summarizer{Ask: by.ask, Focus: "why it failed"}
	sum, files, err := s.Branch(context.Background(), msgs, Files{Read: []string{"a.go"}})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Text != branchNote+"summary 1\n\n<read-files>\na.go\n</read-files>" || len(files.Read) != 1 {
		t.Errorf("got %q", sum.Text)
	}
	if strings.Contains(by.asked[0], "Tool result") || strings.Contains(by.asked[0], "Critical Context") || !strings.Contains(by.asked[0], "Additional focus: why it failed") {
		t.Errorf("request\n%s", by.asked[0])
	}
	if _, _, err := s.Branch(context.Background(), msgs[2:3], Files{}); !errors.Is(err, ErrNothing) {
		t.Errorf("a branch of nothing but a result: %v", err)
	}
}

func TestManyFiles(t *testing.T) {
	var f Files
	for i := range 1000 {
		f.Read = append(f.Read, fmt.Sprintf("dir/file%d.go", i))
	}
	blocks := f.blocks(1000)
	if len(blocks) != 1 || len(blocks[0]) > 1100 || !strings.HasSuffix(blocks[0], "more)\n</read-files>") {
		t.Errorf("%d characters: %q", len(blocks[0]), blocks[0][len(blocks[0])-60:])
	}
	set := newFileSet(Files{})
	set.takeFiles("x\n\n" + blocks[0])
	if got := set.files(); len(got.Read) < 50 || strings.Contains(strings.Join(got.Read, " "), "more") {
		t.Errorf("read back as %d files", len(got.Read))
	}
}

// Whatever the conversation and the window, what is left after a cut without
// a model fits.
func TestWhatIsLeftFits(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 3))
		words := "s" + fmt.Sprint(r.IntN(3000)) + " " + randomTalk(r)
		if r.IntN(3) == 0 {
			words += fmt.Sprintf(" u%d", r.IntN(20000))
		}
		msgs, ids := talk(words)
		l := Settings{}.For(&ai.Model{ContextWindow: 2000 + r.Int64N(30000)})
		fixed := r.Int64N(l.Window / 4)
		p, err := Prepare(Input{Messages: msgs, IDs: ids, Limits: l, Fixed: fixed, Must: true, Tokens: l.Window})
		if err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		if after := fixed + EstimateText(p.Mechanical("no model", "/s.jsonl")) + p.Kept; after > l.Window {
			t.Fatalf("seed %d: %d tokens for a window of %d (fixed %d, kept %d)", seed, after, l.Window, fixed, p.Kept)
		}
	}
}

func TestAnEndTagInATextEndsNothing(t *testing.T) {
	text, body := cutTag("a\n\n"+tagged(wordsTag, "- </user-messages> x")+"\n\nb", wordsTag)
	if text != "a\n\nb" || body != "- < /user-messages> x" {
		t.Errorf("%q %q", text, body)
	}
}
