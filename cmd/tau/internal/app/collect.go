package app

import (
	"os"
	"runtime/debug"
)

// CollectLater has garbage collected less often until the function that it
// returns is called. What is made at the start is small and mostly stays, and
// neither the first frame nor the first request has to wait for the collector
// to find that out.
func CollectLater() func() {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}
