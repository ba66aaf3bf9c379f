package compaction

import (
	"testing"

	"tau/ai"
	"tau/session/settings"
)

func TestLimits(t *testing.T) {
	no, reserve, keep := false, int64(1000), int64(500)
	s := FromSettings(settings.Compaction{
		Enabled: &no, ReserveTokens: &reserve,
		ModelOverrides: map[string]settings.CompactionOverride{"p/small": {KeepRecentTokens: &keep}},
	})
	if !s.Disabled {
		t.Error("not disabled")
	}
	for _, tt := range []struct {
		s      Settings
		id     string
		window int64
		want   Limits
	}{
		{Settings{}, "m", 200_000, Limits{200_000, DefaultReserve, DefaultKeepRecent}},
		{Settings{}, "m", 32_768, Limits{32_768, 16_384, DefaultKeepRecent}},
		{Settings{}, "m", 8_000, Limits{8_000, 4_000, DefaultKeepRecent}},
		{Settings{}, "m", 0, Limits{0, DefaultReserve, DefaultKeepRecent}},
		{s, "m", 200_000, Limits{200_000, 1000, DefaultKeepRecent}},
		{s, "small", 200_000, Limits{200_000, 1000, 500}},
	} {
		if got := tt.s.For(&ai.Model{ID: tt.id, Provider: "p", ContextWindow: tt.window}); got != tt.want {
			t.Errorf("%s with %d: %+v, want %+v", tt.id, tt.window, got, tt.want)
		}
	}
	l := Limits{Window: 100, Reserve: 20}
	if l.Exceeded(80) || !l.Exceeded(81) || (Limits{Reserve: 20}).Exceeded(1<<40) {
		t.Error("the threshold is in another place")
	}
}
