// Package demo is a model that needs no network and no key: a small planner
// that answers plain requests with the real tools, and a player of scripted
// answers for tests and recordings.
//
// [New] returns the [ai.StreamFunc] of the protocol "demo". It is to be called
// once, since the scripts it plays go on from request to request. The model
// "demo" plans; a model "script:PATH" plays the file at PATH, see [Script].
//
// The planner looks only at the last message of the user and at what has
// happened since. It understands a few kinds of English sentences (list, read,
// search, find, create, replace, run, help) and says so if asked for anything
// else. Equal conversations get equal answers.
package demo

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tau/ai"
	"tau/ai/internal/answer"
)

// API is the name of the protocol in model descriptions.
const API = "demo"

// DefaultPace is a pause between two pieces of an answer that reads like a
// fast model.
const DefaultPace = 12 * time.Millisecond

// Model returns the description of the planning model.
func Model() *ai.Model {
	return &ai.Model{
		ID: "demo", Name: "demo (offline)", API: API, Provider: "demo",
		Input: []string{"text"}, ContextWindow: 128_000, MaxTokens: 16_384,
	}
}

// New returns the protocol. pace is the pause between two pieces of an answer;
// 0 is none.
func New(pace time.Duration) ai.StreamFunc {
	var mu sync.Mutex
	scripts := make(map[string]ai.StreamFunc)
	return func(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
		path, scripted := strings.CutPrefix(model.ID, "script:")
		if !scripted {
			return func(yield func(ai.Event) bool) {
				p := newPlayer(ctx, model, &req, &opts, pace, yield)
				p.play(plan(&req))
			}
		}
		mu.Lock()
		defer mu.Unlock()
		script := scripts[path]
		if script == nil {
			var err error
			if script, err = Script(path); err != nil {
				return ai.Fail(model, &ai.Failure{Class: ai.FailFatal, Message: err.Error()})
			}
			scripts[path] = script
		}
		return script(ctx, model, req, opts)
	}
}

// turn is one answer.
type turn struct {
	delay    time.Duration // before the first piece
	thinking string
	text     string
	calls    []callPlan
	failure  *ai.Failure
	stop     ai.StopReason // "" for what fits
}

type callPlan struct {
	id, name string
	args     string // JSON
}

// player streams a turn as a model would.
type player struct {
	ctx  context.Context
	b    *answer.Builder
	pace time.Duration
	out  int // characters written
	base int // number for call ids
	in   int64
}

func newPlayer(ctx context.Context, model *ai.Model, req *ai.Request, opts *ai.Options, pace time.Duration, yield func(ai.Event) bool) *player {
	return &player{ctx: ctx, b: answer.New(model, opts, yield), pace: pace, base: len(req.Messages), in: ai.EstimateTokens(req)}
}

func (p *player) play(t turn) {
	p.b.Start()
	if !p.wait(t.delay) || !p.pieces(t.thinking, p.b.Thinking) || !p.pieces(t.text, p.b.Text) {
		p.fail(ai.Aborted())
		return
	}
	for i, c := range t.calls {
		if c.id == "" {
			c.id = "demo_" + itoa(p.base) + "_" + itoa(i+1)
		}
		p.b.ToolCall(c.id, c.name, "")
		if !p.pieces(c.args, p.b.Arguments) {
			p.fail(ai.Aborted())
			return
		}
		p.b.End()
	}
	if t.failure != nil {
		p.fail(t.failure)
		return
	}
	p.count()
	switch {
	case t.stop != "":
		p.b.Done(t.stop)
	case len(t.calls) > 0:
		p.b.Done(ai.StopToolUse)
	default:
		p.b.Done(ai.StopEnd)
	}
}

func (p *player) fail(f *ai.Failure) {
	p.count()
	p.b.Fail(f)
}

func (p *player) count() {
	p.b.Message.Usage.Input = p.in
	p.b.Message.Usage.Output = int64(p.out/4) + 1
}

// pieces streams text in pieces of a word or so. It reports false if the
// request was cancelled.
func (p *player) pieces(text string, add func(string)) bool {
	const most = 24
	for text != "" && !p.b.Stopped() {
		n := min(len(text), most)
		if at := strings.IndexAny(text[1:n], " \n"); at >= 0 {
			n = at + 1
		}
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		if !p.wait(p.pace) {
			return false
		}
		add(text[:n])
		p.out += n
		text = text[n:]
	}
	return p.ctx.Err() == nil
}

func (p *player) wait(d time.Duration) bool {
	if d <= 0 {
		return p.ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}
