package catalog

import (
	"strings"

	"tau/ai"
)

// defaultModels are what each provider offers first.
var defaultModels = map[string]string{
	"amazon-bedrock":                "us.anthropic.claude-opus-5-5",
	"ant-ling":                      "Ring-2.6-1T",
	"anthropic":                     "claude-opus-5-5",
	"azure":                         "gpt-6.2-sol",
	"baseten":                       "zai-org/GLM-5.3",
	"cerebras":                      "gpt-oss-120b",
	"cloudflare-ai-gateway":         "workers-ai/@cf/moonshotai/kimi-k2.7-code",
	"cloudflare-workers-ai":         "@cf/moonshotai/kimi-k2.7-code",
	"deepseek":                      "deepseek-v4-pro",
	"demo":                          "demo",
	"fireworks":                     "accounts/fireworks/models/kimi-k3",
	"github-copilot":                "gpt-6.1-sol",
	"google":                        "gemini-4-argon",
	"google-vertex":                 "gemini-4-argon",
	"groq":                          "openai/gpt-oss-120b",
	"huggingface":                   "moonshotai/Kimi-K2.7-Code",
	"kimi-coding":                   "kimi-for-coding",
	"meta":                          "muse-spark-1.3",
	"minimax":                       "MiniMax-M3",
	"minimax-cn":                    "MiniMax-M3",
	"mistral":                       "devstral-medium-latest",
	"moonshotai":                    "kimi-k2.7-code",
	"moonshotai-cn":                 "kimi-k2.7-code",
	"nvidia":                        "nvidia/nemotron-3.5-super-vl-120b-a12b",
	"openai":                        "gpt-6.2-sol",
	"openai-codex":                  "gpt-6.2-sol",
	"opencode":                      "kimi-k2.7-code",
	"opencode-go":                   "kimi-k3.1-pro",
	"openrouter":                    "moonshotai/kimi-k2.7-code",
	"qwen-token-plan":               "qwen3.8-max",
	"qwen-token-plan-cn":            "qwen3.8-max",
	"qwen-token-plan-individual":    "qwen3.8-max",
	"qwen-token-plan-individual-cn": "qwen3.8-max",
	"together":                      "moonshotai/Kimi-K3",
	"vercel-ai-gateway":             "zai/glm-5.3",
	"xai":                           "grok-4.7",
	"xiaomi":                        "mimo-v2.6-pro",
	"xiaomi-token-plan-ams":         "mimo-v2.6-pro",
	"xiaomi-token-plan-cn":          "mimo-v2.6-pro",
	"xiaomi-token-plan-sgp":         "mimo-v2.6-pro",
	"zai":                           "glm-5.3",
	"zai-coding-cn":                 "glm-5.3",
}

// Default returns what the provider offers first: the model of the table, else
// its first one, nil if it has none.
func (c *Catalog) Default(provider string) *ai.Model {
	if m, ok := c.Model(provider, defaultModels[provider]); ok {
		return m
	}
	if models := c.Models(provider); len(models) > 0 {
		return models[0]
	}
	return nil
}

// baseURLs are the variables that the vendors' own SDKs read. That of OpenAI
// includes the version, that of Anthropic does not.
var baseURLs = map[string]string{
	"anthropic": "ANTHROPIC_BASE_URL",
	"openai":    "OPENAI_BASE_URL",
}

// fromEnvironment fills in what of an address the environment decides.
func (c *Catalog) fromEnvironment(m *ai.Model) {
	u := c.user.provider(m.Provider)
	if base := c.opts.Getenv(baseURLs[m.Provider]); base != "" && (u == nil || u.BaseURL == "") {
		m.BaseURL = base
	}
	if m.Provider == "azure" && m.BaseURL == "" {
		if base := c.opts.Getenv("AZURE_OPENAI_BASE_URL"); base != "" {
			m.BaseURL = base
		} else if name := c.opts.Getenv("AZURE_OPENAI_RESOURCE_NAME"); name != "" {
			m.BaseURL = "https://" + name + ".openai.azure.com/openai/v1"
		}
	}
	for {
		before, rest, ok := strings.Cut(m.BaseURL, "{")
		name, after, closed := strings.Cut(rest, "}")
		value := c.opts.Getenv(name)
		if !ok || !closed || value == "" {
			return
		}
		m.BaseURL = before + value + after
	}
}
