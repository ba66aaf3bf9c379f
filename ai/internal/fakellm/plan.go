package fakellm

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// plan is what an answer will be.
type plan struct {
	thoughts []string // deltas
	text     []string // deltas
	calls    []call
	cut      bool // ends at the output limit
	fails    *failure
	failAt   int // deltas before fails, 0 for instead of an answer
	hangAt   int // deltas before a stop without end, -1 for none
	silent   bool
	dropAt   int // deltas before the connection is cut, -1 for none
	rate     int // deltas a second, 0 for no limit
	wait     int // milliseconds before the first byte
}

func (s *Server) plan(p *prompt, d directive) *plan {
	pl := &plan{hangAt: -1, dropAt: d.number("drop", -1), rate: d.number("rate", 0), wait: d.number("ttft", 0)}
	seed := s.opts.Seed + uint64(d.number("seed", 1))
	switch d.name {
	case "stream":
		pl.text = markdown(d.number("tokens", 200), seed)
		pl.cut = d.args["stop"] == "length"
	case "lines":
		from := d.number("from", 1)
		for i := range d.number("n", 10) {
			pl.text = append(pl.text, fmt.Sprintf("%d. line number %d\n", from+i, from+i))
		}
	case "echo":
		pl.text = words(d.rest)
	case "thinking":
		pl.thoughts = markdown(d.number("think", 20), seed+1)
		pl.text = markdown(d.number("tokens", 20), seed)
	case "tools":
		s.planTools(pl, p, d)
	case "call", "both":
		if _, at := p.find(); p.callsAfter(at) > 0 {
			pl.text = words("The call has its result.")
			break
		}
		pl.calls = []call{{name: d.args["name"], args: d.args["args"]}}
		if d.name == "both" {
			pl.thoughts, pl.text = words("I should look at it first."), words("I will look.")
		}
	case "error":
		status, err := strconv.Atoi(d.args[""])
		if err != nil {
			status = 500
		}
		pl.text = words("This is what comes after the failures, in some words more than one.")
		if s.more(d) {
			pl.fails, pl.failAt = &failure{status: status, message: fmt.Sprintf("simulated failure %d", status), retryAfter: d.args["retry_after"]}, d.number("at", 0)
			if pl.failAt > 0 {
				pl.text = markdown(pl.failAt+1, seed)
			}
		}
	case "overflow":
		pl.text = words("It fits again.")
		if s.more(d) {
			pl.fails = &failure{status: 400, overflow: true}
		}
	case "hang":
		pl.text = markdown(d.number("after", 5)+5, seed)
		pl.hangAt, pl.silent = d.number("after", 5), d.args["at"] == "headers"
	default:
		pl.text = words("This is a fixed answer.")
	}
	return pl
}

// more reports whether a directive with times=N fails once more. Without it,
// always.
func (s *Server) more(d directive) bool {
	times := d.number("times", -1)
	if times < 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := d.name + " " + d.rest
	s.tries[key]++
	if s.tries[key] > times {
		s.tries[key] = 0 // and so on
		return false
	}
	return true
}

// planTools asks for the calls that the transcript does not show yet.
func (s *Server) planTools(pl *plan, p *prompt, d directive) {
	_, at := p.find()
	done, total := p.callsAfter(at), d.number("n", 1)
	n := min(total-done, max(1, d.number("parallel", 1)))
	if n <= 0 || len(p.tools) == 0 {
		pl.text = words(fmt.Sprintf("All %d calls are done.", done))
		return
	}
	var fit []tool
	for _, t := range p.tools {
		if mix := d.args["mix"]; mix == "" || strings.EqualFold(t.name, mix) || mix == "both" && (t.name == "bash" || t.name == "read") {
			fit = append(fit, t)
		}
	}
	if len(fit) == 0 {
		fit = p.tools
	}
	pl.text = words(fmt.Sprintf("Calls %d to %d of %d.", done+1, done+n, total))
	for i := range n {
		t := fit[(done+i)%len(fit)]
		pl.calls = append(pl.calls, call{name: t.name, args: arguments(t, done+i)})
	}
}

// arguments makes an object that fits the tool's schema.
func arguments(t tool, n int) string {
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
			Enum []any  `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(t.schema, &schema)
	args := obj{}
	for _, name := range schema.Required {
		prop := schema.Properties[name]
		switch {
		case len(prop.Enum) > 0:
			args[name] = prop.Enum[0]
		case name == "command":
			args[name] = fmt.Sprintf("echo %d", n+1)
		case name == "path" || name == "file_path":
			args[name] = "README.md"
		case prop.Type == "integer" || prop.Type == "number":
			args[name] = n + 1
		case prop.Type == "boolean":
			args[name] = true
		case prop.Type == "array":
			args[name] = []any{}
		case prop.Type == "object":
			args[name] = obj{}
		default:
			args[name] = fmt.Sprintf("value %d", n+1)
		}
	}
	text, _ := json.Marshal(args) // of plain values
	return string(text)
}
