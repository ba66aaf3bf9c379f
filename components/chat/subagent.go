package chat

import (
	"fmt"
	"strings"

	"tau/themes"
)

// subagentDetails is what is shown of the details of the subagent tool.
type subagentDetails struct {
	Results []struct {
		Status string `json:"status"`
		Usage  struct {
			Turns int     `json:"turns"`
			Cost  float64 `json:"cost"`
		} `json:"usage"`
	} `json:"results"`
}

const agentLines = 24 // of a call that runs: eight agents with what they do

func (c *Card) subagentView(width int) view {
	c.parse()
	v := view{subject: c.agentSubject()}
	out := c.output()
	switch {
	case c.Open():
		for _, key := range []string{"task", "tasks", "chain"} {
			if s := c.field(key); s != "" {
				v.body = append(v.body, c.head(s, width, openLines)...)
			}
		}
		v.body = append(v.body, c.head(out, width, openLines)...)
	case c.state == failed:
		v.body = c.head(out, width, errorLines)
	case c.state == running:
		v.body = c.head(out, width, agentLines)
	case c.state == done:
		v.outcome = c.muted(c.agentOutcome(out))
	}
	return v
}

// agentSubject says who does what: "scout: find the parser", "2 tasks: scout,
// worker", "scout → planner".
func (c *Card) agentSubject() string {
	name := func(s string) string { return c.look.fg(themes.Text, clean(s)) }
	if a := c.field("agent"); a != "" {
		first, _, _ := strings.Cut(c.field("task"), "\n")
		return name(a) + c.muted("  "+clean(first))
	}
	names := func(key string) (out []string) {
		list, _ := c.fields[key].([]any)
		for _, e := range list {
			m, _ := e.(map[string]any)
			s, _ := m["agent"].(string)
			out = append(out, clean(s))
		}
		return out
	}
	if list := names("chain"); len(list) > 0 {
		return name(strings.Join(list, " → "))
	}
	list := names("tasks")
	return name(plural(len(list), "task")) + c.muted("  "+strings.Join(list, ", "))
}

func (c *Card) agentOutcome(out string) string {
	var d subagentDetails
	if !c.details(&d) || len(d.Results) == 0 {
		return lineCount(out)
	}
	well, turns, cost := 0, 0, 0.0
	for _, r := range d.Results {
		if r.Status == "completed" {
			well++
		}
		turns += r.Usage.Turns
		cost += r.Usage.Cost
	}
	var parts []string
	if len(d.Results) > 1 {
		parts = append(parts, fmt.Sprintf("%d of %d", well, len(d.Results)))
	}
	parts = append(parts, plural(turns, "turn"))
	if cost > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", cost))
	}
	return strings.Join(parts, " · ")
}
