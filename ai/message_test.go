package ai

import (
	"testing"

	"tau/ai/openjson"
)

func TestMessagesRoundTrip(t *testing.T) {
	for _, in := range []string{
		`{"role":"user","content":"hi","timestamp":1}`,
		`{"role":"user","content":[{"type":"text","text":"a <b> & c"},{"type":"image","data":"AA==","mimeType":"image/png"}],"timestamp":1,"x":{"y":[1]}}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s"},{"type":"text","text":"x","new":true},{"type":"toolCall","id":"1","name":"ls","arguments":{"path":"."}}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cacheWrite1h":0,"totalTokens":10,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5,"totalFromProvider":false},"later":1},"stopReason":"toolUse","timestamp":5,"durationMs":7}`,
		`{"role":"toolResult","toolCallId":"1","toolName":"ls","content":[{"type":"text","text":"x"}],"details":{"a":1},"isError":false,"timestamp":6,"durationMs":0}`,
		`{"role":"system","content":[],"sections":{"z":"1","a":null},"toolsAdded":[{"name":"n","description":"d","parameters":{"type":"object"},"strict":true}],"toolsRemoved":[{"name":"o"}],"timestamp":1}`,
		`{"role":"bashExecution","command":"ls","weird":[null]}`,
		`{"role":"user","content":[{"type":"hologram","depth":3}],"timestamp":1}`,
	} {
		m, err := UnmarshalMessage([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		out, err := openjson.Encode(m)
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if string(out) != in {
			t.Errorf("round trip\n in  %s\n out %s", in, out)
		}
	}
}

func TestNullContentIsTolerated(t *testing.T) {
	for _, in := range []string{
		`{"role":"user","content":null}`,
		`{"role":"assistant","content":null,"usage":null}`,
		`{"role":"toolResult","toolCallId":"1"}`,
		`{"role":"user","content":[null]}`,
	} {
		if _, err := UnmarshalMessage([]byte(in)); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestPrice(t *testing.T) {
	m := &Model{Cost: ModelCost{Rates: Rates{Input: 2, Output: 10, CacheRead: 0.2, CacheWrite: 2.5}, Tiers: []CostTier{
		{InputTokensAbove: 200, Rates: Rates{Input: 4, Output: 20}},
		{InputTokensAbove: 100, Rates: Rates{Input: 3, Output: 15}},
	}}}
	for _, tt := range []struct {
		name string
		u    Usage
		want float64
	}{
		{"base", Usage{Input: 50, Output: 10, CacheRead: 20, CacheWrite: 10}, (50*2 + 10*10 + 20*0.2 + 10*2.5) / 1e6},
		{"highest tier reached", Usage{Input: 201, Output: 1}, (201*4 + 20) / 1e6},
		{"tier counts cached input", Usage{Input: 1, CacheRead: 150}, 3 / 1e6},
		{"hour writes cost twice the input", Usage{CacheWrite: 10, CacheWrite1h: 4}, (6*2.5 + 4*4) / 1e6},
		{"billed total wins", Usage{Input: 1, Cost: Cost{Total: 9, TotalFromProvider: true}}, 9},
	} {
		m.Price(&tt.u)
		if diff := tt.u.Cost.Total - tt.want; diff > 1e-12 || diff < -1e-12 {
			t.Errorf("%s: got %g want %g", tt.name, tt.u.Cost.Total, tt.want)
		}
	}
}

func TestClampThinking(t *testing.T) {
	high := "high"
	for _, tt := range []struct {
		m        Model
		in, want ThinkingLevel
	}{
		{Model{}, ThinkingHigh, ThinkingOff},
		{Model{Reasoning: true}, ThinkingXHigh, ThinkingHigh},
		{Model{Reasoning: true, ThinkingLevelMap: map[ThinkingLevel]*string{ThinkingOff: nil, ThinkingMinimal: nil}}, ThinkingOff, ThinkingLow},
		{Model{Reasoning: true, ThinkingLevelMap: map[ThinkingLevel]*string{ThinkingMax: &high}}, ThinkingXHigh, ThinkingMax},
	} {
		if got := tt.m.ClampThinking(tt.in); got != tt.want {
			t.Errorf("%v clamp %s: got %s want %s", tt.m, tt.in, got, tt.want)
		}
	}
}
