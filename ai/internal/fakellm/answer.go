package fakellm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// wire writes an answer in the form of one protocol.
type wire interface {
	start()
	think(delta string, first bool)
	thought(whole string) // the end of the thoughts
	text(delta string, first bool)
	said(whole string) // the end of the text
	call(c call, last bool)
	finish()
	fail(f *failure)
}

// answer is one answer on its way.
type answer struct {
	w      http.ResponseWriter
	r      *http.Request
	proto  *protocol
	plan   *plan
	prompt *prompt
	input  int
	cached int

	wire  wire
	sent  int // deltas
	out   int // tokens
	began time.Time
}

// over is panicked with when the answer ends before its time; play recovers it.
type over struct{}

func (a *answer) play() {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(over); !ok {
				panic(v)
			}
		}
	}()
	pl := a.plan
	a.began = time.Now()
	a.pause(time.Duration(pl.wait) * time.Millisecond)
	if pl.fails != nil && pl.failAt == 0 {
		a.proto.refuse(a.w, pl.fails)
		return
	}
	if pl.silent {
		a.hang()
	}
	a.wire = a.proto.wire(a)
	a.wire.start()
	a.flush()
	for i, d := range pl.thoughts {
		a.delta()
		a.wire.think(d, i == 0)
		a.flush()
	}
	if len(pl.thoughts) > 0 {
		a.wire.thought(strings.Join(pl.thoughts, ""))
	}
	for i, d := range pl.text {
		a.delta()
		a.wire.text(d, i == 0)
		a.flush()
	}
	if len(pl.text) > 0 {
		a.wire.said(strings.Join(pl.text, ""))
	}
	for i := range pl.calls {
		c := &pl.calls[i]
		if c.args == "" {
			c.args = "{}"
		}
		c.id = a.callID(i)
		a.out += len(c.args) / 4
		a.wire.call(*c, i == len(pl.calls)-1)
		a.flush()
	}
	a.wire.finish()
	a.flush()
}

// callID is of the form that the vendor's ids have.
func (a *answer) callID(n int) string {
	count := n
	for _, t := range a.prompt.turns {
		count += len(t.calls)
	}
	switch a.proto.api {
	case "anthropic-messages":
		return fmt.Sprintf("toolu_%06d", count)
	case "bedrock-converse-stream":
		return fmt.Sprintf("tooluse_%06d", count)
	case "mistral-conversations":
		return fmt.Sprintf("m%08d", count)
	case "google-generative-ai":
		return ""
	}
	return fmt.Sprintf("call_%06d", count)
}

// delta does what is to be done before the next delta.
func (a *answer) delta() {
	pl := a.plan
	switch a.sent {
	case pl.dropAt:
		panic(http.ErrAbortHandler)
	case pl.hangAt:
		a.hang()
	}
	if pl.fails != nil && a.sent == pl.failAt {
		a.wire.fail(pl.fails)
		a.flush()
		panic(over{})
	}
	a.sent++
	a.out++
	if pl.rate > 0 {
		a.pause(time.Until(a.began.Add(time.Duration(a.sent) * time.Second / time.Duration(pl.rate))))
	}
}

func (a *answer) hang() {
	<-a.r.Context().Done()
	panic(over{})
}

func (a *answer) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.r.Context().Done():
		panic(over{})
	}
}

func (a *answer) flush() {
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

// event writes a server-sent event; name may be "".
func (a *answer) event(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if a.sent == 0 {
		a.w.Header().Set("Content-Type", "text/event-stream")
	}
	if name != "" {
		fmt.Fprintf(a.w, "event: %s\n", name)
	}
	fmt.Fprintf(a.w, "data: %s\n\n", data)
}
