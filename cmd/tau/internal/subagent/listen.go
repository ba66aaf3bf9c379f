package subagent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"tau/ai"
	"tau/cmd/tau/internal/wire"
	"tau/tui/text"
)

// event is what is read of the records of a process.
type event struct {
	Type     string          `json:"type"`
	Message  json.RawMessage `json:"message"`
	ToolName string          `json:"toolName"`
	Args     json.RawMessage `json:"args"`
	Attempt  int             `json:"attempt"`
	Error    string          `json:"errorMessage"`
}

// listen follows the records of a process until its output ends.
func (o *Options) listen(b *board, t *task, in *wire.Lines) {
	for {
		line, err := in.Next()
		if errors.Is(err, wire.ErrTooLong) {
			continue
		}
		if err != nil {
			return
		}
		// Most records are pieces of answers, of which the whole comes later.
		if bytes.HasPrefix(line, []byte(`{"type":"message_update"`)) || bytes.HasPrefix(line, []byte(`{"type":"tool_execution_update"`)) {
			continue
		}
		var ev event
		if json.Unmarshal(line, &ev) != nil {
			continue
		}
		switch ev.Type {
		case "message_end":
			if m, err := ai.UnmarshalMessage(ev.Message); err == nil {
				b.change(func() { t.heard(m) })
			}
		case "tool_execution_start":
			b.change(func() { t.did("→ " + callLine(ev.ToolName, ev.Args)) })
		case "auto_retry_start":
			b.change(func() { t.did("… trying again: " + oneLine(ev.Error)) })
		case "compaction_start":
			b.change(func() { t.did("… summarising its conversation") })
		}
	}
}

// heard takes a message of the conversation.
func (t *task) heard(m ai.Message) {
	switch m := m.(type) {
	case *ai.AssistantMessage:
		u := m.Usage
		t.usage.Turns++
		t.usage.Input += u.Input
		t.usage.Output += u.Output
		t.usage.CacheRead += u.CacheRead
		t.usage.CacheWrite += u.CacheWrite
		t.usage.Cost += u.Cost.Total
		if u.TotalTokens > 0 {
			t.usage.ContextTokens = u.TotalTokens
		}
		t.total = t.total.Add(u)
		t.model, t.stop, t.failure = m.Model, m.StopReason, ""
		switch m.StopReason {
		case ai.StopError, ai.StopAborted:
			if t.failure = oneLine(m.ErrorMessage); t.failure == "" {
				t.failure = string(m.StopReason)
			}
		case ai.StopLength:
			t.failure = "the answer was cut at the model's output limit"
		}
		if said := strings.TrimSpace(ai.ContentText(m.Content)); said != "" {
			t.answer, t.answered = said, true
			first, _, _ := strings.Cut(said, "\n")
			t.did(oneLine(first))
		}
	case *ai.ToolResultMessage:
		if m.Usage != nil {
			t.usage.Cost += m.Usage.Cost.Total
			t.total = t.total.Add(*m.Usage)
		}
	}
}

// keptLines is how much of what a task did is shown.
const keptLines = 10

func (t *task) did(what string) {
	t.recent = append(t.recent, clip(what, 300))
	if len(t.recent) > keptLines {
		t.recent = t.recent[len(t.recent)-keptLines:]
	}
}

// callLine says what a call is about.
func callLine(name string, args json.RawMessage) string {
	var m map[string]any
	if json.Unmarshal(args, &m) == nil {
		for _, key := range []string{"command", "path", "pattern", "query", "agent", "uri"} {
			if s, ok := m[key].(string); ok && s != "" {
				return oneLine(name + " " + s)
			}
		}
	}
	return oneLine(name + " " + clip(string(args), 120))
}

// oneLine is a text without line ends and control characters.
func oneLine(s string) string {
	return clip(strings.Join(strings.Fields(text.ReplaceControls(text.StripSequences(clip(s, 2000)))), " "), 300)
}

// tail keeps the end of what is read.
type tail struct {
	mu   sync.Mutex
	last []string
}

func (t *tail) read(r io.Reader) {
	in := bufio.NewReaderSize(r, 4<<10)
	for {
		line, err := in.ReadSlice('\n')
		if s := oneLine(string(line)); s != "" {
			t.mu.Lock()
			t.last = append(t.last, s)
			if len(t.last) > 5 {
				t.last = t.last[1:]
			}
			t.mu.Unlock()
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.last, "\n")
}
