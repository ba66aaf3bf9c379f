package interactive

import (
	"context"

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
	busy  bool
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
	p.rewrites.queue = append(p.rewrites.queue, rewriteJob{p.rewrites.from, ask, done})
	if !p.rewrites.busy {
		p.startRewrites()
	}
}

func (p *program) startRewrites() {
	jobs := p.rewrites.queue
	p.rewrites.queue, p.rewrites.busy = nil, len(jobs) > 0
	if len(jobs) == 0 {
		return
	}
	go func() {
		for _, j := range jobs {
			out := j.from.Transform(context.Background(), j.ask.Text, extension.Shown{
				Kind: j.ask.Kind, Streaming: j.ask.Streaming, Width: j.ask.Width, ID: j.ask.ID, Time: j.ask.Time,
			})
			p.ui.PostSoon(func() {
				j.done(out)
				p.ui.RequestRender()
			})
		}
		p.ui.PostSoon(p.startRewrites)
	}()
}
