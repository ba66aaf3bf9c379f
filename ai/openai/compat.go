package openai

import (
	"encoding/json"
	"net/url"
	"strings"

	"tau/ai"
)

// compat are the flags by which the dialects of this protocol differ. A nil
// pointer means the default. What may change in mid-conversation is read by
// [ai.Model.Midway].
type compat struct {
	Store                        *bool           `json:"supportsStore"`
	DeveloperRole                *bool           `json:"supportsDeveloperRole"`
	ReasoningEffort              *bool           `json:"supportsReasoningEffort"`  // true
	UsageInStreaming             *bool           `json:"supportsUsageInStreaming"` // true
	FinishReason                 *bool           `json:"supportsFinishReason"`     // true
	MaxTokensField               string          `json:"maxTokensField"`
	ToolResultName               bool            `json:"requiresToolResultName"`
	AssistantAfterToolResult     bool            `json:"requiresAssistantAfterToolResult"`
	NonNullAssistantContent      bool            `json:"requiresNonNullAssistantContent"`
	ToolsWithToolHistory         bool            `json:"requiresToolsWithToolHistory"`
	ThinkingAsText               bool            `json:"requiresThinkingAsText"`
	ReasoningContentOnAssistants bool            `json:"requiresReasoningContentOnAssistantMessages"`
	ThinkingFormat               string          `json:"thinkingFormat"`
	ChatTemplateKwargs           json.RawMessage `json:"chatTemplateKwargs"`
	ChatTemplateArgs             json.RawMessage `json:"chatTemplateArgs"`
	OpenRouterRouting            json.RawMessage `json:"openRouterRouting"`
	VercelGatewayRouting         json.RawMessage `json:"vercelGatewayRouting"`
	ZaiToolStream                bool            `json:"zaiToolStream"`
	ThinkingTokenBudget          bool            `json:"supportsThinkingTokenBudget"`
	ThinkingTokenBudgetField     string          `json:"thinkingTokenBudgetField"`
	CacheControlFormat           string          `json:"cacheControlFormat"`
	SendSessionAffinityHeaders   bool            `json:"sendSessionAffinityHeaders"`
	SessionAffinityFormat        string          `json:"sessionAffinityFormat"`
	PromptCacheKeyMode           string          `json:"promptCacheKeyMode"`
	LongCacheRetention           *bool           `json:"supportsLongCacheRetention"`
	VLLMPriority                 *int64          `json:"vllmPriority"`
	StrictMode                   *bool           `json:"supportsStrictMode"`
	OpenAIGrammarTools           bool            `json:"supportsOpenAIGrammarTools"`

	openAI bool // OpenAI's own servers
}

// readCompat reads the model's flags and fills in what the base URL tells.
func readCompat(model *ai.Model) compat {
	var c compat
	if len(model.Compat) > 0 {
		// Flags of a wrong type are as good as absent: the catalogue checks what
		// users write.
		_ = json.Unmarshal(model.Compat, &c)
	}
	host, path := hostOf(model.BaseURL)
	c.openAI = host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com")
	if c.ThinkingFormat == "" {
		c.ThinkingFormat = thinkingFormat(host, path)
	}
	if c.MaxTokensField == "" {
		c.MaxTokensField = "max_completion_tokens"
		// Older local servers know only the older name and ignore the other.
		if host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.") {
			c.MaxTokensField = "max_tokens"
		}
	}
	if c.SessionAffinityFormat == "" && strings.HasSuffix(host, "openrouter.ai") {
		c.SessionAffinityFormat = "openrouter"
	}
	return c
}

func hostOf(base string) (host, path string) {
	if base == "" {
		return "api.openai.com", ""
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", ""
	}
	return strings.ToLower(u.Hostname()), u.Path
}

// thinkingFormat tells from the address how a server wants to be told to think.
func thinkingFormat(host, path string) string {
	for _, known := range [...]struct{ suffix, format string }{
		{"openrouter.ai", "openrouter"},
		{"deepseek.com", "deepseek"},
		{"moonshot.ai", "deepseek"},
		{"moonshot.cn", "deepseek"},
		{"xiaomimimo.com", "deepseek"},
		{"together.ai", "together"},
		{"together.xyz", "together"},
		{"baseten.co", "baseten"},
		{"z.ai", "zai"},
		{"bigmodel.cn", "zai"},
		{"aliyuncs.com", "qwen"},
		{"qwencloudapi.com", "qwen"},
		{"qianwenaiapi.com", "qwen"},
		{"ant-ling.com", "ant-ling"},
	} {
		if host == known.suffix || strings.HasSuffix(host, "."+known.suffix) {
			return known.format
		}
	}
	if strings.Contains(path, "/openrouter") {
		return "openrouter" // behind a gateway
	}
	return "openai"
}

func on(flag *bool, otherwise bool) bool {
	if flag == nil {
		return otherwise
	}
	return *flag
}
