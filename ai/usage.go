package ai

import (
	"encoding/json"

	"tau/ai/openjson"
)

// Usage counts the tokens of one answer and what they cost.
type Usage struct {
	Input        int64           `json:"input"` // without cached tokens
	Output       int64           `json:"output"`
	CacheRead    int64           `json:"cacheRead"`
	CacheWrite   int64           `json:"cacheWrite"`
	CacheWrite1h int64           `json:"cacheWrite1h"`        // part of CacheWrite that lives an hour
	Reasoning    int64           `json:"reasoning,omitempty"` // part of Output
	TotalTokens  int64           `json:"totalTokens"`
	Cost         Cost            `json:"cost"`
	Rest         openjson.Fields `json:"-"`
}

// Cost is in US dollars.
type Cost struct {
	Input             float64 `json:"input"`
	Output            float64 `json:"output"`
	CacheRead         float64 `json:"cacheRead"`
	CacheWrite        float64 `json:"cacheWrite"`
	Total             float64 `json:"total"`
	TotalFromProvider bool    `json:"totalFromProvider"` // Total is what the provider billed
}

// UnmarshalJSON reads the usage and keeps unknown members.
func (u *Usage) UnmarshalJSON(data []byte) (err error) {
	type plain Usage
	if string(data) == "null" {
		return nil
	}
	u.Rest, err = openjson.Unmarshal(data, (*plain)(u))
	return err
}

// MarshalJSON writes the usage with the members it was read with. That of a
// request that came to nothing has only the plain counts, as pi writes it.
func (u Usage) MarshalJSON() ([]byte, error) {
	type plain Usage
	if u.TotalTokens != 0 || u.Input != 0 || u.Output != 0 || u.CacheRead != 0 || u.CacheWrite != 0 || u.Cost != (Cost{}) {
		return openjson.Marshal(plain(u), u.Rest)
	}
	return openjson.Marshal(noUsage{}, u.Rest)
}

// noUsage is the JSON form of a usage of nothing.
type noUsage struct {
	Input       int64 `json:"input"`
	Output      int64 `json:"output"`
	CacheRead   int64 `json:"cacheRead"`
	CacheWrite  int64 `json:"cacheWrite"`
	TotalTokens int64 `json:"totalTokens"`
	Cost        struct {
		Input      float64 `json:"input"`
		Output     float64 `json:"output"`
		CacheRead  float64 `json:"cacheRead"`
		CacheWrite float64 `json:"cacheWrite"`
		Total      float64 `json:"total"`
	} `json:"cost"`
}

// Add returns the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		CacheWrite1h: u.CacheWrite1h + v.CacheWrite1h, Reasoning: u.Reasoning + v.Reasoning,
		TotalTokens: u.TotalTokens + v.TotalTokens,
		Cost: Cost{
			Input: u.Cost.Input + v.Cost.Input, Output: u.Cost.Output + v.Cost.Output,
			CacheRead: u.Cost.CacheRead + v.Cost.CacheRead, CacheWrite: u.Cost.CacheWrite + v.Cost.CacheWrite,
			Total: u.Cost.Total + v.Cost.Total,
		},
	}
}

// Price fills in the cost of u at the model's rates: tokens/1e6 × rate, at the
// highest tier whose threshold the whole input exceeds. One-hour cache writes
// cost twice the input rate. A total that the provider billed wins.
func (m *Model) Price(u *Usage) {
	rate := m.Cost.Rates
	in := u.Input + u.CacheRead + u.CacheWrite
	var reached int64 = -1
	for _, t := range m.Cost.Tiers {
		if in > t.InputTokensAbove && t.InputTokensAbove > reached {
			reached, rate = t.InputTokensAbove, t.Rates
		}
	}
	const million = 1e6
	u.Cost.Input = float64(u.Input) / million * rate.Input
	u.Cost.Output = float64(u.Output) / million * rate.Output
	u.Cost.CacheRead = float64(u.CacheRead) / million * rate.CacheRead
	u.Cost.CacheWrite = float64(u.CacheWrite-u.CacheWrite1h)/million*rate.CacheWrite + float64(u.CacheWrite1h)/million*2*rate.Input
	if !u.Cost.TotalFromProvider {
		u.Cost.Total = u.Cost.Input + u.Cost.Output + u.Cost.CacheRead + u.Cost.CacheWrite
	}
}

// StopReason says why an answer ended.
type StopReason string

// The stop reasons. StopPending is used only while an answer streams.
const (
	StopPending  StopReason = "pending"
	StopEnd      StopReason = "stop"
	StopLength   StopReason = "length"
	StopToolUse  StopReason = "toolUse"
	StopError    StopReason = "error"
	StopAborted  StopReason = "aborted"
	StopDeferred StopReason = "deferred"
)

var _ json.Marshaler = Usage{}
