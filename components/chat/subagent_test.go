package chat_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/components/chat"
	"tau/tui/text"
)

func TestSubagentCard(t *testing.T) {
	l := look(t, nil)
	show := func(c *chat.Card, width int) string {
		lines := c.Render(width)
		for _, s := range lines {
			if text.Width(s) > width {
				t.Errorf("%d columns at %d: %q", text.Width(s), width, s)
			}
		}
		return text.StripSequences(strings.Join(lines, "\n"))
	}
	for args, subject := range map[string]string{
		`{"agent":"scout","task":"find the parser\nand more"}`:                                "scout  find the parser",
		`{"tasks":[{"agent":"scout","task":"a"},{"agent":"worker","task":"b\u001b[31m"}]}`:    "2 tasks  scout, worker",
		`{"chain":[{"agent":"scout","task":"a"},{"agent":"planner","task":"{previous}"},{}]}`: "scout → planner",
		`{"tasks":"wrong","chain":7}`:                                                         "0 tasks",
	} {
		c := chat.NewCard(l, "subagent", "1")
		c.SetArgs(json.RawMessage(args))
		if got := show(c, 90); !strings.Contains(got, subject) {
			t.Errorf("%s: %q", args, got)
		}
		c.Start(time.Now())
		c.Update(&agent.Result{Content: ai.TextBlocks("● scout  2 turns\n  → read a.go\n○ worker")})
		if got := show(c, 90); !strings.Contains(got, "→ read a.go") || !strings.Contains(got, "○ worker") {
			t.Errorf("while it runs: %q", got)
		}
		show(c, 30)
		c.Finish(&agent.Result{Content: ai.TextBlocks("the answer"), Details: json.RawMessage(`{"results":[{"status":"completed","usage":{"turns":2,"cost":0.1}},{"status":"failed","usage":{"turns":1,"cost":0.25}}]}`)}, -1)
		if got := show(c, 90); !strings.Contains(got, "1 of 2 · 3 turns · $0.35") || strings.Contains(got, "the answer") {
			t.Errorf("done: %q", got)
		}
		c.Toggle()
		if got := show(c, 90); !strings.Contains(got, "the answer") {
			t.Errorf("opened: %q", got)
		}
	}
}
