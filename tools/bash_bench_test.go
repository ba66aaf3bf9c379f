//go:build unix

package tools

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
)

// BenchmarkBashFlood takes 1 GB of lines from a command, to the log and the
// tail of the result, and reports the peak of the heap. The log is on the disk,
// whose speed is then measured as well, or in memory if there is a place.
func BenchmarkBashFlood(b *testing.B) {
	b.Run("disk", func(b *testing.B) { benchmarkFlood(b, b.TempDir()) })
	if dir, err := os.MkdirTemp("/dev/shm", "tau"); err == nil {
		defer os.RemoveAll(dir)
		b.Run("memory", func(b *testing.B) { benchmarkFlood(b, dir) })
	}
}

func benchmarkFlood(b *testing.B, logs string) {
	b.Setenv("TMPDIR", logs)
	set := New(Options{CWD: b.TempDir()})
	defer set.Close()
	const size = 1 << 30
	b.SetBytes(size)
	var peak uint64
	for b.Loop() {
		done := make(chan bool)
		go func() {
			defer close(done)
			for tick := time.NewTicker(50 * time.Millisecond); ; {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
				select {
				case done <- true:
					tick.Stop()
					return
				case <-tick.C:
				}
			}
		}()
		r, err := set.runBash(context.Background(), "", bashArgs{Command: "yes 'a line of sixty characters as a build or a test writes it...' | head -c 1073741824"}, func(agent.Result) {})
		<-done
		text := ai.ContentText(r.Content)
		if err != nil || !strings.Contains(text, "Full output: ") {
			b.Fatal(err, text)
		}
		path := text[strings.LastIndex(text, "Full output: ")+len("Full output: ") : len(text)-1]
		if st, err := os.Stat(path); err != nil || st.Size() != size {
			b.Fatal(err)
		}
		os.Remove(path)
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
}

// BenchmarkBashTrue is what a call costs that does nothing.
func BenchmarkBashTrue(b *testing.B) {
	set := New(Options{CWD: b.TempDir()})
	defer set.Close()
	for b.Loop() {
		if _, err := set.runBash(context.Background(), "", bashArgs{Command: "true"}, func(agent.Result) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProcesses is a look at the process table.
func BenchmarkProcesses(b *testing.B) {
	for b.Loop() {
		processes("no such mark", "pipe:[0]")
	}
	b.ReportMetric(float64(len(processes("", ""))), "processes")
}
