package ai

import (
	"strings"
	"testing"
)

func TestFitMaxTokens(t *testing.T) {
	for _, tt := range []struct {
		window, limit, input, want int64
	}{
		{200_000, 64_000, 1, 64_000},
		{200_000, 200_000, 1, 200_000 - 2 - 4096},
		{200_000, 200_000, 100_000, 200_000 - 100_001 - 15_000},
		{200_000, 64_000, 150_000, 32_768},                      // 27499 with the full margin
		{200_000, 64_000, 180_000, 200_000 - 180_001 - 4_096},   // only the least margin
		{200_000, 64_000, 250_000, 1024},                        // too much anyway: let the server say so
		{200_000, 8_000, 150_000, 8_000}, {0, 8_000, 10, 8_000}, // unknown window
	} {
		m := &Model{ContextWindow: tt.window, MaxTokens: tt.limit}
		req := &Request{System: strings.Repeat("x", int(tt.input*7/2))}
		if got := m.FitMaxTokens(req); got < tt.want-1 || got > tt.want+1 {
			t.Errorf("window %d limit %d input %d: got %d, want %d", tt.window, tt.limit, tt.input, got, tt.want)
		}
	}
}
