package interactive

import (
	"context"
	"time"

	"tau/components/chat"
	"tau/session/extension"
)

// rewrites has extensions rewrite messages for the screen, one at a time and off
// its goroutine.
type rewrites struct {
	from  *extension.Runner
	by    map[string]int // see chat.Look.Rewriting
	last  int            // the highest number given out
	seen  map[string]int // what from said
	queue []rewriteJob
	busy  bool // extensions are asked
	rests bool // texts that are still coming wait
}

type rewriteJob struct {
	from *extension.Runner
	ask  chat.Rewrite
	done func(string)
}

// rewritable are the kinds of messages that extensions can rewrite.
func rewritable() []string {
	return []string{"user", "assistant", "assistant-thinking", "custom", "summary"}
}

// refreshRewrites finds out which messages are rewritten from now on.
func (p *program) refreshRewrites() {
	w := &p.rewrites
	run := p.app.Runner(p.session)
	seen, changed := map[string]int{}, run != w.from
	for _, kind := range rewritable() {
		if n := run.Transformers(kind); n > 0 {
			seen[kind] = n
		}
		changed = changed || seen[kind] != w.seen[kind]
	}
	if !changed || len(seen) == 0 && len(w.seen) == 0 {
		w.from = run
		return
	}
	w.from, w.seen, w.by = run, seen, map[string]int{}
	w.last++
	for kind := range seen {
		w.by[kind] = w.last
	}
	p.list.Invalidate()
	p.ui.RequestRender()
}

// rewrite asks extensions for another form of a message.
func (p *program) rewrite(ask chat.Rewrite, done func(string)) {
	w := &p.rewrites
	w.queue = append(w.queue, rewriteJob{w.from, ask, done})
	if !w.busy && !(w.rests && ask.Streaming) {
		p.startRewrites()
	}
}

// restOf is how long no text is rewritten that is still coming, after one of n
// bytes was, which took so long: rewriting costs what the whole text is long, and
// must not become most of what is done while a long answer comes.
func restOf(took time.Duration, n int) time.Duration {
	return min(4*took+time.Duration(n)*time.Microsecond, 500*time.Millisecond)
}

func (p *program) startRewrites() {
	w := &p.rewrites
	jobs := w.queue
	w.queue, w.busy = nil, len(jobs) > 0
	if len(jobs) == 0 {
		return
	}
	go func() {
		var rest time.Duration
		for _, j := range jobs {
			began := time.Now()
			out := j.from.Transform(context.Background(), j.ask.Text, extension.Shown{
				Kind: j.ask.Kind, Streaming: j.ask.Streaming, Width: j.ask.Width, ID: j.ask.ID, Time: j.ask.Time,
			})
			if j.ask.Streaming {
				rest = max(rest, restOf(time.Since(began), len(j.ask.Text)))
			}
			p.ui.PostSoon(func() {
				j.done(out)
				p.ui.RequestRender()
			})
		}
		p.ui.PostSoon(func() { p.restRewrites(rest) })
	}()
}

// restRewrites goes on, but with texts that are still coming only after a rest.
func (p *program) restRewrites(rest time.Duration) {
	w := &p.rewrites
	w.busy = false
	for _, j := range w.queue {
		if !j.ask.Streaming {
			rest = 0 // what is complete does not wait
		}
	}
	if rest == 0 {
		p.startRewrites()
		return
	}
	w.rests = true
	p.ui.After(rest, func() {
		w.rests = false
		if !w.busy {
			p.startRewrites()
		}
	})
}
