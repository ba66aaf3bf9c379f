package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/ai"
	"tau/session/store"
	"tau/session/store/storetest"
)

// BenchmarkFirstScreen opens a session of 100,000 entries and 1 GB as far as
// its first screen, and reports the resident memory. The first time there is no
// index beside the file, later there is.
func BenchmarkFirstScreen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s.jsonl")
	if err := storetest.Write(path, storetest.Spec{Entries: 100_000, Bytes: 1 << 30}); err != nil {
		b.Fatal(err)
	}
	for _, indexed := range []bool{false, true} {
		b.Run(fmt.Sprintf("indexed=%v", indexed), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				if !indexed {
					_ = os.Remove(store.IndexPath(path))
				}
				b.StartTimer()
				st, err := store.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				s := New(Options{Store: st, CWD: "/w", Model: &ai.Model{ID: "m", Provider: "p", ContextWindow: 200_000}})
				nodes := st.PathTo("")
				for _, n := range nodes[len(nodes)-40:] {
					if _, err := st.Entry(n.ID); err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				b.ReportMetric(residentMB(), "rss-MB")
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

// residentMB is the memory the kernel counts now, 0 where it is not known.
func residentMB() float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(b), "\n") {
		var kb float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kb); err == nil {
			return kb / 1024
		}
	}
	return 0
}
