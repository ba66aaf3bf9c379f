package finder

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"tau/session/library"
	"tau/session/store/storetest"
)

// gigabyte makes 1 GB of sessions: one of 300 MB, the rest of a few MB each.
func gigabyte(b *testing.B) []string {
	lib := library.Library{Base: b.TempDir()}
	add := func(i int, size int64) {
		s := storetest.Spec{ID: fmt.Sprintf("s%04d", i), CWD: "/w", Entries: int(size / 10_000), Bytes: size}
		if i == 500 {
			s.Last = "a rare needle"
		}
		if err := storetest.Write(lib.NewPath("/w", s.ID, time.Unix(int64(i), 0)), s); err != nil {
			b.Fatal(err)
		}
	}
	add(0, 300<<20)
	for i := 1; i < 725; i++ {
		add(i, 1<<20)
	}
	paths, err := Paths(lib, "")
	if err != nil {
		b.Fatal(err)
	}
	return paths
}

// BenchmarkSearchGigabyte reports the time to the first result and to the end,
// for a word that is in every session, one that is in a single session, and one
// that is nowhere.
func BenchmarkSearchGigabyte(b *testing.B) {
	paths := gigabyte(b)
	for _, query := range []string{"lazy dog", "needle", "nowhere to be found", "re:brown (fox|dog) leaps"} {
		b.Run(query, func(b *testing.B) {
			q, err := Parse(query)
			if err != nil {
				b.Fatal(err)
			}
			var first time.Duration
			results := 0
			for b.Loop() {
				start := time.Now()
				results, first = 0, 0
				err := Search(context.Background(), paths, q, func(Result) {
					if results++; results == 1 {
						first = time.Since(start)
					}
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
			b.ReportMetric(float64(results), "results")
		})
	}
}

// BenchmarkListThousand reports how long the list of 1,000 sessions takes to
// its first row, to the last first look, and until all are read through.
func BenchmarkListThousand(b *testing.B) {
	for _, size := range []int64{50 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			lib := library.Library{Base: b.TempDir()}
			for i := range 1000 {
				s := storetest.Spec{ID: fmt.Sprintf("s%04d", i), CWD: "/w", Entries: int(size / 5000), Bytes: size}
				if err := storetest.Write(filepath.Join(lib.Folder("/w"), fmt.Sprintf("%04d_%s.jsonl", i, s.ID)), s); err != nil {
					b.Fatal(err)
				}
			}
			var first, looked time.Duration
			for b.Loop() {
				start := time.Now()
				n := 0
				err := List(context.Background(), lib, "/w", func(Session) {
					switch n++; n {
					case 1:
						first = time.Since(start)
					case 1000:
						looked = time.Since(start)
					}
				})
				if err != nil || n < 1000 {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
			b.ReportMetric(float64(looked.Microseconds())/1000, "list-ms")
		})
	}
}
