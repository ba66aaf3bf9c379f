package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tau/ai"
	"tau/session/store"
	"tau/session/store/storetest"
)

// screen opens a session as far as the first screen needs it: the state, the
// path, and the last 40 entries.
func screen(b *testing.B, path string) *store.Store {
	s, err := store.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.State(); err != nil {
		b.Fatal(err)
	}
	p := s.PathTo("")
	for _, n := range p[max(len(p)-40, 0):] {
		if _, err := s.Entry(n.ID); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// BenchmarkOpen opens sessions to their first screen, with the index that is
// kept beside a large one, and reports the memory that is held then, in MB as
// the kernel counts it.
func BenchmarkOpen(b *testing.B) { benchmarkOpen(b, true) }

// BenchmarkOpenUnindexed is BenchmarkOpen of files that another program wrote.
func BenchmarkOpenUnindexed(b *testing.B) { benchmarkOpen(b, false) }

func benchmarkOpen(b *testing.B, index bool) {
	for _, spec := range []storetest.Spec{
		{Entries: 1_000, Bytes: 1 << 20}, {Entries: 10_000, Bytes: 100 << 20}, {Entries: 100_000, Bytes: 1 << 30},
	} {
		b.Run(fmt.Sprintf("%d", spec.Entries), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "s.jsonl")
			if err := storetest.Write(path, spec); err != nil {
				b.Fatal(err)
			}
			var s *store.Store
			for b.Loop() {
				s = screen(b, path)
				b.StopTimer()
				if s.Len() < spec.Entries {
					b.Fatal(s.Len())
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				if !index {
					_ = os.Remove(store.IndexPath(path))
				}
				b.StartTimer()
			}
			b.ReportMetric(rss(), "rss-MB")
			runtime.KeepAlive(s)
		})
	}
}

// rss returns the peak of the resident memory, 0 where it is not known.
func rss() float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(b), "\n") {
		var kb float64
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kb); err == nil {
			return kb / 1024
		}
	}
	return 0
}

// BenchmarkAppend appends to sessions of different lengths.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		b.Run(fmt.Sprintf("at %d", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "s.jsonl")
			if err := storetest.Write(path, storetest.Spec{Entries: n, Bytes: int64(n) * 1000}); err != nil {
				b.Fatal(err)
			}
			s, err := store.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			text := strings.Repeat("word ", 200)
			for b.Loop() {
				if _, err := s.Append(&store.MessageEntry{Message: &ai.UserMessage{Content: ai.TextBlocks(text)}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTree makes the tree of 100,000 entries.
func BenchmarkTree(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s.jsonl")
	if err := storetest.Write(path, storetest.Spec{Entries: 100_000, Bytes: 50 << 20}); err != nil {
		b.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if t := s.Tree(); len(t.Nodes) < 100_000 {
			b.Fatal(len(t.Nodes))
		}
	}
}
