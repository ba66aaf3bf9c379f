// Package headless answers without a screen: the text of the last answer, or
// everything that happens as JSON lines.
//
// [Run.Do] sends the prompts one after another and returns the exit status: 0
// if there was an answer, 1 if there was none, 128+n if signal n ended it. In
// JSON mode a failed answer is part of the output and not of the status, so
// that a parent reads one and the same thing.
package headless

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"tau/ai"
	"tau/cmd/tau/internal/wire"
	"tau/session"
)

// Run is one invocation.
type Run struct {
	Session   *session.Session
	Prompts   [][]ai.Block
	Out, Errs io.Writer
	// JSON writes the session's header and its events in place of the answer.
	JSON bool
	// Intercept may change a prompt, or deal with it, before it is sent; nil leaves
	// all as they are.
	Intercept func(ctx context.Context, content []ai.Block) (out []ai.Block, handled bool)
	// Schema is what the last answer has to fit, if set.
	Schema *Schema
}

// abortWait is how long an aborted run may take to end in good order.
const abortWait = 3 * time.Second

// Do runs the prompts. A second signal does not wait for good order.
func (r Run) Do() int {
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(stop)
	s := r.Session
	defer s.Subscribe(r.note)()

	var broken <-chan struct{}
	finish := func() {}
	if r.JSON {
		// Writing to a pipe that nobody reads is an error, not the end.
		signal.Ignore(syscall.SIGPIPE)
		out := wire.NewOutput(r.Out)
		out.Record(s.Store().Header())
		unwatch := s.Watch(out.Event)
		s.Throttle(out.Wait)
		broken = out.Broken()
		finish = func() {
			unwatch()
			s.Throttle(nil)
			ctx, cancel := context.WithTimeout(context.Background(), abortWait)
			defer cancel()
			_ = out.Close(ctx) // there is nobody to tell
		}
	}
	status := r.all(stop, broken)
	finish()
	return status
}

// all sends the prompts and writes the answer.
func (r Run) all(stop <-chan os.Signal, broken <-chan struct{}) int {
	prompts := r.Prompts
	if r.Schema != nil && len(prompts) > 0 {
		last := len(prompts) - 1
		prompts = append(prompts[:last:last], r.Schema.ask(prompts[last]))
	}
	for _, p := range prompts {
		status, handled := r.send(p, stop, broken)
		if status != 0 {
			return status
		}
		if handled && r.Session.Last() == nil {
			continue
		}
		if status := r.report(); status != 0 {
			if r.JSON {
				continue // further prompts may still be answered
			}
			// What there is of the answer is still worth printing.
			r.write(answer(r.Session.Last()))
			return status
		}
	}
	if r.Schema != nil {
		return r.structured(stop, broken)
	}
	if !r.JSON && !r.write(answer(r.Session.Last())) {
		return 1
	}
	return 0
}

// structured checks the last answer and has it repeated once.
func (r Run) structured(stop <-chan os.Signal, broken <-chan struct{}) int {
	value, err := r.Schema.check(answer(r.Session.Last()))
	if err != nil {
		fmt.Fprintln(r.Errs, "tau: the answer does not fit the schema, asking once more:", err)
		if status, _ := r.send(r.Schema.again(err), stop, broken); status != 0 {
			return status
		}
		if status := r.report(); status != 0 {
			return status
		}
		if value, err = r.Schema.check(answer(r.Session.Last())); err != nil {
			fmt.Fprintln(r.Errs, "tau: the answer does not fit the schema:", err)
			return 1
		}
	}
	if !r.JSON && !r.write(value) {
		return 1
	}
	return 0
}

// send runs one prompt to its end. The status is not 0 if there is no going on.
func (r Run) send(p []ai.Block, stop <-chan os.Signal, broken <-chan struct{}) (status int, handled bool) {
	s := r.Session
	if r.Intercept != nil {
		ctx, cancel := context.WithCancel(context.Background())
		over := make(chan struct{})
		go func() {
			defer close(over)
			p, handled = r.Intercept(ctx, p)
		}()
		select {
		case <-over:
			cancel()
		case sig := <-stop:
			cancel()
			return 128 + int(sig.(syscall.Signal)), false
		}
		if handled {
			// A command may have begun a run.
			_ = s.Wait(context.Background())
			return 0, true
		}
	}
	if _, err := s.Send(p, session.Steer); err != nil {
		fmt.Fprintln(r.Errs, "tau:", err)
		return 1, false
	}
	done := make(chan struct{})
	go func() {
		_ = s.Wait(context.Background())
		close(done)
	}()
	status = 1
	select {
	case <-done:
		return 0, false
	case <-broken:
	case sig := <-stop:
		status = 128 + int(sig.(syscall.Signal))
	}
	s.Abort()
	select {
	case <-done:
	case <-stop:
	case <-time.After(abortWait):
	}
	return status, false
}

// note says what a person should know who sees only the answer.
func (r Run) note(ev session.Event) {
	switch ev.Type {
	case session.RetryStart:
		if !r.JSON {
			fmt.Fprintf(r.Errs, "tau: %s; trying again in %v (%d of %d)\n", ev.Retry.Reason, ev.Retry.Delay.Round(time.Second/10), ev.Retry.Attempt, ev.Retry.Max)
		}
	case session.SaveFailed:
		fmt.Fprintf(r.Errs, "tau: the session is not saved: %v\n", ev.Err)
	}
}

// report says on stderr what was wrong with the answer.
func (r Run) report() int {
	why, status := "", 1
	switch m := r.Session.Last(); {
	case m == nil:
		why = "there was no answer"
	case m.StopReason == ai.StopError:
		why = m.ErrorMessage
	case m.StopReason == ai.StopAborted:
		why = "aborted"
	case m.StopReason == ai.StopLength:
		why = "the answer was cut at the model's output limit"
		if m.Usage.Output < r.Session.Model().MaxTokens {
			// The provider stopped before the model's own limit; what there is counts
			// as an answer, as it does for pi.
			why, status = "the answer was cut short by the provider", 0
		}
	default:
		return 0
	}
	if !r.JSON {
		fmt.Fprintln(r.Errs, "tau:", why)
	}
	return status
}

func answer(m *ai.AssistantMessage) string {
	if m == nil {
		return ""
	}
	return strings.TrimRight(ai.ContentText(m.Content), "\n")
}

// write prints an answer. It is false if nobody reads any more.
func (r Run) write(text string) bool {
	if text == "" {
		return true
	}
	_, err := io.WriteString(r.Out, text+"\n")
	return err == nil
}
