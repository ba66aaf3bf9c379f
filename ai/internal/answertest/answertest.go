// Package answertest holds recorded bodies of streamed answers and checks that
// a protocol reads them as expected, however they are cut into reads. It is
// used by tests only.
//
// [Run] plays all records of one API; [Check] holds the law of event order for
// any stream.
package answertest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"tau/ai"
)

//go:embed testdata
var records embed.FS

// Record returns the body of a record.
func Record(name string) string {
	data, err := records.ReadFile("testdata/" + name)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// Names returns the records whose names begin with prefix.
func Names(prefix string) []string {
	entries, err := records.ReadDir("testdata")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			names = append(names, e.Name())
		}
	}
	return names
}

type expected struct {
	File   string
	API    string
	Expect struct {
		Text              *string
		TextAnyOf         []string
		TextBlocks        *int
		Thinking          *string
		Blocks            []string
		FirstThinking     string
		FirstSignature    string
		Redacted          []string
		ToolCalls         json.RawMessage
		ArgumentsInOrder  []json.RawMessage
		ExecutedToolCalls *int
		StopReason        ai.StopReason
		Usage             *struct{ Input, Output, CacheRead, CacheWrite int64 }
		Retryable         *bool
		ContextOverflow   *bool
		ErrorContains     string
		DistinctIDs       bool `json:"distinctIds"`
	}
}

// Run plays every record of api through stream, cut in many ways.
func Run(t *testing.T, api string, stream func(body io.Reader) iter.Seq[ai.Event]) {
	t.Helper()
	RunEncoded(t, api, func(record string) string { return record }, stream)
}

// RunEncoded is Run for protocols whose bodies are not text: encode makes the
// body of a readable record.
func RunEncoded(t *testing.T, api string, encode func(record string) string, stream func(body io.Reader) iter.Seq[ai.Event]) {
	var all []expected
	if err := json.Unmarshal([]byte(Record("expected.json")), &all); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, e := range all {
		if e.API != api {
			continue
		}
		count++
		body := encode(Record(e.File))
		t.Run(strings.TrimSuffix(e.File, ".txt"), func(t *testing.T) {
			compare(t, "whole", &e, Check(t, stream(strings.NewReader(body))))
			compare(t, "one byte", &e, Check(t, stream(iotest.OneByteReader(strings.NewReader(body)))))
			for i := range body {
				if i%7 == 0 || strings.ContainsRune("\r\n\\", rune(body[i])) || body[i] >= utf8.RuneSelf {
					compare(t, fmt.Sprintf("cut at %d", i), &e, Check(t, stream(io.MultiReader(strings.NewReader(body[:i]), strings.NewReader(body[i:])))))
				}
			}
			for seed := range uint64(20) {
				compare(t, fmt.Sprintf("random cuts %d", seed), &e, Check(t, stream(&cutReader{body, rand.New(rand.NewPCG(seed, 9))})))
			}
		})
	}
	if count == 0 {
		t.Errorf("no records of %s", api)
	}
}

type cutReader struct {
	data string
	rng  *rand.Rand
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.data == "" {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(len(c.data), 1+c.rng.IntN(300))])
	c.data = c.data[n:]
	return n, nil
}

func compare(t *testing.T, feed string, e *expected, m *ai.AssistantMessage) {
	t.Helper()
	x := &e.Expect
	errorf := func(format string, args ...any) { t.Helper(); t.Errorf(feed+": "+format, args...) }
	var text, thinking strings.Builder
	var blocks, redacted []string
	var first *ai.Thinking
	texts := 0
	for _, b := range m.Content {
		blocks = append(blocks, b.BlockType())
		switch b := b.(type) {
		case *ai.Text:
			texts++
			text.WriteString(b.Text)
			if b.Text == "" {
				errorf("empty text block")
			}
		case *ai.Thinking:
			thinking.WriteString(b.Thinking)
			if first == nil {
				first = b
			}
			if b.Redacted {
				redacted = append(redacted, b.Signature)
			}
		}
	}
	if x.Text != nil && text.String() != *x.Text || x.TextAnyOf != nil && !slices.Contains(x.TextAnyOf, text.String()) {
		errorf("text %q, want %v %q", text.String(), x.Text, x.TextAnyOf)
	}
	if x.TextBlocks != nil && texts != *x.TextBlocks {
		errorf("%d text blocks", texts)
	}
	if x.Thinking != nil && thinking.String() != *x.Thinking {
		errorf("thinking %q, want %q", thinking.String(), *x.Thinking)
	}
	if x.Blocks != nil && !slices.Equal(blocks, x.Blocks) {
		errorf("blocks %q, want %q", blocks, x.Blocks)
	}
	if x.FirstThinking != "" && (first == nil || first.Thinking != x.FirstThinking || first.Signature != x.FirstSignature) {
		errorf("first thinking %+v", first)
	}
	if !slices.Equal(redacted, x.Redacted) {
		errorf("redacted %q", redacted)
	}
	if m.StopReason != x.StopReason {
		errorf("stop reason %s (%s), want %s", m.StopReason, m.ErrorMessage, x.StopReason)
	}
	if u := x.Usage; u != nil && (m.Usage.Input != u.Input || m.Usage.Output != u.Output || m.Usage.CacheRead != u.CacheRead || m.Usage.CacheWrite != u.CacheWrite) {
		errorf("usage %+v, want %+v", m.Usage, *u)
	}
	if x.Retryable != nil && (m.Failure == nil || (m.Failure.Class == ai.FailRetry) != *x.Retryable) {
		errorf("failure %+v", m.Failure)
	}
	if x.ContextOverflow != nil && (m.Failure.Class == ai.FailOverflow) != *x.ContextOverflow {
		errorf("failure %+v", m.Failure)
	}
	if !strings.Contains(m.ErrorMessage, x.ErrorContains) {
		errorf("error %q, want %q in it", m.ErrorMessage, x.ErrorContains)
	}
	compareCalls(errorf, e, m.ToolCalls())
}

func compareCalls(errorf func(string, ...any), e *expected, calls []*ai.ToolCall) {
	x := &e.Expect
	if x.ExecutedToolCalls != nil {
		runnable := 0
		for _, c := range calls {
			if c.ArgumentsError == "" {
				runnable++
			} else if c.ArgumentsText == "" || string(c.Arguments) != "{}" {
				errorf("unreadable call lost its text: %+v", c)
			}
		}
		if runnable != *x.ExecutedToolCalls {
			errorf("%d calls can run, want %d", runnable, *x.ExecutedToolCalls)
		}
	}
	for i, want := range x.ArgumentsInOrder {
		if i >= len(calls) || !sameJSON(calls[i].Arguments, want) {
			errorf("arguments %d are not %s", i, want)
		}
	}
	var want []struct {
		ID, CallID, Name string
		Arguments        json.RawMessage
		ThoughtSignature string
	}
	if len(x.ToolCalls) == 0 {
		return
	}
	if err := json.Unmarshal(x.ToolCalls, &want); err != nil {
		var n int
		if json.Unmarshal(x.ToolCalls, &n) != nil || n != len(calls) {
			errorf("%d calls, want %s", len(calls), x.ToolCalls)
		}
		return
	}
	if len(calls) != len(want) {
		errorf("%d calls, want %d", len(calls), len(want))
		return
	}
	for i, w := range want {
		c := calls[i]
		if w.ID == "" {
			w.ID = w.CallID
		}
		if w.ID == "" && x.DistinctIDs {
			w.ID = c.ID
			if slices.ContainsFunc(calls[:i], func(o *ai.ToolCall) bool { return o.ID == c.ID }) || c.ID == "" {
				errorf("call %d has the id %q again", i, c.ID)
			}
		}
		if c.ThoughtSignature != w.ThoughtSignature {
			errorf("call %d: signature %q, want %q", i, c.ThoughtSignature, w.ThoughtSignature)
		}
		if c.ID != w.ID || c.Name != w.Name || c.ArgumentsError != "" || !sameJSON(c.Arguments, w.Arguments) {
			errorf("call %d: %+v, want %+v", i, c, w)
		}
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// Check plays a stream to its end and holds it to the contract: blocks in
// turn and balanced, partial messages that grow by the deltas, one final
// event, nothing after it. It returns the final message.
func Check(t *testing.T, events iter.Seq[ai.Event]) *ai.AssistantMessage {
	t.Helper()
	var final *ai.AssistantMessage
	open, next, started := ai.EventType(""), 0, false
	var text strings.Builder
	for ev := range events {
		if final != nil {
			t.Errorf("%s after the final event", ev.Type)
		}
		if ev.Final() {
			final = ev.Message
			if open != "" {
				t.Errorf("ended with an open %s", open)
			}
			if ev.Reason != final.StopReason || (ev.Type == ai.EventError) != (final.Failure != nil) {
				t.Errorf("reason %s, message %s, failure %v", ev.Reason, final.StopReason, final.Failure)
			}
			continue
		}
		if ev.Partial == nil || ev.Partial.StopReason != ai.StopPending {
			t.Errorf("%s: partial %+v", ev.Type, ev.Partial)
			continue
		}
		kind, step, ok := strings.Cut(string(ev.Type), "_")
		switch {
		case ev.Type == ai.EventStart:
			if started {
				t.Error("started twice")
			}
			started = true
		case !ok || !started:
			t.Errorf("unexpected %s", ev.Type)
		case step == "start":
			if open != "" || ev.ContentIndex != next {
				t.Errorf("%s of block %d while %q is open, next is %d", ev.Type, ev.ContentIndex, open, next)
			}
			open = ai.EventType(kind)
			text.Reset()
		case string(open) != kind || ev.ContentIndex != next:
			t.Errorf("%s of block %d while %q %d is open", ev.Type, ev.ContentIndex, open, next)
		case step == "delta":
			text.WriteString(ev.Delta)
			if got := partialText(ev.Partial.Content[next]); got != text.String() {
				t.Errorf("partial text %q, deltas %q", got, text.String())
			}
		case step == "end":
			open = ""
			next++
			if ev.ToolCall == nil && ev.Content != text.String() {
				t.Errorf("%s with %q, deltas %q", ev.Type, ev.Content, text.String())
			}
		}
	}
	if final == nil {
		t.Fatal("no final event")
	}
	if len(final.Content) != next {
		t.Errorf("%d blocks in the message, %d in the events", len(final.Content), next)
	}
	if _, err := json.Marshal(final); err != nil {
		t.Errorf("the final message is not JSON: %v", err)
	}
	return final
}

func partialText(b ai.Block) string {
	switch b := b.(type) {
	case *ai.Text:
		return b.Text
	case *ai.Thinking:
		return b.Thinking
	case *ai.ToolCall:
		return b.ArgumentsText
	}
	return ""
}

// Compact is JSON without insignificant space, for comparing request bodies.
func Compact(s string) string {
	var buf bytes.Buffer
	if err := json.Compact(&buf, []byte(s)); err != nil {
		return s
	}
	return buf.String()
}
