package sse

import (
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func read(r io.Reader) (events []string, err error) {
	sr := NewReader(r)
	for {
		ev, err := sr.Next()
		if err != nil {
			return events, err
		}
		events = append(events, ev.Type+"|"+string(ev.Data))
	}
}

func TestEvents(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
		cut      bool
	}{
		{"lf", "event: a\ndata: 1\n\ndata: 2\n\n", []string{"a|1", "|2"}, false},
		{"crlf", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", []string{"a|1", "|2"}, false},
		{"cr", "event: a\rdata: 1\r\rdata: 2\r\r", []string{"a|1", "|2"}, false},
		{"byte order mark", "\ufeffdata: 1\n\n", []string{"|1"}, false},
		{"mark only at the start", "data: 1\n\n\ufeffdata: 2\n\n", []string{"|1"}, false},
		{"comments", ": x\n\n:\ndata: 1\n: y\n\n", []string{"|1"}, false},
		{"several data lines", "data: a\ndata:b\ndata:  c\n\n", []string{"|a\nb\n c"}, false},
		{"empty data", "data\n\ndata:\n\ndata: x\n\n", []string{"|x"}, false},
		{"kind does not leak", "event: a\n\ndata: x\n\n", []string{"|x"}, false},
		{"other fields", "id: 1\nretry: 2\ndata: x\nwhat: y\n\n", []string{"|x"}, false},
		{"no blank line at the end", "data: 1\n\ndata: 2\n", []string{"|1", "|2"}, false},
		{"no line end after whole object", `data: {"a":1}`, []string{`|{"a":1}`}, false},
		{"no line end after done", "data: [DONE]", []string{"|[DONE]"}, false},
		{"cut", "data: 1\n\ndata: {\"a\":", []string{"|1"}, true},
		{"cut in the field name", "data: 1\n\nda", []string{"|1"}, true},
		{"nothing", "", nil, false},
	} {
		for feed, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "bytes": iotest.OneByteReader(strings.NewReader(tt.in)), "eof with data": iotest.DataErrReader(strings.NewReader(tt.in))} {
			got, err := read(r)
			if !reflect.DeepEqual(got, tt.want) || errors.Is(err, io.ErrUnexpectedEOF) != tt.cut || !tt.cut && err != io.EOF {
				t.Errorf("%s, %s: got %q, %v, want %q", tt.name, feed, got, err, tt.want)
			}
		}
	}
}

func TestLargeEvent(t *testing.T) {
	big := strings.Repeat("x", 1_200_000)
	got, err := read(iotest.HalfReader(strings.NewReader("data: a\n\ndata: " + big + "\n\ndata: b\n\n")))
	if err != io.EOF || !reflect.DeepEqual(got, []string{"|a", "|" + big, "|b"}) {
		t.Errorf("got %d events, %v", len(got), err)
	}
}

func TestLimit(t *testing.T) {
	for _, in := range []string{"data: " + strings.Repeat("x", 2000), strings.Repeat("data: "+strings.Repeat("x", 500)+"\n", 4)} {
		r := NewReader(strings.NewReader(in))
		r.limit = 1000
		for range 2 {
			if _, err := r.Next(); err != ErrTooLarge {
				t.Errorf("got %v, want ErrTooLarge", err)
			}
		}
	}
}

func TestReadErrorIsKept(t *testing.T) {
	broken := errors.New("broken")
	got, err := read(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(broken)))
	if len(got) != 1 || err != broken {
		t.Errorf("got %q, %v", got, err)
	}
}

type cutReader struct {
	data string
	rng  *rand.Rand
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.data == "" {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(len(c.data), 1+c.rng.IntN(7))])
	c.data = c.data[n:]
	return n, nil
}

func FuzzCutting(f *testing.F) {
	f.Add("\ufeffevent: a\r\ndata: 1\r\n\r\ndata:2\rdata: 3\r\r: c\n\ndata: {}", uint64(1))
	f.Add("data: {\"a\":", uint64(2))
	f.Fuzz(func(t *testing.T, in string, seed uint64) {
		want, wantErr := read(strings.NewReader(in))
		for _, r := range []io.Reader{iotest.OneByteReader(strings.NewReader(in)), &cutReader{in, rand.New(rand.NewPCG(seed, 1))}} {
			got, err := read(r)
			if !reflect.DeepEqual(got, want) || errors.Is(err, io.ErrUnexpectedEOF) != errors.Is(wantErr, io.ErrUnexpectedEOF) {
				t.Fatalf("%q: got %q, %v, want %q, %v", in, got, err, want, wantErr)
			}
		}
	})
}

func BenchmarkEvents(b *testing.B) {
	in := strings.Repeat("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"word\"}}\n\n", 10_000)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		r := NewReader(strings.NewReader(in))
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
}
