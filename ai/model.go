package ai

import (
	"encoding/json"
	"maps"

	"tau/ai/openjson"
)

// Model describes one model of one provider.
type Model struct {
	ID               string                    `json:"id"`
	Name             string                    `json:"name,omitempty"`
	API              string                    `json:"api"` // wire protocol
	Provider         string                    `json:"provider"`
	BaseURL          string                    `json:"baseUrl"`
	Reasoning        bool                      `json:"reasoning"`
	ThinkingLevelMap map[ThinkingLevel]*string `json:"thinkingLevelMap,omitempty"` // nil value: unsupported
	Input            []string                  `json:"input"`                      // "text", "image"
	InputLimits      json.RawMessage           `json:"inputLimits,omitempty"`      // of images and bytes, see [Prepare]
	ContextWindow    int64                     `json:"contextWindow"`              // tokens
	MaxTokens        int64                     `json:"maxTokens"`                  // of one answer
	Cost             ModelCost                 `json:"cost"`
	PromptCache      json.RawMessage           `json:"promptCache,omitempty"`
	Headers          map[string]string         `json:"headers,omitempty"`
	SamplingParams   json.RawMessage           `json:"samplingParams,omitempty"` // members added to each request
	// SamplingParamsByThinkingLevel are added at one level, over SamplingParams.
	SamplingParamsByThinkingLevel map[ThinkingLevel]json.RawMessage `json:"samplingParamsByThinkingLevel,omitempty"`
	Compat                        json.RawMessage                   `json:"compat,omitempty"` // flags of the wire protocol, features 8.7
	Rest                          openjson.Fields                   `json:"-"`
}

// Rates are US dollars for a million tokens.
type Rates struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// ModelCost is what a model costs.
type ModelCost struct {
	Rates
	Tiers []CostTier `json:"tiers,omitempty"`
}

// CostTier replaces the rates for requests with more input than
// InputTokensAbove.
type CostTier struct {
	InputTokensAbove int64 `json:"inputTokensAbove"`
	Rates
}

// UnmarshalJSON reads the model and keeps unknown members.
func (m *Model) UnmarshalJSON(data []byte) (err error) {
	type plain Model
	m.Rest, err = openjson.Unmarshal(data, (*plain)(m))
	return err
}

// MarshalJSON writes the model with the members it was read with.
func (m Model) MarshalJSON() ([]byte, error) {
	type plain Model
	return openjson.Marshal(plain(m), m.Rest)
}

// Sampling returns the members that the model's description adds to a request
// at a thinking level, without those that the protocol writes itself.
func (m *Model) Sampling(level ThinkingLevel, own ...string) openjson.Fields {
	var fields openjson.Fields
	if level == "" {
		level = ThinkingOff
	}
	for _, params := range []json.RawMessage{m.SamplingParams, m.SamplingParamsByThinkingLevel[level]} {
		var more openjson.Fields
		if len(params) == 0 || json.Unmarshal(params, &more) != nil {
			continue // the catalogue checks what users write
		}
		if fields == nil {
			fields = openjson.Fields{}
		}
		maps.Copy(fields, more)
	}
	for _, name := range own {
		delete(fields, name)
	}
	return fields
}

// Sees reports whether the model takes images.
func (m *Model) Sees() bool {
	for _, in := range m.Input {
		if in == "image" {
			return true
		}
	}
	return false
}

// Ref returns "provider/id".
func (m *Model) Ref() string { return m.Provider + "/" + m.ID }

// ThinkingLevel says how much a model should think before it answers.
type ThinkingLevel string

// The thinking levels, in rising order.
const (
	ThinkingOff     ThinkingLevel = "off"
	ThinkingMinimal ThinkingLevel = "minimal"
	ThinkingLow     ThinkingLevel = "low"
	ThinkingMedium  ThinkingLevel = "medium"
	ThinkingHigh    ThinkingLevel = "high"
	ThinkingXHigh   ThinkingLevel = "xhigh"
	ThinkingMax     ThinkingLevel = "max"
)

// ThinkingLevels returns all levels in rising order.
func ThinkingLevels() []ThinkingLevel {
	return []ThinkingLevel{ThinkingOff, ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh, ThinkingXHigh, ThinkingMax}
}

// Valid reports whether l is one of the levels.
func (l ThinkingLevel) Valid() bool { return l.rank() >= 0 }

func (l ThinkingLevel) rank() int {
	for i, x := range ThinkingLevels() {
		if x == l {
			return i
		}
	}
	return -1
}

// Thinks reports whether the model has level l. Models that do not reason are
// always off; xhigh and max exist only where the model maps them, and a level
// mapped to null does not exist.
func (m *Model) Thinks(l ThinkingLevel) bool {
	if !m.Reasoning {
		return l == ThinkingOff
	}
	v, mapped := m.ThinkingLevelMap[l]
	if mapped {
		return v != nil
	}
	return l.Valid() && l != ThinkingXHigh && l != ThinkingMax
}

// ClampThinking returns l if the model has it, else the next higher level it
// has, else the next lower.
func (m *Model) ClampThinking(l ThinkingLevel) ThinkingLevel {
	if m.Thinks(l) {
		return l
	}
	levels := ThinkingLevels()
	at := max(l.rank(), 0)
	for _, x := range levels[at:] {
		if m.Thinks(x) {
			return x
		}
	}
	for i := at; i >= 0; i-- {
		if m.Thinks(levels[i]) {
			return levels[i]
		}
	}
	return ThinkingOff
}
