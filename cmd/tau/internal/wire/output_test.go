package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/session"
)

func TestOutputKeepsTheOrder(t *testing.T) {
	var buf bytes.Buffer
	o := NewOutput(&buf)
	want := ""
	for i := range 2000 {
		if i%2 == 0 {
			o.Record(map[string]int{"n": i})
			want += fmt.Sprintf("{\"n\":%d}\n", i)
		} else {
			o.Event(session.Event{Type: session.Settled})
			want += "{\"type\":\"agent_settled\",\"aborted\":false}\n"
		}
	}
	o.Record(func() {}) // nothing that JSON has
	if err := o.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, tail, _ := strings.Cut(buf.String(), `{"error":"encode`)
	if got != want || !strings.HasSuffix(tail, "\"type\":\"error\"}\n") {
		t.Errorf("%d bytes, want %d, then %q", len(got), len(want), tail)
	}
	o.Record("late") // is dropped
}

// slow is a reader that takes one piece whenever it is told to.
type slow struct{ take chan struct{} }

func (s slow) Write(p []byte) (int, error) {
	if _, ok := <-s.take; !ok {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestWaitBlocksWhileMuchIsPending(t *testing.T) {
	for _, ev := range []session.Event{{Type: session.Settled}, {Type: session.ShellUpdate, Delta: strings.Repeat("x", 64<<10)}} {
		synctest.Test(t, func(t *testing.T) {
			s := slow{make(chan struct{})}
			o := NewOutput(s)
			n := 0
			waited := make(chan struct{})
			go func() {
				defer close(waited)
				for n = 0; n < 5000; n++ {
					o.Wait(t.Context())
					o.Event(ev)
				}
			}()
			synctest.Wait()
			if n >= 5000 || n*len(ev.Delta) > 2<<20 || n > mostRecords {
				t.Fatalf("%d records of %d bytes were taken with nobody to read", n, len(ev.Delta))
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			o.Wait(ctx)
			if ctx.Err() == nil {
				t.Error("Wait returned with nobody to read")
			}
			for {
				select {
				case s.take <- struct{}{}:
					continue
				case <-waited:
				}
				break
			}
			go func() {
				for {
					select {
					case s.take <- struct{}{}:
					case <-o.done:
						return
					}
				}
			}()
			if err := o.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBrokenOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slow{make(chan struct{})}
		o := NewOutput(s)
		for range 3 * mostRecords {
			o.Record(1)
		}
		blocked := make(chan struct{})
		go func() {
			o.Wait(context.Background())
			close(blocked)
		}()
		synctest.Wait()
		close(s.take)
		<-o.Broken()
		<-blocked
		o.Record(2)
		if err := o.Close(t.Context()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error %v", err)
		}
	})
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slow{make(chan struct{})}
		o := NewOutput(s)
		o.Record(1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := o.Close(ctx); err == nil {
			t.Error("no error")
		}
		close(s.take)
	})
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	in := "a\r\n\n  \nb\u2028c\n" + long + "\n" + strings.Repeat("y", 400<<10) + "\nd"
	l := NewLines(strings.NewReader(in))
	l.max = 300 << 10
	for _, want := range []string{"a", "b\u2028c", long} {
		if got, err := l.Next(); err != nil || string(got) != want {
			t.Errorf("%.20q %v, want %.20q", got, err, want)
		}
	}
	if _, err := l.Next(); !errors.Is(err, ErrTooLong) {
		t.Errorf("error %v", err)
	}
	if got, err := l.Next(); err != nil || string(got) != "d" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := l.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("error %v", err)
	}
}
