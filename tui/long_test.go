package tui

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// TestLongFuzz draws TAU_LONG_FUZZ random frames with each renderer and holds
// the invariants of FuzzScreen and FuzzInline against each of them.
// TAU_LONG_FUZZ_SEED chooses other frames.
func TestLongFuzz(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("TAU_LONG_FUZZ"))
	if err != nil {
		t.Skip("TAU_LONG_FUZZ is not set")
	}
	base, _ := strconv.ParseInt(os.Getenv("TAU_LONG_FUZZ_SEED"), 10, 64)
	for _, c := range []struct {
		name   string
		frames int // of a scene
		scene  func(t *testing.T, seed int64)
	}{
		{"screen", screenFrames, func(t *testing.T, seed int64) {
			screenScene(t, seed, 1+int(seed*7)%90, 1+int(seed*3)%30)
		}},
		{"inline", inlineFrames, func(t *testing.T, seed int64) {
			inlineScene(t, seed, 8+int(seed*7)%80, 1+int(seed*3)%24, int(seed)%resizes)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start, frames := time.Now(), 0
			defer func() { t.Logf("%d frames in %v", frames, time.Since(start).Round(time.Second)) }()
			for seed := base + 1<<20; frames < n; seed++ {
				c.scene(t, seed)
				frames += c.frames
			}
		})
	}
}
