package ai

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func call(id, args string) *ToolCall {
	return &ToolCall{ID: id, Name: "ls", Arguments: json.RawMessage(args)}
}

func result(id, text string) *ToolResultMessage {
	return &ToolResultMessage{ToolCallID: id, ToolName: "ls", Content: TextBlocks(text)}
}

func answer(stop StopReason, blocks ...Block) *AssistantMessage {
	return &AssistantMessage{Provider: "p", API: "anthropic-messages", Model: "m", StopReason: stop, Content: blocks}
}

func user(text string) *UserMessage { return &UserMessage{Content: TextBlocks(text)} }

// short writes messages in one line each.
func short(msgs []Message) []string {
	var lines []string
	for _, m := range msgs {
		var blocks []Block
		line := ""
		switch m := m.(type) {
		case *UserMessage:
			line, blocks = "user", m.Content
		case *AssistantMessage:
			line, blocks = "assistant", m.Content
		case *ToolResultMessage:
			line, blocks = "result "+m.ToolCallID, m.Content
			if m.IsError {
				line += " error"
			}
		}
		for _, b := range blocks {
			switch b := b.(type) {
			case *Text:
				line += " " + fmt.Sprintf("%q", b.Text+b.Signature)
			case *Thinking:
				line += " think(" + b.Thinking + "," + b.Signature + ")"
			case *ToolCall:
				line += " call(" + b.ID + string(b.Arguments) + b.ThoughtSignature + ")"
			case *Image:
				line += " image"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func TestReplay(t *testing.T) {
	seeing := &Model{Provider: "p", API: "anthropic-messages", ID: "m", Input: []string{"text", "image"}}
	blind := &Model{Provider: "p", API: "openai-completions", ID: "other", Input: []string{"text"}}
	thinking := answer(StopEnd, &Thinking{Thinking: "t", Signature: "s"}, &Thinking{Signature: "only"}, &Thinking{Signature: "r", Redacted: true},
		&Thinking{Thinking: " "}, &Text{Text: "x", Signature: "ts"}, &ToolCall{ID: "1", ThoughtSignature: "sig"})
	for _, tt := range []struct {
		name  string
		model *Model
		in    []Message
		want  []string
	}{
		{"same model keeps thinking", seeing, []Message{thinking, result("1", "ok")},
			[]string{`assistant think(t,s) think(,only) think(,r) "xts" call(1{}sig)`, `result 1 "ok"`}},
		{"another model gets none", blind, []Message{thinking, result("1", "ok")},
			[]string{`assistant "x" call(1{})`, `result 1 "ok"`}},
		{"failed answers go with their results", seeing,
			[]Message{user("a"), answer(StopAborted, call("1", `{}`)), result("1", "x"), answer(StopError, &Text{Text: "part"}), user("b")},
			[]string{`user "a"`, `user "b"`}},
		{"orphans", seeing, []Message{user("a"), answer(StopToolUse, call("1", `{}`), call("2", `{}`)), result("2", "two"), result("9", "nine"), user("b")},
			[]string{`user "a"`, `assistant call(1{}) call(2{})`, `result 1 error "No result provided"`, `result 2 "two"`, `user "b"`}},
		{"late result moves up", seeing, []Message{answer(StopToolUse, call("1", `{}`)), user("b"), result("1", "late"), result("1", "again")},
			[]string{`assistant call(1{})`, `result 1 "late"`, `user "b"`}},
		{"duplicate ids", seeing, []Message{answer(StopToolUse, call("0", `{"a":1}`), call("0", `{"a":2}`)), result("0", "one"), result("0", "two"),
			answer(StopToolUse, call("0", `{}`)), result("0", "three")},
			[]string{`assistant call(0{"a":1}) call(0_2{"a":2})`, `result 0 "one"`, `result 0_2 "two"`, `assistant call(0_3{})`, `result 0_3 "three"`}},
		{"an old orphan does not take a new result", seeing, []Message{answer(StopToolUse, call("0", `{}`)), answer(StopToolUse, call("0", `{}`)), result("0", "new")},
			[]string{`assistant call(0{})`, `result 0 error "No result provided"`, `assistant call(0_2{})`, `result 0_2 "new"`}},
		{"foreign ids", seeing, []Message{answer(StopToolUse, call("call.1|fc:2", `{}`)), result("call.1|fc:2", "x")},
			[]string{`assistant call(call_1_fc_2{})`, `result call_1_fc_2 "x"`}},
		{"long ids", blind, []Message{answer(StopToolUse, call(strings.Repeat("a", 60)+"|b", `{}`))},
			[]string{`assistant call(` + strings.Repeat("a", 40) + `{})`, `result ` + strings.Repeat("a", 40) + ` error "No result provided"`}},
		{"images for the blind", blind, []Message{&UserMessage{Content: []Block{&Image{Data: "AA==", MimeType: "image/png"}}}},
			[]string{`user "(image omitted: model does not support images)"`}},
		{"images for the seeing", seeing, []Message{&UserMessage{Content: []Block{&Image{Data: "AA==", MimeType: "image/png"}}}},
			[]string{`user image`}},
		{"bytes that are not text", seeing, []Message{user("a\xed\xa0\xbdb"), answer(StopToolUse, call("1", `{"a":"\ud83d"}`), call("2", "")), result("1", "\xff")},
			[]string{`user "a�b"`, `assistant call(1{"a":"�"}) call(2{})`, `result 1 "�"`, `result 2 error "No result provided"`}},
		{"emptiness", seeing, []Message{user(" \r\n"), &UserMessage{}, answer(StopEnd), answer(StopEnd, &Thinking{}), answer(StopEnd, &Thinking{Thinking: "x", Signature: "s"}),
			answer(StopToolUse, &Text{}, call("1", "null")), result("1", "\r\n")},
			[]string{`assistant call(1{})`, `result 1 "(no output)"`}},
		{"other roles", seeing, []Message{&SystemMessage{}, &RawMessage{Role: "custom"}, user("a")}, []string{`user "a"`}},
	} {
		before := short(tt.in)
		if got := short(Replay(tt.model, tt.in)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
		}
		if !reflect.DeepEqual(before, short(tt.in)) {
			t.Errorf("%s: the input changed", tt.name)
		}
	}
}

// A conversation only grows at its end; what was sent before must not change.
func TestReplayIsStable(t *testing.T) {
	model := &Model{API: "anthropic-messages"}
	msgs := []Message{user("a"), answer(StopToolUse, call("x", `{}`), call("x", `{}`)), result("x", "1"), result("x", "2"), user("b"),
		answer(StopToolUse, call("x", `{}`)), result("x", "3"), answer(StopEnd, &Text{Text: "end"})}
	whole := short(Replay(model, msgs))
	for _, n := range []int{1, 4, 5, 7} {
		part := short(Replay(model, msgs[:n]))
		if !reflect.DeepEqual(part, whole[:len(part)]) {
			t.Errorf("first %d: %q", n, part)
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	var msgs []Message
	for i := range 10_000 {
		id := fmt.Sprint(i)
		msgs = append(msgs, user("hello"), answer(StopToolUse, call(id, `{"path":"a"}`)), result(id, strings.Repeat("line\n", 50)))
	}
	model := &Model{API: "anthropic-messages"}
	for b.Loop() {
		Replay(model, msgs)
	}
}
