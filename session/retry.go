package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tau/ai"
)

// RetryPolicy says how failed requests are repeated. The zero value repeats
// nothing.
type RetryPolicy struct {
	Max  int           // repetitions of one prompt
	Base time.Duration // wait before the first; doubles each time
	Cap  time.Duration // the longest wait, also of those a server asks for
	Off  bool          // nothing is repeated
}

// DefaultRetry is three repetitions after 2, 4 and 8 seconds.
func DefaultRetry() RetryPolicy {
	return RetryPolicy{Max: 3, Base: 2 * time.Second, Cap: time.Minute}
}

// delay returns the wait before repetition n, from 1.
func (p RetryPolicy) delay(n int, asked time.Duration) (time.Duration, error) {
	if asked > p.Cap {
		return 0, fmt.Errorf("the server asks to wait %v, longer than the limit of %v", asked.Round(time.Second), p.Cap)
	}
	d := p.Base << (n - 1)
	if d > p.Cap || d <= 0 {
		d = p.Cap
	}
	return max(d, asked), nil
}

var errNoRetry = errors.New("not an error that passes by itself")

// willRetry returns nil if the last answer failed in a way that is worth a
// repetition, or why it is not.
func (s *Session) willRetry() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.last
	if m == nil || m.StopReason != ai.StopError || s.aborted || s.opts.Retry.Off || failClass(m) != ai.FailRetry {
		return errNoRetry
	}
	if s.attempt >= s.opts.Retry.Max {
		return fmt.Errorf("given up after %d repetitions", s.attempt)
	}
	_, err := s.opts.Retry.delay(s.attempt+1, retryAfter(m))
	return err
}

func failClass(m *ai.AssistantMessage) ai.FailClass {
	if m.Failure != nil {
		return m.Failure.Class
	}
	return ai.FailFatal
}

func retryAfter(m *ai.AssistantMessage) time.Duration {
	if m.Failure != nil {
		return m.Failure.RetryAfter
	}
	return 0
}

// retry waits and prepares the repetition of a failed request. It returns
// false if there is nothing to repeat. The failed answer stays in the file and
// on the screen; a context edit takes it out of what models see.
func (s *Session) retry(ctx context.Context) bool {
	why := s.willRetry()
	s.mu.Lock()
	last, lastID, attempt := s.last, s.lastID, s.attempt
	s.mu.Unlock()
	if why != nil {
		if attempt > 0 || !errors.Is(why, errNoRetry) {
			s.endRetry(last, attempt, why)
		}
		return false
	}
	attempt++
	delay, _ := s.opts.Retry.delay(attempt, retryAfter(last))
	cancelled := make(chan struct{})
	s.mu.Lock()
	s.attempt, s.waiting = attempt, cancelled
	s.mu.Unlock()
	s.emit(Event{Type: RetryStart, Retry: Retry{Attempt: attempt, Max: s.opts.Retry.Max, Delay: delay, Reason: last.ErrorMessage}})
	s.omit(last, lastID)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-cancelled:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		return false // AbortRetry has said so
	}
	if ctx.Err() != nil {
		s.cancelRetryLocked()
		return false
	}
	s.waiting = nil
	return true
}

// AbortRetry gives up the repetition that is being waited for, and with it the
// run. done, if set, is called before anything follows from that, under the
// session's lock: it must neither block nor call the session.
func (s *Session) AbortRetry(done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting != nil {
		s.cancelRetryLocked()
	}
	if done != nil {
		done()
	}
}

func (s *Session) cancelRetryLocked() {
	close(s.waiting)
	s.waiting = nil
	s.emitLocked(Event{Type: RetryEnd, Retry: Retry{Attempt: s.attempt, Max: s.opts.Retry.Max, Final: "cancelled"}})
	s.attempt = 0
}

// SetAutoRetry turns the repetition of failed requests on or off.
func (s *Session) SetAutoRetry(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Retry.Off = !on
}

// retries returns how often a request may be repeated.
func (s *Session) retries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opts.Retry.Off {
		return 0
	}
	return s.opts.Retry.Max
}

// endRetry reports how a series of repetitions ended and counts anew.
func (s *Session) endRetry(last *ai.AssistantMessage, attempt int, why error) {
	r := Retry{Attempt: attempt, Max: s.opts.Retry.Max}
	switch {
	case last == nil || last.StopReason == ai.StopAborted:
		r.Final = "cancelled"
	case last.StopReason != ai.StopError:
		r.Success = true
	case errors.Is(why, errNoRetry):
		r.Final = last.ErrorMessage
	default:
		r.Final = why.Error() + ": " + last.ErrorMessage
	}
	s.mu.Lock()
	s.attempt = 0
	s.mu.Unlock()
	s.emit(Event{Type: RetryEnd, Retry: r})
}
