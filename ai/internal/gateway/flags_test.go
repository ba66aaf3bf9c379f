package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/catalog"
	"tau/ai/internal/answertest"
)

// omitted are flags that tau knows and does nothing with, and why.
func omitted() map[string]string {
	return map[string]string{
		"anthropic-messages supportsMessageThreads": "a conversation kept by the provider and continued by its id: saves upload, not tokens, and no model of the catalogue has it",
	}
}

// sample is how a flag is tried: its value, and what else it needs to act.
type sample struct {
	value string
	with  string // other flags
	base  string // base URL
}

func samples(api, name, kind string) []sample {
	const openAI = "https://api.openai.com/v1"
	special := map[string][]sample{
		"openai-completions supportsStore":                 {{value: "false", base: openAI}},
		"openai-completions supportsDeveloperRole":         {{value: "true"}, {value: "false", base: openAI}},
		"openai-completions maxTokensField":                {{value: `"max_tokens"`}},
		"openai-completions chatTemplateKwargs":            {{value: `{"a":{"$var":"thinking.enabled"},"b":{"$var":"thinking.effort","omitWhenOff":true},"c":{"$var":"thinking.budget"},"d":1}`, with: `"thinkingFormat":"chat-template"`}},
		"openai-completions chatTemplateArgs":              {{value: `{"enable_thinking":{"$var":"thinking.enabled"}}`, with: `"thinkingFormat":"baseten"`}},
		"openai-completions openRouterRouting":             {{value: `{"order":["a"],"allow_fallbacks":false}`, with: `"thinkingFormat":"openrouter"`}},
		"openai-completions vercelGatewayRouting":          {{value: `{"only":["a"]}`}},
		"openai-completions vllmPriority":                  {{value: "3"}},
		"openai-completions thinkingTokenBudgetField":      {{value: `"thinking_budget"`, with: `"supportsThinkingTokenBudget":true`}, {value: `"thinking_budget_tokens"`, with: `"supportsThinkingTokenBudget":true`}},
		"openai-completions cacheControlFormat":            {{value: `"anthropic"`}},
		"openai-completions sessionAffinityFormat":         {{value: `"openrouter"`, with: `"sendSessionAffinityHeaders":true`}, {value: `"openai-nosession"`, with: `"sendSessionAffinityHeaders":true`}},
		"openai-completions promptCacheKeyMode":            {{value: `"enabled"`}, {value: `"disabled"`, base: openAI}},
		"openai-completions supportsLongCacheRetention":    {{value: "true"}, {value: "false", base: openAI}},
		"openai-completions supportsMidConvoToolAdditions": {{value: "true", with: `"supportsMidConvoSystemMessages":true`}},
		"anthropic-messages sessionAffinityFormat":         {{value: `"openrouter"`, with: `"sendSessionAffinityHeaders":true`}},
		"anthropic-messages allowedFallbackModels":         {{value: `[{"provider":"lab","model":"other","cost":{"input":1,"output":2}}]`}},
		"anthropic-messages supportsMidConvoEffort":        {{value: "true", with: `"forceAdaptiveThinking":true`}},
		"openai-codex-responses supportsDeveloperRole":     {{value: "false", with: `"supportsMidConvoSystemMessages":true`}},
		" sessionAffinityFormat":                           {{value: `"openrouter"`}, {value: `"openai-nosession"`}},
		" promptCacheKeyMode":                              {{value: `"disabled"`}},
	}
	for _, format := range []string{"openrouter", "deepseek", "together", "baseten", "zai", "qwen", "chat-template", "qwen-chat-template", "string-thinking", "ant-ling"} {
		special["openai-completions thinkingFormat"] = append(special["openai-completions thinkingFormat"],
			sample{value: `"` + format + `"`, with: `"chatTemplateKwargs":{"on":{"$var":"thinking.enabled"}}`})
	}
	if s := special[api+" "+name]; s != nil {
		return s
	}
	if s := special[" "+name]; s != nil {
		return s
	}
	if kind == "bool" {
		return []sample{{value: "true"}, {value: "false"}} // one of them is the default
	}
	return nil
}

func compatOf(with, name, value string) json.RawMessage {
	var members []string
	for _, m := range []string{with, name} {
		if m == name && name != "" {
			m = fmt.Sprintf("%q:%s", name, value)
		}
		if m != "" {
			members = append(members, m)
		}
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

// scene is a request that a flag may change.
type scene struct {
	name string
	req  ai.Request
	opts ai.Options
}

func scenes(m *ai.Model) []scene {
	text := func(s string) *string { return &s }
	say := func(s string) ai.Message { return &ai.UserMessage{Content: ai.TextBlocks(s)} }
	answer := func(level ai.ThinkingLevel, stop ai.StopReason, blocks ...ai.Block) ai.Message {
		return &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, ThinkingLevel: level, StopReason: stop, Content: blocks}
	}
	read := ai.ToolDef{Name: "read", Description: "Read", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`), Strict: true}
	patch := ai.ToolDef{Name: "patch", Description: "Patch", Parameters: json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}}}`), Grammar: &ai.Grammar{Syntax: "lark", Definition: "start: /.+/", Argument: "input"}}
	grep := ai.ToolDef{Name: "grep", Description: "Search", Parameters: json.RawMessage(`{"type":"object","properties":{"for":{"type":"string"}}}`)}
	loop := []ai.Message{
		say("look"),
		answer(ai.ThinkingHigh, ai.StopToolUse, &ai.Thinking{Thinking: "hm"}, &ai.ToolCall{ID: "callread1", Name: "read", Arguments: json.RawMessage(`{"path":"a"}`)},
			&ai.ToolCall{ID: "callpatc1", Name: "patch", Arguments: json.RawMessage(`{"input":"+a"}`)}),
		&ai.ToolResultMessage{ToolCallID: "callread1", ToolName: "read", Content: ai.TextBlocks("x")},
		&ai.ToolResultMessage{ToolCallID: "callpatc1", ToolName: "patch", Content: ai.TextBlocks("done")},
		say("go on"),
	}
	begin := &ai.SystemMessage{Sections: ai.Sections{{Name: "preamble", Text: text("be brief")}, {Name: "cwd", Text: text("/a")}}, ToolsAdded: []ai.ToolDef{read}}
	temperature := 0.5
	first := answer(ai.ThinkingHigh, ai.StopEnd, &ai.Text{Text: "hello"})
	hi := []ai.Message{say("hi")}
	return []scene{
		{"plain", ai.Request{System: "be brief", Messages: hi}, ai.Options{Temperature: &temperature, SessionID: "session-1", Thinking: ai.ThinkingOff}},
		{"tools", ai.Request{System: "be brief", Messages: hi, Tools: []ai.ToolDef{read, patch}}, ai.Options{Thinking: ai.ThinkingOff}},
		{"loop", ai.Request{System: "be brief", Messages: loop, Tools: []ai.ToolDef{read, patch}}, ai.Options{Thinking: ai.ThinkingHigh}},
		{"history without tools", ai.Request{Messages: loop}, ai.Options{Thinking: ai.ThinkingOff}},
		{"thinking", ai.Request{Messages: hi}, ai.Options{Thinking: ai.ThinkingHigh}},
		{"cache long", ai.Request{System: "be brief", Messages: hi, Tools: []ai.ToolDef{read}}, ai.Options{Cache: ai.CacheLong, SessionID: "session-1"}},
		{"cache none", ai.Request{System: "be brief", Messages: hi}, ai.Options{Cache: ai.CacheNone, SessionID: "session-1"}},
		{"prompt changed", ai.Request{System: "be brief\n\n<cwd>\n/b\n</cwd>", Tools: []ai.ToolDef{read}, Messages: []ai.Message{begin, hi[0], first,
			&ai.SystemMessage{Sections: ai.Sections{{Name: "cwd", Text: text("/b")}}}, say("and now?")}}, ai.Options{Thinking: ai.ThinkingHigh}},
		{"tools added", ai.Request{System: "be brief\n\n<cwd>\n/a\n</cwd>", Tools: []ai.ToolDef{read, grep}, Messages: []ai.Message{begin, hi[0], first,
			&ai.SystemMessage{ToolsAdded: []ai.ToolDef{grep}}, say("and now?")}}, ai.Options{Thinking: ai.ThinkingHigh}},
		{"tools changed", ai.Request{System: "be brief\n\n<cwd>\n/a\n</cwd>", Tools: []ai.ToolDef{grep}, Messages: []ai.Message{begin, hi[0], first,
			&ai.SystemMessage{ToolsAdded: []ai.ToolDef{grep}, ToolsRemoved: []ai.ToolName{{Name: "read"}}}, say("and now?")}}, ai.Options{Thinking: ai.ThinkingHigh}},
		{"effort changed", ai.Request{System: "be brief", Messages: []ai.Message{hi[0], first, say("think less")}}, ai.Options{Thinking: ai.ThinkingLow}},
	}
}

type capture struct{ got *[]string }

// RoundTrip writes down the request and answers without a finish reason.
func (c capture) RoundTrip(r *http.Request) (*http.Response, error) {
	*c.got = append(*c.got, "url "+r.URL.String())
	for name, values := range r.Header {
		if name != "User-Agent" {
			*c.got = append(*c.got, "header "+name+": "+strings.Join(values, ", "))
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := json.Unmarshal(body, &doc); err != nil {
		return nil, err
	}
	flatten("", doc, c.got)
	answer := "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n"
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

func flatten(path string, v any, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			flatten(path+"."+key, value, out)
		}
		if len(v) == 0 {
			*out = append(*out, path+" {}")
		}
	case []any:
		for i, value := range v {
			flatten(fmt.Sprintf("%s[%d]", path, i), value, out)
		}
		if len(v) == 0 {
			*out = append(*out, path+" []")
		}
	default:
		text, _ := json.Marshal(v)
		*out = append(*out, path+" "+string(text))
	}
}

func observe(t *testing.T, p *protocol, m *ai.Model, s scene) []string {
	var got []string
	s.opts.APIKey, s.opts.Client = "sk-secret-key-1", &http.Client{Transport: capture{&got}}
	for ev := range p.stream(t.Context(), m, s.req, s.opts) {
		if ev.Final() {
			got = append(got, "answer "+string(ev.Reason))
		}
	}
	sort.Strings(got)
	return got
}

// change returns what is different, in the form of a diff, in the first scene
// that the flag changes.
func change(t *testing.T, p *protocol, m *ai.Model, s sample, name string) string {
	without, with := *m, *m
	if s.base != "" {
		without.BaseURL, with.BaseURL = s.base, s.base
	}
	without.Compat, with.Compat = compatOf(s.with, "", ""), compatOf(s.with, name, s.value)
	out := ""
	for _, sc := range scenes(m) {
		before, after := observe(t, p, &without, sc), observe(t, p, &with, sc)
		var diff []string
		for _, line := range before {
			if !slices.Contains(after, line) {
				diff = append(diff, "  - "+line)
			}
		}
		for _, line := range after {
			if !slices.Contains(before, line) {
				diff = append(diff, "  + "+line)
			}
		}
		if len(diff) > 0 {
			out += "  (" + sc.name + ")\n" + strings.Join(diff, "\n") + "\n"
			// A way to think has two sides, off and on.
			if name != "thinkingFormat" || sc.opts.Thinking == ai.ThinkingHigh {
				break
			}
		}
	}
	return out
}

// Every compat flag does something, and the golden file says what.
func TestFlags(t *testing.T) {
	var out bytes.Buffer
	for _, p := range protocols() {
		flags := catalog.CompatFlags(p.api)
		m := p.model("https://x.test/v1")
		m.Input, m.Reasoning = []string{"text", "image"}, true
		names := make([]string, 0, len(flags))
		for name := range flags {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			acts := false
			for _, s := range samples(p.api, name, flags[name]) {
				if diff := change(t, &p, m, s, name); diff != "" {
					acts = true
					fmt.Fprintf(&out, "%s %s=%s\n%s", p.api, name, s.value, diff)
				}
			}
			why, left := omitted()[p.api+" "+name]
			if !acts && !left {
				t.Errorf("%s: the flag %s changes nothing", p.api, name)
			}
			if acts && left {
				t.Errorf("%s: the flag %s acts, but is said to be left out: %s", p.api, name, why)
			}
		}
	}
	golden := filepath.Join("testdata", "flags.golden")
	if answertest.Updating() {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, out.Bytes()) {
		t.Errorf("the flags do something else than %s says (write it with -update):\n%s", golden, out.Bytes())
	}
}

// Every flag of the catalogue's models is known, and not left out.
func TestFlagsOfTheCatalogue(t *testing.T) {
	c, err := catalog.Open(catalog.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, m := range c.List("") {
		var compat map[string]json.RawMessage
		if len(m.Compat) == 0 {
			continue
		}
		if err := json.Unmarshal(m.Compat, &compat); err != nil {
			t.Fatal(err)
		}
		for name := range compat {
			seen[m.API+" "+name] = m.Ref()
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d flags", len(seen))
	}
	for key, ref := range seen {
		api, name, _ := strings.Cut(key, " ")
		if _, ok := catalog.CompatFlags(api)[name]; !ok {
			t.Errorf("%s has the flag %s, which nothing reads", ref, name)
		}
		if why, left := omitted()[key]; left {
			t.Errorf("%s has the flag %s, which is left out: %s", ref, name, why)
		}
	}
}
