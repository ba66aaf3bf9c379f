package agent

import (
	"strings"
	"testing"

	"tau/ai"
)

func answerWith(ids ...string) *ai.AssistantMessage {
	m := &ai.AssistantMessage{Content: ai.TextBlocks("x")}
	for _, id := range ids {
		m.Content = append(m.Content, &ai.ToolCall{ID: id, Name: "t"})
	}
	return m
}

func TestCallIDsAreKeptApart(t *testing.T) {
	for _, tt := range []struct {
		before []string
		answer []string
		want   string
	}{
		{nil, []string{"a", "b"}, "a b"},
		{[]string{"a"}, []string{"b"}, "b"},
		{[]string{"a"}, []string{"a", "b"}, "a_2 b"},
		{[]string{"a", "a_2"}, []string{"a"}, "a_3"},
		{nil, []string{"a", "a"}, "a a_2"},
		{[]string{"a"}, []string{""}, ""},
	} {
		ids := callIDs{context: []ai.Message{answerWith(tt.before...)}}
		var streamed []string
		whole := answerWith(tt.answer...)
		for i := range tt.answer {
			partial := answerWith(tt.answer[:i+1]...)
			ev := ids.event(ai.Event{Type: ai.EventToolCallEnd, ContentIndex: i + 1, ToolCall: partial.ToolCalls()[i], Partial: partial})
			streamed = append(streamed, ev.ToolCall.ID)
			if got := ev.Partial.ToolCalls()[i].ID; got != ev.ToolCall.ID {
				t.Errorf("%v: partial has %q, the event %q", tt.answer, got, ev.ToolCall.ID)
			}
		}
		final := ids.event(ai.Event{Type: ai.EventDone, Message: whole}).Message
		var got []string
		for _, c := range final.ToolCalls() {
			got = append(got, c.ID)
		}
		if strings.Join(got, " ") != tt.want || strings.Join(streamed, " ") != tt.want {
			t.Errorf("%v after %v: final %q, streamed %q, want %q", tt.answer, tt.before, got, streamed, tt.want)
		}
		if whole.ToolCalls()[0].ID != tt.answer[0] {
			t.Error("the provider's message was changed")
		}
	}
}
