package compaction

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"tau/ai"
	"tau/session/message"
)

// talk builds messages from words such as "u10" (a user message of 10 tokens),
// "a5+x+y" (an answer that calls x and y) and "r100+x" (the result of x); "s8"
// is an earlier summary.
func talk(words string) (msgs []ai.Message, ids []string) {
	for i, w := range strings.Fields(words) {
		parts := strings.Split(w[1:], "+")
		n, err := strconv.Atoi(parts[0])
		if err != nil {
			panic(w)
		}
		text := ai.TextBlocks(strings.Repeat("word", n))
		switch w[0] {
		case 'u':
			msgs = append(msgs, &ai.UserMessage{Content: text})
		case 'a':
			m := &ai.AssistantMessage{Content: text, StopReason: ai.StopEnd}
			for _, id := range parts[1:] {
				m.Content = append(m.Content, &ai.ToolCall{ID: id, Arguments: json.RawMessage(``)})
				m.StopReason = ai.StopToolUse
			}
			msgs = append(msgs, m)
		case 'r':
			msgs = append(msgs, &ai.ToolResultMessage{Content: text, ToolCallID: parts[1]})
		case 's':
			msgs = append(msgs, &message.CompactionSummary{Summary: strings.Repeat("word", n)})
		}
		ids = append(ids, fmt.Sprint(i))
	}
	return msgs, ids
}

func TestWhereTheCutFalls(t *testing.T) {
	for _, tt := range []struct {
		name, talk   string
		keep, window int64
		must         bool
		want         string // history, prefix and kept counts, or the error
	}{
		{"small", "u10 a10", 100, 0, false, "nothing to compact: the session is too small"},
		{"empty", "", 100, 0, false, "nothing to compact: the session is too small"},
		{"only a summary", "s50", 100, 0, false, "already compacted"},
		{"at a prompt", "u50 a50 u50 a50", 100, 0, false, "2 0 2"},
		{"inside a turn", "u50 a50+x r50+x a50+y r50+y a50", 100, 0, false, "0 5 1"},
		{"a result stays with its call", "u50 a50 u10 a10+x r95+x", 100, 0, false, "2 1 2"},
		{"parallel calls", "u50 a50 u10 a10+x+y r60+x r60+y", 100, 0, false, "2 1 3"},
		{"steering between call and result", "u50 a50 u9 a10+x u9 r95+x a10", 100, 0, false, "2 4 1"},
		{"one huge result", "u50 a50+x r5000+x", 100, 3000, false, "0 3 0"},
		{"a huge prompt waits for its answer", "u50 a50 u5000", 100, 3000, false, "2 0 1"},
		{"a huge prompt that did not fit", "u50 a50 u5000", 100, 3000, true, "2 1 0"},
		{"all recent, but it did not fit", "u50 a50 u50 a50+x r50+x", 1000, 0, true, "0 1 4"},
		{"the earlier summary is not history", "s50 u50 a50 u50 a50", 100, 0, false, "2 0 2"},
		{"a small window keeps less", "u50 a50 u50 a50 u50 a50", 20000, 300, false, "4 0 2"},
		{"an orphan result does not hold everything together", "u50 a50 r50+lost u50 a50", 100, 0, false, "3 0 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			msgs, ids := talk(tt.talk)
			p, err := Prepare(Input{Messages: msgs, IDs: ids, Limits: Limits{Window: tt.window, Reserve: tt.window / 3, KeepRecent: tt.keep}, Must: tt.must})
			got := fmt.Sprint(err)
			if err == nil {
				kept := 0
				for i, id := range ids {
					if id == p.FirstKept {
						kept = len(ids) - i
					}
				}
				got = fmt.Sprintf("%d %d %d", len(p.History), len(p.Prefix), kept)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// randomTalk is a conversation as a run leaves it, with some damage.
func randomTalk(r *rand.Rand) string {
	var words []string
	id := 0
	for range 1 + r.IntN(8) {
		words = append(words, fmt.Sprintf("u%d", 1+r.IntN(200)))
		for range r.IntN(4) {
			calls, a := r.IntN(4), fmt.Sprintf("a%d", r.IntN(100))
			var results []string
			for range calls {
				id++
				a += fmt.Sprintf("+%d", id)
				if r.IntN(20) > 0 {
					results = append(results, fmt.Sprintf("r%d+%d", r.IntN(1+r.IntN(2000)), id))
				}
			}
			words = append(append(words, a), results...)
			if r.IntN(10) == 0 {
				words = append(words, fmt.Sprintf("r9+lost%d", id))
			}
		}
	}
	return strings.Join(words, " ")
}

func TestNoCutSeparatesACallFromItsResult(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		words := randomTalk(r)
		msgs, ids := talk(words)
		l := Limits{Window: 300 + r.Int64N(4000), KeepRecent: 1 + r.Int64N(1000)}
		l.Reserve = l.Window / 3
		p, err := Prepare(Input{Messages: msgs, IDs: ids, Limits: l, Must: seed%2 == 0, Tokens: r.Int64N(8000)})
		if err != nil {
			if seed%2 == 0 {
				t.Fatalf("%s: %v", words, err)
			}
			continue
		}
		cut := len(p.History) + len(p.Prefix)
		if cut < len(msgs) && (ids[cut] != p.FirstKept || msgs[cut].MessageRole() == ai.RoleToolResult) {
			t.Fatalf("%s: cut at %d", words, cut)
		}
		calls := map[string]bool{}
		for i, m := range msgs {
			switch m := m.(type) {
			case *ai.AssistantMessage:
				for _, c := range m.ToolCalls() {
					calls[c.ID] = i >= cut
				}
			case *ai.ToolResultMessage:
				if kept, ok := calls[m.ToolCallID]; ok && kept != (i >= cut) {
					t.Fatalf("%s: cut at %d separates call %s", words, cut, m.ToolCallID)
				}
			}
		}
		// With a known window what is kept always fits, but for a prompt that was
		// not sent yet.
		if cut < len(msgs)-1 && p.Kept > l.Window-l.Reserve {
			t.Fatalf("%s: keeps %d of a window of %d", words, p.Kept, l.Window)
		}
	}
}

func TestFiles(t *testing.T) {
	call := func(tool, path string) ai.Block {
		return &ai.ToolCall{Name: tool, Arguments: json.RawMessage(`{"path":` + strconv.Quote(path) + `}`)}
	}
	msgs := []ai.Message{
		&message.CompactionSummary{Summary: "before\n\n<read-files>\nold.go\n</read-files>\n\n<modified-files>\nold2.go\n</modified-files>"},
		&ai.AssistantMessage{Content: []ai.Block{call("read", "b.go"), call("read", "a.go"), call("edit", "a.go"), call("write", "c.go"), call("bash", "d.go")}},
		&ai.ToolResultMessage{NestedCalls: json.RawMessage(`{"calls":[{"name":"read","arguments":{"path":"nested.go"}}],"complete":true}`)},
		&ai.UserMessage{Content: ai.TextBlocks("thanks")},
	}
	p, err := Prepare(Input{
		Messages: msgs, IDs: []string{"0", "1", "2", "3"}, Must: true, Limits: Limits{KeepRecent: 1},
		Details: json.RawMessage(`{"readFiles":["older.go"],"modifiedFiles":["b.go"]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(p.Files)
	if want := `{"readFiles":["nested.go","old.go","older.go"],"modifiedFiles":["a.go","b.go","c.go","old2.go"]}`; string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if p.Previous != "before" {
		t.Errorf("previous summary %q", p.Previous)
	}
}
