package subagent

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tau/agent"
	"tau/ai"
)

// maxAnswer is how much of a task's answer goes back.
const maxAnswer = 50 << 10

// showEvery is the time between two states that are shown.
const showEvery = 150 * time.Millisecond

// board is the state of a call: its tasks, and who is shown them.
type board struct {
	mode, scope string
	update      func(agent.Result)

	mu     sync.Mutex
	tasks  []*task
	shown  time.Time
	timer  *time.Timer // a state waits to be shown
	closed bool
}

func newBoard(mode, scope string, update func(agent.Result)) *board {
	return &board{mode: mode, scope: scope, update: update}
}

func (b *board) add(t *task) {
	t.status = waiting
	b.tasks = append(b.tasks, t)
}

// change changes a task, and has the new state shown: at once if nothing was
// shown for a while, else soon.
func (b *board) change(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
	if b.closed || b.timer != nil {
		return
	}
	if wait := showEvery - time.Since(b.shown); wait > 0 {
		b.timer = time.AfterFunc(wait, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.timer = nil
			b.showLocked()
		})
		return
	}
	b.showLocked()
}

func (b *board) showLocked() {
	if b.closed || b.update == nil {
		return
	}
	b.shown = time.Now()
	r := agent.TextResult(b.status())
	r.Details = b.details()
	b.update(r)
}

// close ends the showing.
func (b *board) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
	}
}

// status is the state for people, a few lines a task: the end of it is what
// counts.
func (b *board) status() string {
	var out strings.Builder
	lines := 3
	if len(b.tasks) > 2 {
		lines = 1
	}
	for _, t := range b.tasks {
		fmt.Fprintf(&out, "%s %s%s\n", mark(t.status), t.agent.Name, t.facts())
		if t.status != running {
			continue
		}
		for _, l := range t.recent[max(0, len(t.recent)-lines):] {
			out.WriteString("  " + l + "\n")
		}
	}
	return strings.TrimRight(out.String(), "\n")
}

func mark(status string) string {
	switch status {
	case running:
		return "●"
	case finished:
		return "✓"
	case failed:
		return "✗"
	}
	return "○"
}

// facts are the numbers of a task.
func (t *task) facts() string {
	var parts []string
	if u := t.usage; u.Turns > 0 {
		parts = append(parts, plural(u.Turns, "turn"), "↑"+count(u.Input+u.CacheRead+u.CacheWrite)+" ↓"+count(u.Output))
		if u.Cost > 0 {
			parts = append(parts, fmt.Sprintf("$%.4f", u.Cost))
		}
	}
	if t.took > 0 {
		parts = append(parts, t.took.Round(100*time.Millisecond).String())
	}
	if t.problem != "" {
		parts = append(parts, oneLine(t.problem))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  " + strings.Join(parts, " · ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// count writes a number of tokens: 850, 1.2k, 34k.
func count(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%dk", n/1000)
}

// result is what the model gets.
func (b *board) result() agent.Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := agent.Result{}
	var usage ai.Usage
	well := 0
	for _, t := range b.tasks {
		usage = usage.Add(t.total)
		if t.status == finished {
			well++
		}
		t.keep()
	}
	if usage.TotalTokens > 0 || usage.Cost.Total > 0 {
		r.Usage = &usage
	}
	r.IsError = well == 0 || b.mode != parallel && well < len(b.tasks)
	r.Content = ai.TextBlocks(b.report(well))
	r.Details = b.details()
	return r
}

func (b *board) report(well int) string {
	last := b.tasks[len(b.tasks)-1]
	switch b.mode {
	case single:
		return last.outcome()
	case chain:
		if last.status == finished {
			return last.outcome()
		}
		for _, t := range b.tasks {
			if t.status == failed {
				return fmt.Sprintf("The chain ended at step %d of %d (%s).\n\n%s", t.step, len(b.tasks), t.agent.Name, t.outcome())
			}
		}
		return "The chain did not begin."
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d of %d tasks are done.", well, len(b.tasks))
	for _, t := range b.tasks {
		fmt.Fprintf(&out, "\n\n### %d. %s: %s\n\n%s", t.step, t.agent.Name, t.status, t.outcome())
	}
	return out.String()
}

// outcome is the answer, or what went wrong with what there is of an answer.
func (t *task) outcome() string {
	answer := clip(t.answer, maxAnswer)
	if len(answer) < len(t.answer) {
		note := "the rest could not be kept"
		if t.fullAnswer != "" {
			note = "all of it: " + t.fullAnswer
		}
		answer += fmt.Sprintf("\n\n[%d of %d bytes; %s]", maxAnswer, len(t.answer), note)
	}
	if t.status == finished {
		return answer
	}
	text := t.agent.Name + " failed: " + t.problem
	if t.problem == "" {
		text = t.agent.Name + " did not begin"
	}
	if answer != "" {
		text += "\n\nIts last words:\n" + answer
	}
	return text
}

// keep writes an answer that is too long to a file.
func (t *task) keep() {
	if len(t.answer) <= maxAnswer || t.fullAnswer != "" {
		return
	}
	f, err := os.CreateTemp("", "tau-subagent-*.md")
	if err != nil {
		return
	}
	_, err = f.WriteString(t.answer)
	if e := f.Close(); err != nil || e != nil {
		_ = os.Remove(f.Name())
		return
	}
	t.fullAnswer = f.Name()
}

// clip shortens a text to n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// taskDetails is a task in the details of the result.
type taskDetails struct {
	Agent       string        `json:"agent"`
	AgentSource string        `json:"agentSource"`
	Task        string        `json:"task"`
	Step        int           `json:"step,omitempty"`
	Status      string        `json:"status"`
	Model       string        `json:"model,omitempty"`
	StopReason  ai.StopReason `json:"stopReason,omitempty"`
	Error       string        `json:"errorMessage,omitempty"`
	DurationMs  int64         `json:"durationMs,omitempty"`
	Usage       usage         `json:"usage"`
	Recent      []string      `json:"recent,omitempty"`
	FullAnswer  string        `json:"fullAnswerPath,omitempty"`
}

func (b *board) details() []byte {
	list := make([]taskDetails, 0, len(b.tasks))
	for _, t := range b.tasks {
		source := string(t.agent.Source.Scope)
		if source == "" {
			source = t.agent.Source.Source
		}
		list = append(list, taskDetails{
			Agent: t.agent.Name, AgentSource: source, Task: clip(t.text, 2000), Step: t.step, Status: t.status, Model: t.model,
			StopReason: t.stop, Error: t.problem, DurationMs: t.took.Milliseconds(), Usage: t.usage, Recent: t.recent, FullAnswer: t.fullAnswer,
		})
	}
	return details(struct {
		Mode    string        `json:"mode"`
		Scope   string        `json:"agentScope"`
		Results []taskDetails `json:"results"`
	}{b.mode, b.scope, list})
}
