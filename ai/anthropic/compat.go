package anthropic

import (
	"encoding/json"

	"tau/ai"
)

// compat are the flags by which servers of this protocol differ. A nil
// pointer means the default.
type compat struct {
	EagerToolInputStreaming    *bool  `json:"supportsEagerToolInputStreaming"` // true
	LongCacheRetention         *bool  `json:"supportsLongCacheRetention"`      // true
	CacheControlOnTools        *bool  `json:"supportsCacheControlOnTools"`     // true
	Temperature                *bool  `json:"supportsTemperature"`             // true
	SendSessionAffinityHeaders bool   `json:"sendSessionAffinityHeaders"`
	SessionAffinityFormat      string `json:"sessionAffinityFormat"`
	ForceAdaptiveThinking      bool   `json:"forceAdaptiveThinking"`
	AllowEmptySignature        bool   `json:"allowEmptySignature"`
	StrictTools                bool   `json:"supportsStrictTools"`
}

func readCompat(model *ai.Model) compat {
	var c compat
	if len(model.Compat) > 0 {
		// Flags of a wrong type are as good as absent: the catalogue checks what
		// users write.
		_ = json.Unmarshal(model.Compat, &c)
	}
	return c
}

func on(flag *bool, otherwise bool) bool {
	if flag == nil {
		return otherwise
	}
	return *flag
}
