package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"strconv"
	"sync"
	"time"

	"tau/ai"
)

func itoa(n int) string { return strconv.Itoa(n) }

// scriptFile is the form of a script.
type scriptFile struct {
	PaceMs int64        `json:"paceMs"` // between two pieces
	Turns  []scriptTurn `json:"turns"`
}

type scriptTurn struct {
	DelayMs   int64  `json:"delayMs"` // before the first piece
	Thinking  string `json:"thinking"`
	Text      string `json:"text"`
	ToolCalls []struct {
		ID        string          `json:"id"` // made up if empty
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
	Error *struct {
		Message      string       `json:"message"`
		Class        ai.FailClass `json:"class"` // "fatal" if empty
		Status       int          `json:"status"`
		RetryAfterMs int64        `json:"retryAfterMs"`
	} `json:"error"`
	StopReason ai.StopReason `json:"stopReason"` // "toolUse" or "stop" if empty
}

// Script returns a stream that plays the JSON file at path: each request gets
// the next turn, whatever it asks.
//
//	{
//	  "paceMs": 0,
//	  "turns": [
//	    {"thinking": "Look first.", "toolCalls": [{"name": "read", "arguments": {"path": "a.txt"}}]},
//	    {"delayMs": 50, "text": "Half an ans", "error": {"message": "Overloaded", "class": "retry"}},
//	    {"text": "Done.", "stopReason": "stop"}
//	  ]
//	}
//
// All members are optional. The parts of a turn are streamed in the order
// thinking, text, tool calls; then the error, if there is one, ends it. An
// error's class is one of [ai.FailClass]. After the last turn requests fail.
func Script(path string) (ai.StreamFunc, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	var file scriptFile
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields() // a misspelt member would be a silent failure of a test
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("read script %s: %w", path, err)
	}
	turns := make([]turn, len(file.Turns))
	for i := range file.Turns {
		turns[i] = file.Turns[i].turn()
	}
	var mu sync.Mutex
	next := 0
	return func(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
		return func(yield func(ai.Event) bool) {
			mu.Lock()
			n := next
			next++
			mu.Unlock()
			t := turn{failure: &ai.Failure{Class: ai.FailFatal, Message: fmt.Sprintf("the script %s has only %d turns", path, len(turns))}}
			if n < len(turns) {
				t = turns[n]
			}
			newPlayer(ctx, model, &req, &opts, time.Duration(file.PaceMs)*time.Millisecond, yield).play(t)
		}
	}, nil
}

func (s *scriptTurn) turn() turn {
	t := turn{delay: time.Duration(s.DelayMs) * time.Millisecond, thinking: s.Thinking, text: s.Text, stop: s.StopReason}
	for _, c := range s.ToolCalls {
		args := string(c.Arguments)
		if args == "" {
			args = "{}"
		}
		t.calls = append(t.calls, callPlan{c.ID, c.Name, args})
	}
	if e := s.Error; e != nil {
		t.failure = &ai.Failure{Class: e.Class, Status: e.Status, Message: e.Message, RetryAfter: time.Duration(e.RetryAfterMs) * time.Millisecond}
		if t.failure.Class == "" {
			t.failure.Class = ai.FailFatal
		}
	}
	return t
}
