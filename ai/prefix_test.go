package ai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestPrefixDiff(t *testing.T) {
	say := func(s string) Message { return &UserMessage{Content: TextBlocks(s), Timestamp: time.Now().UnixNano()} }
	base := func() (*Model, *Request, *Options) {
		return &Model{ID: "m", Provider: "p"}, &Request{
			System: "be brief", Tools: []ToolDef{{Name: "ls"}, {Name: "read", Parameters: json.RawMessage(`{}`)}},
			Messages: []Message{
				say("one"), &AssistantMessage{StopReason: StopAborted, Content: TextBlocks("cut")},
				&AssistantMessage{StopReason: StopToolUse, Content: []Block{&Thinking{Thinking: "hm", Signature: "s"}, &ToolCall{ID: "a", Name: "ls"}}},
				&ToolResultMessage{ToolCallID: "a", ToolName: "ls", Content: []Block{&Image{Data: "AA", MimeType: "image/png"}}, Details: json.RawMessage(`1`)},
			},
		}, &Options{Thinking: ThinkingLow}
	}
	for _, tt := range []struct {
		name string
		edit func(m *Model, r *Request, o *Options)
		want string
	}{
		{"same", func(*Model, *Request, *Options) {}, "the provider did not find the unchanged prompt"},
		{"grown", func(_ *Model, r *Request, _ *Options) { r.Messages = append(r.Messages, say("two")) }, "the provider did not find the unchanged prompt"},
		{"details", func(_ *Model, r *Request, _ *Options) {
			r.Messages[3] = &ToolResultMessage{ToolCallID: "a", ToolName: "ls", Content: []Block{&Image{Data: "AA", MimeType: "image/png"}}, Details: json.RawMessage(`2`), Timestamp: 5}
		}, "the provider did not find the unchanged prompt"},
		{"aborted answer gone", func(_ *Model, r *Request, _ *Options) { r.Messages = append(r.Messages[:1:1], r.Messages[2:]...) }, "the provider did not find the unchanged prompt"},
		{"model", func(m *Model, _ *Request, _ *Options) { m.ID = "n" }, "the model changed (p/m → p/n)"},
		{"system", func(_ *Model, r *Request, _ *Options) { r.System += "!" }, "the system prompt changed"},
		{"tools", func(_ *Model, r *Request, _ *Options) {
			r.Tools = []ToolDef{{Name: "read", Parameters: json.RawMessage(`{"a":1}`)}, {Name: "grep"}}
		}, "the tools changed (read changed, grep added, ls removed)"},
		{"tool order", func(_ *Model, r *Request, _ *Options) { r.Tools[0], r.Tools[1] = r.Tools[1], r.Tools[0] }, "the tools changed (their order)"},
		{"history", func(_ *Model, r *Request, _ *Options) { r.Messages[3] = say("x") }, "the history was edited at message 4"},
		{"history cut", func(_ *Model, r *Request, _ *Options) { r.Messages = r.Messages[:2] }, "the history was edited at message 3"},
		{"history signature", func(_ *Model, r *Request, _ *Options) {
			r.Messages[2] = &AssistantMessage{StopReason: StopToolUse, Content: []Block{&Thinking{Thinking: "hm"}, &ToolCall{ID: "a", Name: "ls"}}}
		}, "the history was edited at message 3"},
		{"thinking", func(_ *Model, _ *Request, o *Options) { o.Thinking = ThinkingHigh }, "the thinking level or the cache retention changed"},
	} {
		first := PrefixOf(base())
		m, r, o := base()
		tt.edit(m, r, o)
		if got := first.Diff(PrefixOf(m, r, o), time.Minute, 5*time.Minute).String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	p := PrefixOf(base())
	if got := p.Diff(p, 6*time.Minute, 5*time.Minute); got.Cause != PrefixExpired {
		t.Error(got)
	}
}

func TestCacheLoss(t *testing.T) {
	for _, tt := range []struct {
		before, now Usage
		want        int64
	}{
		{Usage{CacheRead: 10_000, CacheWrite: 2_000}, Usage{CacheRead: 12_000}, 0},
		{Usage{CacheRead: 10_000, CacheWrite: 2_000}, Usage{CacheRead: 11_900}, 0},
		{Usage{CacheRead: 10_000, CacheWrite: 2_000}, Usage{CacheWrite: 12_000}, 12_000},
		{Usage{Input: 10_000}, Usage{Input: 11_000}, 0},
	} {
		if got := CacheLoss(tt.before, tt.now); got != tt.want {
			t.Errorf("%+v %+v: %d", tt.before, tt.now, got)
		}
	}
}

func BenchmarkPrefix(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		req := &Request{}
		for i := range n {
			req.Messages = append(req.Messages, &UserMessage{Content: TextBlocks(strings.Repeat("text ", 200) + fmt.Sprint(i))})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				PrefixOf(&Model{}, req, &Options{})
			}
		})
	}
}
