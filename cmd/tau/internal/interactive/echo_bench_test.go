package interactive

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/session"
	"tau/tui/term"
	"tau/tui/termtest"
)

// echoDevice tells when a letter is written to it.
type echoDevice struct {
	*termtest.Device
	letter atomic.Uint32
	seen   chan time.Time
}

func (d *echoDevice) Write(p []byte) (int, error) {
	if l := byte(d.letter.Load()); l != 0 && bytes.IndexByte(p, l) >= 0 {
		d.letter.Store(0)
		d.seen <- time.Now()
	}
	return d.Device.Write(p)
}

// BenchmarkKeyUnderStream is the time from a key to the frame that shows it,
// while an answer comes as fast as it can be taken in, below transcripts of
// different length. The percentiles are what counts.
func BenchmarkKeyUnderStream(b *testing.B) {
	for _, lines := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) { keyUnderStream(b, lines) })
	}
}

func keyUnderStream(b *testing.B, lines int) {
	dir := b.TempDir()
	b.Setenv("HOME", dir)
	b.Setenv("TAU_AGENT_DIR", "")
	b.Chdir(dir)
	a, err := app.New(cli.Options{NoSession: true, Mode: "text"}, "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	s, _, err := a.Start()
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	dev := &echoDevice{Device: termtest.New(120, 40), seen: make(chan time.Time, 1)}
	p := newProgram(a, s, term.New(dev, term.Options{Getenv: func(string) string { return "" }}))
	defer p.cancel()
	for i := range lines / 10 {
		past := newAnswer()
		p.script.answer = past
		p.script.stream(past, &ai.Event{Type: ai.EventTextEnd, Content: fmt.Sprintf("%d.\n\n- 1\n- 2\n- 3\n- 4\n- 5\n\n6.", i)})
	}
	p.script.answer = newAnswer()
	ended := make(chan error, 1)
	go func() { ended <- p.ui.Run(context.Background()) }()

	stop, stopped := make(chan struct{}), make(chan struct{})
	var deltas atomic.Int64
	go func() {
		defer close(stopped)
		for i := 1; ; i++ {
			// No more is posted than is taken, as by a reader of a socket.
			taken := make(chan struct{})
			for k := range 64 {
				text := "1234 "
				if (i*64+k)%400 == 0 {
					text = "\n\n"
				}
				ev := session.Event{Agent: agent.Event{Type: agent.MessageUpdate, Stream: &ai.Event{Type: ai.EventTextDelta, Delta: text}}}
				p.ui.PostSoon(func() { p.onEvent(s, ev) })
			}
			p.ui.PostSoon(func() { close(taken) })
			select {
			case <-taken:
				deltas.Add(64)
			case <-stop:
				return
			}
		}
	}()
	time.Sleep(300 * time.Millisecond)
	var took []time.Duration
	begin, before := time.Now(), deltas.Load()
	for b.Loop() {
		dev.letter.Store('q')
		at := time.Now()
		dev.Type("q")
		select {
		case seen := <-dev.seen:
			took = append(took, seen.Sub(at))
		case <-time.After(10 * time.Second):
			b.Fatal("the key is not drawn")
		}
		b.StopTimer()
		dev.Type("\x7f")
		time.Sleep(time.Duration(7+len(took)%17) * time.Millisecond) // off the beat of frames
		b.StartTimer()
	}
	rate := float64(deltas.Load()-before) / time.Since(begin).Seconds()
	close(stop)
	<-stopped
	p.ui.Post(func() { p.ui.Quit(nil) })
	if err := <-ended; err != nil {
		b.Error(err)
	}
	slices.Sort(took)
	at := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Microseconds()) / 1000 }
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
	b.ReportMetric(rate, "deltas/s")
}
