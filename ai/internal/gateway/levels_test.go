package gateway

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/catalog"
	"tau/ai/internal/answertest"
)

// What each thinking level becomes in the request, for one model of each way
// to be told.
func TestThinkingLevels(t *testing.T) {
	c, err := catalog.Open(catalog.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	byAPI := map[string]protocol{}
	for _, p := range protocols() {
		byAPI[p.api] = p
	}
	var out bytes.Buffer
	for _, ref := range []string{
		"anthropic/claude-opus-5-5", "anthropic/claude-haiku-4-5", "anthropic/claude-opus-4-8",
		"openai/gpt-6.2-sol", "openai/gpt-4o", "azure/gpt-5", "openai-codex/gpt-6-sol",
		"google/gemini-4-argon", "google/gemini-2.5-pro", "google-vertex/gemini-2.5-flash",
		"amazon-bedrock/us.anthropic.claude-opus-5-5", "amazon-bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", "amazon-bedrock/openai.gpt-oss-120b",
		"mistral/mistral-medium-latest", "mistral/magistral-medium-latest",
		"deepseek/deepseek-v4-pro", "zai/glm-5.3", "qwen-token-plan/qwen3.8-max", "openrouter/moonshotai/kimi-k2.7-code", "together/moonshotai/Kimi-K3",
		"baseten/zai-org/GLM-5.2", "ant-ling/Ring-2.6-1T", "groq/openai/gpt-oss-120b", "moonshotai/kimi-k2.7-code",
	} {
		m, _, err := c.Find(ref)
		if err != nil {
			t.Errorf("%s: %v", ref, err)
			continue
		}
		p, ok := byAPI[m.API]
		if !ok {
			t.Fatalf("%s: no protocol %s", ref, m.API)
		}
		local := *m
		local.BaseURL = "https://x.test/v1"
		if m.API == "openai-completions" {
			local.BaseURL = m.BaseURL // it tells the dialect
		}
		fmt.Fprintf(&out, "%s %s\n", m.API, m.Ref())
		for _, level := range ai.ThinkingLevels() {
			if !m.Thinks(level) {
				fmt.Fprintf(&out, "  %-8s (as %s)\n", level, m.ClampThinking(level))
				continue
			}
			s := scene{"", ai.Request{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}, ai.Options{Thinking: level, Cache: ai.CacheNone}}
			var lines []string
			for _, line := range observe(t, &p, &local, s) {
				name := strings.ToLower(line)
				for _, word := range []string{"think", "reason", "effort", "prompt_mode", "chat_template", "max_", "maxtokens", "maxoutput"} {
					if strings.Contains(name, word) && !strings.HasPrefix(name, "header") {
						lines = append(lines, line)
						break
					}
				}
			}
			fmt.Fprintf(&out, "  %-8s %s\n", level, strings.Join(lines, ", "))
		}
	}
	golden := filepath.Join("testdata", "levels.golden")
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
		t.Errorf("the levels are not what %s says (write it with -update):\n%s", golden, out.Bytes())
	}
}
