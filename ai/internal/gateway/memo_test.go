package gateway

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"tau/ai"
)

// talk is a conversation that grows at random.
type talk struct {
	rng    *rand.Rand
	model  *ai.Model
	system ai.Instructions
	msgs   []ai.Message
	calls  int
}

func (k *talk) text() string {
	return strings.Repeat("wörds <and> \"quotes\"\n", k.rng.IntN(4)) + fmt.Sprint(k.rng.IntN(1000))
}

func (k *talk) image() ai.Block { return &ai.Image{Data: "iVBORw0KGgo=", MimeType: "image/png"} }

func (k *talk) user() {
	m := &ai.UserMessage{Content: ai.TextBlocks(k.text())}
	if k.rng.IntN(4) == 0 {
		m.Content = append(m.Content, k.image())
	}
	k.msgs = append(k.msgs, m)
}

func (k *talk) answer() {
	m := &ai.AssistantMessage{API: k.model.API, Provider: k.model.Provider, Model: k.model.ID, StopReason: ai.StopEnd, ThinkingLevel: k.level()}
	if k.rng.IntN(5) == 0 {
		m.Model = "another"
	}
	if k.rng.IntN(2) == 0 {
		m.Content = append(m.Content, &ai.Thinking{Thinking: k.text(), Signature: `{"type":"reasoning","id":"rs_1","summary":[]}`})
	}
	if k.rng.IntN(3) > 0 {
		m.Content = append(m.Content, &ai.Text{Text: k.text()})
	}
	var results []ai.Message
	for range k.rng.IntN(4) {
		k.calls++
		id := fmt.Sprint("call_", k.calls%7) // which repeat
		m.StopReason = ai.StopToolUse
		m.Content = append(m.Content, &ai.ToolCall{ID: id, Name: []string{"read", "patch"}[k.rng.IntN(2)], Arguments: json.RawMessage(`{"input":"a\tb"}`)})
		r := &ai.ToolResultMessage{ToolCallID: id, ToolName: "read", Content: ai.TextBlocks(k.text()), IsError: k.rng.IntN(5) == 0}
		if k.rng.IntN(4) == 0 {
			r.Content = append(r.Content, k.image())
		}
		if k.rng.IntN(8) > 0 { // some are never answered
			results = append(results, r)
		}
	}
	if k.rng.IntN(8) == 0 {
		m.StopReason = ai.StopAborted
	}
	k.rng.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	k.msgs = append(append(k.msgs, m), results...)
}

func (k *talk) level() ai.ThinkingLevel {
	return []ai.ThinkingLevel{ai.ThinkingLow, ai.ThinkingHigh}[k.rng.IntN(2)]
}

func (k *talk) patch() {
	m := &ai.SystemMessage{}
	text := k.text()
	m.Sections = ai.Sections{{Name: "cwd", Text: &text}}
	if k.rng.IntN(2) == 0 {
		m.ToolsAdded = []ai.ToolDef{{Name: fmt.Sprint("tool", k.rng.IntN(50)), Parameters: json.RawMessage(`{"type":"object","properties":{"a":{}}}`)}}
	}
	k.system.Apply(m)
	k.msgs = append(k.msgs, m)
}

// step changes the conversation as sessions do.
func (k *talk) step() {
	switch n := k.rng.IntN(20); {
	case n < 6:
		k.user()
	case n < 15:
		k.answer()
	case n < 17:
		k.patch()
	case n == 17 && len(k.msgs) > 6: // compaction
		text := k.system.Prompt()
		k.msgs = append([]ai.Message{
			&ai.SystemMessage{Sections: k.system.Sections, ToolsAdded: k.system.Tools, Content: ai.TextBlocks(text)},
			&ai.UserMessage{Content: ai.TextBlocks("summary " + k.text())},
		}, k.msgs[len(k.msgs)-3:]...)
	case n == 18 && len(k.msgs) > 4: // another branch
		k.msgs = append([]ai.Message(nil), k.msgs[:len(k.msgs)-2]...)
	}
}

// What a memo remembers changes no byte of any request, whatever becomes of
// the conversation, the options and the model.
func TestMemo(t *testing.T) {
	flags := []string{
		`{}`,
		`{"supportsMidConvoSystemMessages":true,"supportsMidConvoToolChanges":true,"supportsMidConvoToolAdditions":true,"supportsAdditionalTools":true,"supportsMidConvoEffort":true,"forceAdaptiveThinking":true,"supportsOpenAIGrammarTools":true}`,
		`{"cacheControlFormat":"anthropic","requiresAssistantAfterToolResult":true,"requiresNonNullAssistantContent":true,"allowEmptySignature":true,"supportsToolSearch":true,"supportsMidConvoSystemMessages":true}`,
	}
	for _, p := range protocols() {
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 1))
			m := p.model("https://x.test/v1")
			m.Reasoning, m.Input = true, []string{"text", "image"}
			m.Compat = json.RawMessage(flags[seed%3])
			k := &talk{rng: rng, model: m}
			first := &ai.SystemMessage{ToolsAdded: []ai.ToolDef{{Name: "read"}, {Name: "patch", Grammar: &ai.Grammar{Syntax: "lark", Definition: "start: /.+/", Argument: "input"}}}}
			preamble := "be brief"
			first.Sections = ai.Sections{{Name: "preamble", Text: &preamble}}
			k.system.Apply(first)
			k.msgs = []ai.Message{first}
			k.user()
			memo := &ai.Memo{}
			for range 60 {
				k.step()
				if rng.IntN(15) == 0 {
					other := *m
					other.ID = []string{"model-x", "model-y"}[rng.IntN(2)]
					other.Input = []string{"text", "image"}[:1+rng.IntN(2)]
					m = &other
				}
				req := ai.Request{System: k.system.Prompt(), Tools: append([]ai.ToolDef(nil), k.system.Tools...), Messages: append([]ai.Message(nil), k.msgs...)}
				opts := ai.Options{APIKey: "key", SessionID: "s", Thinking: k.level(), Cache: []ai.CacheRetention{"", ai.CacheNone, ai.CacheLong}[rng.IntN(3)]}
				plain := bodyOf(t, p, m, req, opts)
				opts.Memo = memo
				if with := bodyOf(t, p, m, req, opts); with != plain {
					t.Fatalf("%s, seed %d:\n%s\nwithout a memo\n%s", p.api, seed, with, plain)
				}
				if !json.Valid([]byte(plain)) {
					t.Fatalf("%s, seed %d: %s", p.api, seed, plain)
				}
			}
		}
	}
}

func bodyOf(t *testing.T, p protocol, m *ai.Model, req ai.Request, opts ai.Options) (body string) {
	opts.Client = &http.Client{Transport: noNetwork{}}
	opts.OnPayload = func(b []byte) []byte { body = string(b); return nil }
	for range p.stream(t.Context(), m, req, opts) {
	}
	return body
}

// loopOf is a conversation of n calls of a shell, each with 4 kB of output.
func loopOf(m *ai.Model, n int) []ai.Message {
	msgs := []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("do it")}}
	output := strings.Repeat("a line of what the command said, \"quoted\"\n", 100)
	for i := range n {
		id := fmt.Sprint("call_", i)
		msgs = append(msgs,
			&ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopToolUse, Content: []ai.Block{
				&ai.Text{Text: "Now the next."}, &ai.ToolCall{ID: id, Name: "bash", Arguments: json.RawMessage(`{"command":"make test"}`)}}},
			&ai.ToolResultMessage{ToolCallID: id, ToolName: "bash", Content: ai.TextBlocks(output)})
	}
	return msgs
}

// BenchmarkEncode200 writes all requests of a turn with 200 calls of a shell,
// request k of which has k calls in it. One operation is the whole turn.
func BenchmarkEncode200(b *testing.B) {
	for _, p := range protocols() {
		for _, remember := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/memo=%v", p.api, remember), func(b *testing.B) {
				m := p.model("https://x.test/v1")
				m.ContextWindow = 1 << 30
				msgs := loopOf(m, 200)
				sent := 0
				opts := ai.Options{APIKey: "key", SessionID: "s", Client: &http.Client{Transport: noNetwork{}}}
				opts.OnPayload = func(body []byte) []byte { sent += len(body); return nil }
				b.ReportAllocs()
				for b.Loop() {
					if remember {
						opts.Memo = &ai.Memo{}
					}
					for n := 1; n <= len(msgs); n += 2 {
						req := ai.Request{System: "be brief", Messages: msgs[:n], Tools: []ai.ToolDef{{Name: "bash"}}}
						for range p.stream(b.Context(), m, req, opts) {
						}
					}
				}
				b.ReportMetric(float64(sent)/float64(b.N)/1e6, "MB/op")
			})
		}
	}
}

// BenchmarkPrefix200 hashes the prefix of each of these requests.
func BenchmarkPrefix200(b *testing.B) {
	for _, remember := range []bool{false, true} {
		b.Run(fmt.Sprintf("memo=%v", remember), func(b *testing.B) {
			m := &ai.Model{ID: "m", Provider: "p", API: "openai-completions"}
			msgs := loopOf(m, 200)
			var opts ai.Options
			b.ReportAllocs()
			for b.Loop() {
				if remember {
					opts.Memo = &ai.Memo{}
				}
				for n := 1; n <= len(msgs); n += 2 {
					ai.PrefixOf(m, &ai.Request{System: "be brief", Messages: msgs[:n]}, &opts)
				}
			}
		})
	}
}
