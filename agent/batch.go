package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"tau/ai"
)

// batch runs the tool calls of one answer.
//
// Preflight (find the tool, prepare and check the arguments, ask the
// before-hook) is done in source order, before anything runs. Execution is
// parallel unless the configuration or one of the tools says otherwise. Tool
// end events come in the order of completion, results in source order.
type batch struct {
	loop      *loop
	assistant *ai.AssistantMessage
	calls     []*ai.ToolCall
	truncated bool
}

// outcome is the state of one call.
type outcome struct {
	call    *ai.ToolCall
	tool    *Tool
	args    json.RawMessage
	result  Result
	settled bool // result is final: set by preflight or by execution
	took    time.Duration
	ran     bool
}

const (
	blockedText   = "Tool execution was blocked"
	truncatedText = "The answer was cut by the output limit, so the arguments of this call may be incomplete. It was not run. Repeat it with less text, or in several calls."
)

// run returns the results in source order and whether the model has to see
// them: it has, unless every one of them terminates.
func (b *batch) run(ctx context.Context) (results []*ai.ToolResultMessage, again bool) {
	outs := make([]*outcome, len(b.calls))
	if b.sequential() {
		for i, call := range b.calls {
			outs[i] = b.preflight(ctx, call)
			if !outs[i].settled {
				b.execute(ctx, outs[i:i+1])
			}
			results = append(results, b.record(outs[i]))
		}
	} else {
		for i, call := range b.calls {
			outs[i] = b.preflight(ctx, call)
		}
		var open []*outcome
		for _, o := range outs {
			if !o.settled {
				open = append(open, o)
			}
		}
		b.execute(ctx, open)
		for _, o := range outs {
			results = append(results, b.record(o))
		}
	}
	for _, o := range outs {
		if !o.result.Terminate {
			again = true
		}
	}
	return results, again
}

func (b *batch) sequential() bool {
	if b.loop.cfg.ToolExecution == Sequential {
		return true
	}
	for _, c := range b.calls {
		if t := b.find(c.Name); t != nil && t.Mode == Sequential {
			return true
		}
	}
	return false
}

func (b *batch) find(name string) *Tool {
	for _, t := range b.loop.context.Tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// preflight announces the call and settles it if it cannot run.
func (b *batch) preflight(ctx context.Context, call *ai.ToolCall) *outcome {
	o := &outcome{call: call}
	b.loop.emit(Event{Type: ToolExecutionStart, ToolCallID: call.ID, ToolName: call.Name, Args: call.Arguments})
	if refusal := b.check(ctx, o); refusal != nil {
		o.result, o.settled = *refusal, true
		b.end(o)
	}
	return o
}

// check returns the result of a call that must not run, or nil.
func (b *batch) check(ctx context.Context, o *outcome) (refusal *Result) {
	refuse := func(text string) *Result {
		return &Result{Content: ai.TextBlocks(text), Details: noDetails(nil), IsError: true}
	}
	defer func() {
		if p := recover(); p != nil {
			refusal = refuse(fmt.Sprintf("tool %s: panic before the call: %v", o.call.Name, p))
		}
	}()
	switch {
	case ctx.Err() != nil:
		return refuse(abortedText)
	case b.truncated:
		return refuse(truncatedText)
	case o.call.ArgumentsError != "":
		return refuse(unreadable(o.call))
	}
	if o.tool = b.find(o.call.Name); o.tool == nil {
		return refuse("Tool " + o.call.Name + " not found")
	}
	args := o.call.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	var err error
	if o.tool.Prepare != nil {
		if args, err = o.tool.Prepare(args); err != nil {
			return refuse(err.Error())
		}
	}
	if o.args, err = b.loop.schemas.validate(o.tool, args); err != nil {
		return refuse(err.Error())
	}
	if hook := b.loop.cfg.BeforeToolCall; hook != nil {
		tc := b.toolContext(o)
		tc.SetArgs = func(args json.RawMessage) { o.args = args }
		block, err := hook(ctx, tc)
		if err != nil {
			return refuse(err.Error())
		}
		if block != nil {
			text := block.Reason
			if text == "" {
				text = blockedText
			}
			r := refuse(text)
			r.Terminate = block.Terminate
			return r
		}
		if ctx.Err() != nil {
			return refuse(abortedText)
		}
	}
	return nil
}

func (b *batch) toolContext(o *outcome) ToolContext {
	return ToolContext{Assistant: b.assistant, Call: o.call, Tool: o.tool, Args: o.args, Context: b.loop.context}
}

// step is a message from a tool's goroutine to the loop's.
type step struct {
	o      *outcome
	update *Result // nil: the call is over, with result and took
	result Result
	took   time.Duration
}

// execute runs the calls side by side and emits their events on this
// goroutine. It returns when all have settled, or the grace after a
// cancellation is over.
func (b *batch) execute(ctx context.Context, open []*outcome) {
	steps := make(chan step)
	gone := make(chan struct{}) // closed when nobody reads steps any more
	defer close(gone)
	for _, o := range open {
		go b.call(ctx, o, steps, gone)
	}
	left := len(open)
	var overdue <-chan time.Time
	cancelled := ctx.Done()
	for left > 0 {
		select {
		case s := <-steps:
			if s.update != nil {
				b.loop.emit(Event{Type: ToolExecutionUpdate, ToolCallID: s.o.call.ID, ToolName: s.o.call.Name, Args: s.o.call.Arguments, Result: s.update})
				continue
			}
			s.o.result, s.o.took, s.o.ran, s.o.settled = s.result, s.took, true, true
			b.after(ctx, s.o)
			b.end(s.o)
			left--
		case <-cancelled:
			cancelled = nil
			grace := b.loop.cfg.AbortGrace
			if grace == 0 {
				grace = 2 * time.Second
			}
			timer := time.NewTimer(grace)
			defer timer.Stop()
			overdue = timer.C
		case <-overdue:
			for _, o := range open {
				if !o.settled {
					o.result = Result{Content: ai.TextBlocks(abortedText + ": the tool did not return"), IsError: true}
					o.settled = true
					b.end(o)
					left--
				}
			}
		}
	}
}

// call runs one tool on its own goroutine.
func (b *batch) call(ctx context.Context, o *outcome, steps chan<- step, gone <-chan struct{}) {
	var mu sync.Mutex // orders updates before the end
	over := false
	send := func(s step) {
		select {
		case steps <- s:
		case <-gone:
		}
	}
	update := func(r Result) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			send(step{o: o, update: &r})
		}
	}
	start := time.Now()
	result := execute(ctx, o.tool, Call{ID: o.call.ID, Name: o.call.Name, Args: o.args}, update)
	took := time.Since(start)
	mu.Lock()
	over = true
	mu.Unlock()
	send(step{o: o, result: result, took: took})
}

// execute calls the tool and turns errors and panics into error results.
func execute(ctx context.Context, t *Tool, call Call, update func(Result)) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			r = Result{Content: ai.TextBlocks(fmt.Sprintf("tool %s: panic: %v", t.Name, p)), IsError: true}
		}
	}()
	r, err := t.Execute(ctx, call, update)
	if err != nil {
		r.IsError = true
		text := err.Error()
		if ctx.Err() != nil && len(r.Content) == 0 {
			text = abortedText
		}
		r.Content = append(r.Content[:len(r.Content):len(r.Content)], &ai.Text{Text: text})
		r.Details = noDetails(r.Details)
	}
	return r
}

// noDetails gives a call that failed details, as other programs that read
// sessions expect.
func noDetails(have json.RawMessage) json.RawMessage {
	if have == nil {
		return json.RawMessage("{}")
	}
	return have
}

func (b *batch) after(ctx context.Context, o *outcome) {
	hook := b.loop.cfg.AfterToolCall
	if hook == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			o.result = Result{Content: ai.TextBlocks(fmt.Sprintf("after %s: panic: %v", o.call.Name, p)), IsError: true}
		}
	}()
	r, err := hook(ctx, b.toolContext(o), o.result)
	if err != nil {
		o.result = Result{Content: ai.TextBlocks(err.Error()), IsError: true}
	} else if r != nil {
		o.result = *r
	}
}

func (b *batch) end(o *outcome) {
	r := o.result
	b.loop.emit(Event{
		Type: ToolExecutionEnd, ToolCallID: o.call.ID, ToolName: o.call.Name, Args: o.call.Arguments,
		Result: &r, Duration: o.took, HasDuration: o.ran,
	})
}

// record adds the call's result to the transcript.
func (b *batch) record(o *outcome) *ai.ToolResultMessage {
	m := &ai.ToolResultMessage{
		ToolCallID: o.call.ID, ToolName: o.call.Name, Content: o.result.Content, Details: o.result.Details,
		Usage: o.result.Usage, IsError: o.result.IsError, Timestamp: b.loop.cfg.now().UnixMilli(),
	}
	if o.ran {
		ms := o.took.Milliseconds()
		m.DurationMs = &ms
	}
	b.loop.add(m)
	return m
}

func unreadable(call *ai.ToolCall) string {
	const most = 4000
	sent := call.ArgumentsText
	if len(sent) > most {
		sent = sent[:most] + "…"
	}
	return fmt.Sprintf("The arguments of this call are not valid JSON (%s), so it was not run. You sent:\n%s", call.ArgumentsError, sent)
}
