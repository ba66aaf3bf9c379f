package httpstream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/sse"
)

// Ask sends the request, of which encodeErr tells whether its body could be
// written, and gives the body of the answer to read. What goes wrong before
// fails b.
func Ask(ctx context.Context, b *answer.Builder, r Request, encodeErr error, read func(*Body)) {
	if encodeErr != nil {
		b.Fail(&ai.Failure{Class: ai.FailFatal, Message: fmt.Sprintf("the request could not be written: %v", encodeErr)})
		return
	}
	resp, failure := Post(ctx, r)
	if failure != nil {
		b.Fail(failure)
		return
	}
	defer resp.Close()
	read(resp)
}

// Events gives each event of a body of server-sent events to take, until that
// reports the end of the answer or b is stopped. If the body ends before, it
// calls cut, with nil; if reading fails, with the failure. failure types the
// error of a read.
func Events(body io.Reader, b *answer.Builder, failure func(error) *ai.Failure, take func(sse.Event) (end bool), cut func(*ai.Failure)) {
	events := sse.NewReader(body)
	see := func([]byte) {}
	if own, ok := body.(*Body); ok && own.event != nil {
		see = own.event
	}
	for !b.Stopped() {
		ev, err := events.Next()
		switch {
		case err == nil:
			see(ev.Data)
			if take(ev) {
				return
			}
			continue
		case err == io.EOF:
			cut(nil)
		case errors.Is(err, sse.ErrTooLarge):
			cut(&ai.Failure{Class: ai.FailFatal, Message: err.Error()})
		default:
			cut(failure(err))
		}
		return
	}
}

// Truncated is the failure of an answer that ended before it was complete;
// missing says what of it has not come.
func Truncated(missing string) *ai.Failure {
	return &ai.Failure{Class: ai.FailRetry, Message: "the provider's answer ended before it was complete (" + missing + ")."}
}
