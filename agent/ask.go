package agent

import (
	"cmp"
	"context"
	"errors"
	"time"

	"tau/ai"
)

const abortedText = "Operation aborted"

// ask makes one request and streams the answer into events. The answer is
// appended to the transcript, also when it failed.
func (l *loop) ask(ctx context.Context) *ai.AssistantMessage {
	began := time.Now()
	started := false
	var partial *ai.AssistantMessage
	final, err := l.stream(ctx, func(ev ai.Event) {
		if ev.Partial != nil {
			partial = ev.Partial
		}
		if !started && partial != nil {
			started = true
			l.emit(Event{Type: MessageStart, Message: partial})
		}
		if ev.Type != ai.EventStart && ev.Partial != nil {
			l.emit(Event{Type: MessageUpdate, Message: ev.Partial, Stream: &ev})
		}
	})
	if final == nil {
		final = l.failed(ctx, err)
		if partial != nil {
			// What had arrived is kept, whatever broke.
			kept := *partial
			kept.StopReason, kept.ErrorMessage, kept.Failure = final.StopReason, final.ErrorMessage, final.Failure
			final = &kept
		}
	}
	if final.Timestamp == 0 || final.DurationMs == 0 || final.ThinkingLevel == "" {
		// Who reads the conversation can rely on these, also where a request came
		// to nothing.
		stamped := *final
		stamped.Timestamp = cmp.Or(stamped.Timestamp, l.cfg.now().UnixMilli())
		stamped.DurationMs = cmp.Or(stamped.DurationMs, max(1, time.Since(began).Milliseconds()))
		stamped.ThinkingLevel = cmp.Or(stamped.ThinkingLevel, l.cfg.Thinking)
		final = &stamped
	}
	if !started {
		l.emit(Event{Type: MessageStart, Message: final})
	}
	l.emit(Event{Type: MessageEnd, Message: final})
	l.keep(final)
	return final
}

// stream prepares the request, runs it, and returns the final message, or nil
// and the reason there is none.
func (l *loop) stream(ctx context.Context, each func(ai.Event)) (final *ai.AssistantMessage, err error) {
	defer recovered(&err, "ask model")
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	msgs := l.context.Messages
	if l.cfg.TransformContext != nil {
		if msgs, err = l.cfg.TransformContext(ctx, msgs); err != nil {
			return nil, err
		}
	}
	convert := l.cfg.ConvertToLLM
	if convert == nil {
		convert = KeepLLM
	}
	req := ai.Request{System: l.context.System, Messages: convert(msgs)}
	for _, t := range l.context.Tools {
		req.Tools = append(req.Tools, t.Def())
	}
	opts := l.cfg.Options
	opts.Thinking = l.cfg.Thinking
	if l.cfg.APIKey != nil {
		auth, err := l.cfg.APIKey(ctx, l.cfg.Model)
		if err != nil {
			return nil, err
		}
		opts = auth.Apply(opts)
	}
	// A block that is closed only because the answer broke off has no end: its end
	// is held back until the next event shows which it was.
	var held *ai.Event
	ids := callIDs{context: l.context.Messages}
	for ev := range l.cfg.Stream(ctx, l.cfg.Model, req, opts) {
		ev = ids.event(ev)
		if held != nil && ev.Type != ai.EventError {
			each(*held)
		}
		held = nil
		switch ev.Type {
		case ai.EventDone, ai.EventError:
			return ev.Message, nil
		case ai.EventTextEnd, ai.EventThinkingEnd, ai.EventToolCallEnd:
			held = &ev
		default:
			each(ev)
		}
	}
	return nil, errors.New("the stream ended without a final event")
}
