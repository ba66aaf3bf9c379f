package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// The compat flags, with the kind of JSON value that each takes.
const (
	boolFlags = "bool"
	textFlags = "string"
	listFlags = "list"
	objFlags  = "object"
	numFlags  = "number"
)

// CompatFlags returns the compat flags of a wire protocol, with the kind of
// value each takes: "bool", "string", "number", "list" or "object". A protocol
// without flags, or that is not known, has none.
func CompatFlags(api string) map[string]string {
	flags := map[string]string{}
	add := func(kind, names string) {
		for name := range strings.FieldsSeq(names) {
			flags[name] = kind
		}
	}
	switch api {
	case "anthropic-messages":
		add(boolFlags, `supportsEagerToolInputStreaming supportsLongCacheRetention sendSessionAffinityHeaders supportsCacheControlOnTools
			supportsTemperature forceAdaptiveThinking allowEmptySignature supportsStrictTools supportsMidConvoEffort
			supportsMidConvoSystemMessages supportsMidConvoToolChanges supportsMessageThreads`)
		add(textFlags, "sessionAffinityFormat")
		add(listFlags, "allowedFallbackModels")
	case "openai-completions":
		add(boolFlags, `supportsStore supportsDeveloperRole supportsReasoningEffort supportsUsageInStreaming supportsFinishReason
			requiresToolResultName requiresAssistantAfterToolResult requiresNonNullAssistantContent requiresToolsWithToolHistory
			requiresThinkingAsText requiresReasoningContentOnAssistantMessages zaiToolStream supportsThinkingTokenBudget
			supportsOpenAIGrammarTools supportsMidConvoSystemMessages supportsMidConvoToolAdditions supportsStrictMode
			sendSessionAffinityHeaders supportsLongCacheRetention`)
		add(textFlags, "maxTokensField thinkingFormat thinkingTokenBudgetField cacheControlFormat sessionAffinityFormat promptCacheKeyMode")
		add(objFlags, "chatTemplateKwargs chatTemplateArgs openRouterRouting vercelGatewayRouting")
		add(numFlags, "vllmPriority")
	case "openai-responses", "azure-openai-responses", "openai-codex-responses":
		add(boolFlags, `supportsDeveloperRole supportsReasoningEffort supportsMidConvoSystemMessages supportsLongCacheRetention supportsStrictMode
			supportsOpenAIGrammarTools supportsAdditionalTools supportsToolSearch supportsExplicitPromptCacheMode supportsMidConvoEffort
			supportsMaxOutputTokens`)
		add(textFlags, "sessionAffinityFormat promptCacheKeyMode")
	case "mistral-conversations":
		add(boolFlags, "supportsMidConvoSystemMessages supportsStrictMode")
	case "bedrock-converse-stream":
		add(boolFlags, "supportsStrictMode")
	}
	return flags
}

func protocolNames() []string {
	return []string{
		"anthropic-messages", "openai-completions", "openai-responses", "azure-openai-responses", "openai-codex-responses",
		"google-generative-ai", "google-vertex", "bedrock-converse-stream", "mistral-conversations",
	}
}

// lookCompat warns of flags that are not known or of a wrong kind and
// therefore have no effect. api may be "", for any protocol.
func (p *userParser) lookCompat(compat *hujson.Value, what, api string) {
	obj, ok := compat.Value.(*hujson.Object)
	if !ok {
		return
	}
	flags := CompatFlags(api)
	if api == "" || !slices.Contains(protocolNames(), api) {
		for _, name := range protocolNames() {
			maps.Copy(flags, CompatFlags(name))
		}
	}
	what += ", compat"
	p.look(obj, what, slices.Sorted(maps.Keys(flags)))
	for i := range obj.Members {
		m := &obj.Members[i]
		kind, known := flags[name(m)]
		if known && kind != kindOf(p.raw(&m.Value)) {
			text := fmt.Sprintf("%s: %q must be %s and has no effect as it is.", what, name(m), kindWords(kind))
			p.warnings = append(p.warnings, (&positionError{p.data, m.Value.StartOffset, text}).Error())
		}
	}
}

func kindWords(kind string) string {
	switch kind {
	case boolFlags:
		return "true or false"
	case objFlags:
		return "an object"
	}
	return "a " + kind
}

func kindOf(value json.RawMessage) string {
	switch {
	case len(value) == 0:
		return ""
	case value[0] == '"':
		return textFlags
	case value[0] == '{':
		return objFlags
	case value[0] == '[':
		return listFlags
	case string(value) == "true", string(value) == "false":
		return boolFlags
	}
	return numFlags
}
