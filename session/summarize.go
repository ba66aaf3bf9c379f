package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tau/ai"
	"tau/session/compaction"
	"tau/session/store"
)

// Sources of summary requests.
const (
	sourceCompaction = "compaction"
	sourceBranch     = "branchSummary"
)

var errSummaryCut = errors.New("the summary ended at the output limit")

// summarizers returns who can be asked for a summary, in order: the model set
// for it, if there is one, then the model of the conversation.
func (s *Session) summarizers(source, focus string) []*compaction.Summarizer {
	s.mu.Lock()
	models := []*ai.Model{s.model}
	thinking := s.thinking
	s.mu.Unlock()
	if m := s.opts.SummaryModel; m != nil && m.Ref() != models[0].Ref() {
		models = []*ai.Model{m, models[0]}
	}
	path := ""
	if s.store.Saved() {
		path = s.store.Path()
	}
	var out []*compaction.Summarizer
	for _, m := range models {
		out = append(out, &compaction.Summarizer{
			Ask: func(ctx context.Context, system, user string) (string, ai.Usage, error) {
				return s.askSummary(ctx, m, thinking, source, system, user)
			},
			Limits: s.opts.Compaction.For(m), Focus: focus, Path: path,
		})
	}
	return out
}

// askSummary makes one request for a summary, and repeats it as the retry
// policy says.
func (s *Session) askSummary(ctx context.Context, m *ai.Model, thinking ai.ThinkingLevel, source, system, user string) (string, ai.Usage, error) {
	var spent ai.Usage
	for attempt := 0; ; attempt++ {
		msg, err := s.requestSummary(ctx, m, thinking, system, user)
		if msg != nil {
			spent = spent.Add(msg.Usage)
		}
		if err == nil {
			if attempt > 0 {
				s.emit(Event{Type: SummaryRetryEnd, Retry: Retry{Attempt: attempt, Max: s.opts.Retry.Max, Success: true}, Source: source})
			}
			return strings.TrimSpace(ai.ContentText(msg.Content)), spent, nil
		}
		var f *ai.Failure
		again := ctx.Err() == nil && s.retries() > attempt && errors.As(err, &f) && f.Class == ai.FailRetry
		var delay time.Duration
		if again {
			var tooLong error
			if delay, tooLong = s.opts.Retry.delay(attempt+1, f.RetryAfter); tooLong != nil {
				err, again = fmt.Errorf("%w: %w", tooLong, err), false
			}
		}
		if !again {
			if attempt > 0 {
				s.emit(Event{Type: SummaryRetryEnd, Retry: Retry{Attempt: attempt, Max: s.opts.Retry.Max, Final: err.Error()}, Source: source})
			}
			return "", spent, err
		}
		r := Retry{Attempt: attempt + 1, Max: s.opts.Retry.Max, Delay: delay, Reason: err.Error()}
		s.emit(Event{Type: SummaryRetryScheduled, Retry: r, Source: source})
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			continue // the request will say that it was cancelled
		}
		s.emit(Event{Type: SummaryRetryStart, Retry: r, Source: source})
	}
}

// requestSummary makes one request. An answer that is no whole summary is an
// error.
func (s *Session) requestSummary(ctx context.Context, m *ai.Model, thinking ai.ThinkingLevel, system, user string) (*ai.AssistantMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := s.opts.Request
	o.SessionID, o.Cache = store.NewSessionID(), ai.CacheNone
	o.Thinking, o.MaxTokens = m.ClampThinking(thinking), 0
	if s.opts.APIKey != nil {
		auth, err := s.opts.APIKey(ctx, m)
		if err != nil {
			return nil, err
		}
		o = auth.Apply(o)
	}
	req := ai.Request{System: system, Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks(user), Timestamp: time.Now().UnixMilli()}}}
	var msg *ai.AssistantMessage
	for ev := range s.opts.Stream(ctx, m, req, o) {
		if ev.Final() {
			msg = ev.Message
		}
	}
	switch {
	case ctx.Err() != nil:
		return msg, ctx.Err()
	case msg == nil:
		return nil, errors.New("the stream ended without a final event")
	case msg.Failure != nil:
		return msg, msg.Failure
	case msg.StopReason == ai.StopError || msg.StopReason == ai.StopAborted:
		return msg, errors.New(msg.ErrorMessage)
	case msg.StopReason == ai.StopLength:
		return msg, errSummaryCut
	case len(msg.ToolCalls()) > 0:
		return msg, errors.New("the model called a tool instead of writing the summary")
	case strings.TrimSpace(ai.ContentText(msg.Content)) == "":
		return msg, errors.New("the summary is empty")
	}
	return msg, nil
}
