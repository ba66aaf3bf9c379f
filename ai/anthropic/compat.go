package anthropic

import (
	"encoding/json"
	"strings"

	"tau/ai"
)

// compat are the flags by which servers of this protocol differ. A nil
// pointer means the default. What may change in mid-conversation is read by
// [ai.Model.Midway].
type compat struct {
	EagerToolInputStreaming    *bool      `json:"supportsEagerToolInputStreaming"` // true
	LongCacheRetention         *bool      `json:"supportsLongCacheRetention"`      // true
	CacheControlOnTools        *bool      `json:"supportsCacheControlOnTools"`     // true
	Temperature                *bool      `json:"supportsTemperature"`             // true
	SendSessionAffinityHeaders bool       `json:"sendSessionAffinityHeaders"`
	SessionAffinityFormat      string     `json:"sessionAffinityFormat"`
	ForceAdaptiveThinking      bool       `json:"forceAdaptiveThinking"`
	AllowEmptySignature        bool       `json:"allowEmptySignature"`
	StrictTools                bool       `json:"supportsStrictTools"`
	MidConvoEffort             bool       `json:"supportsMidConvoEffort"`
	AllowedFallbackModels      []fallback `json:"allowedFallbackModels"`
}

// fallback is a model that may answer what the asked one refuses.
type fallback struct {
	Model string        `json:"model"`
	Cost  *ai.ModelCost `json:"cost"`
}

func readCompat(model *ai.Model) compat {
	var c compat
	if len(model.Compat) > 0 {
		// Flags of a wrong type are as good as absent: the catalogue checks what
		// users write.
		_ = json.Unmarshal(model.Compat, &c)
	}
	if c.SessionAffinityFormat == "" && strings.Contains(model.BaseURL, "openrouter.ai") {
		c.SessionAffinityFormat = "openrouter"
	}
	return c
}

func on(flag *bool, otherwise bool) bool {
	if flag == nil {
		return otherwise
	}
	return *flag
}
