package httpstream

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Whatever comes over a connection that gathers is read, when it comes and to
// its end, with and without TLS and HTTP/2, by the same connection again and
// again.
func TestGatheringConnection(t *testing.T) {
	for _, tt := range []struct {
		secure bool
		proto  int
		cut    string // how a cut body ends
	}{{false, 1, "unexpected EOF"}, {true, 1, "unexpected EOF"}, {true, 2, "stream error: stream ID 5; INTERNAL_ERROR; received from peer"}} {
		next := make(chan struct{})
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for i := range 5 {
				fmt.Fprintf(w, "%d%s\n", i, strings.Repeat("x", i*1000))
				if i > 2 {
					// More than the mark, and less.
					fmt.Fprintf(w, "%s\n", strings.Repeat("y", i*gatherMark))
				}
				w.(http.Flusher).Flush()
				<-next
			}
			if r.URL.Path == "/cut" {
				panic(http.ErrAbortHandler)
			}
		}))
		srv.EnableHTTP2 = tt.proto == 2
		if tt.secure {
			srv.StartTLS()
		} else {
			srv.Start()
		}
		t.Cleanup(srv.Close)
		client := *shared()
		transport := client.Transport.(*http.Transport).Clone()
		transport.TLSClientConfig = srv.Client().Transport.(*http.Transport).TLSClientConfig
		transport.ForceAttemptHTTP2 = tt.proto == 2
		client.Transport = transport
		t.Cleanup(transport.CloseIdleConnections)
		for _, path := range []string{"/whole", "/whole", "/cut"} {
			b := &Body{}
			req, err := http.NewRequestWithContext(b.traced(t.Context()), http.MethodPost, srv.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if b.from == nil || resp.ProtoMajor != tt.proto {
				t.Fatalf("the connection, of %s, gathers by %v", resp.Proto, b.from)
			}
			p := make([]byte, 8)
			for i := range 5 {
				b.from.gather()
				want := fmt.Sprintf("%d%s\n", i, strings.Repeat("x", i*1000))
				if i > 2 {
					want += strings.Repeat("y", i*gatherMark) + "\n"
				}
				if tt.proto > 1 {
					b.from.release()
				}
				got := ""
				for len(got) < len(want) {
					n, err := resp.Body.Read(p)
					got += string(p[:n])
					if err != nil {
						t.Fatalf("%s: after %d bytes: %v", path, len(got), err)
					}
					if len(p) < 1<<20 {
						p = make([]byte, 2*len(p))
					}
				}
				if got != want {
					t.Errorf("%s: piece %d is wrong", path, i)
				}
				b.from.gather()
				next <- struct{}{}
			}
			b.from.gather()
			if tt.proto > 1 {
				b.from.release()
			}
			n, err := resp.Body.Read(p)
			if want := map[string]string{"/whole": "EOF", "/cut": tt.cut}[path]; n != 0 || err == nil || err.Error() != want {
				t.Errorf("%s ends with %d bytes, %v", path, n, err)
			}
			resp.Body.Close()
		}
	}
}

// A body that has ended lets go of its connection, which the next request gets,
// even if somebody reads on.
func TestEndedBodyGathersNothing(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 2 * beforePaced {
			fmt.Fprint(w, "data: piece\n\n")
			w.(http.Flusher).Flush()
		}
	}))
	defer srv.Close()
	for range 3 {
		b, f := Post(t.Context(), Request{URL: srv.URL})
		if f != nil {
			t.Fatal(f)
		}
		b.pace.streak = beforePaced
		if _, err := io.Copy(io.Discard, b); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			b.pace.streak = beforePaced
			if n, err := b.Read(make([]byte, 10)); n != 0 || err != io.EOF {
				t.Errorf("after the end: %d, %v", n, err)
			}
		}
		b.Close()
	}
}

// However gathering and reading come together, the mark is what it is said to be.
func TestMarkIsTold(t *testing.T) {
	here, there := net.Pipe()
	if newConn(here) != here {
		t.Error("a connection without a socket gathers")
	}
	here.Close()
	there.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	dialed, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	peer := <-accepted
	c := newConn(dialed).(*conn)
	var reads sync.WaitGroup
	reads.Go(func() { _, _ = io.Copy(io.Discard, c) })
	for range 2000 {
		c.gather()
		if _, err := peer.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		c.release()
	}
	c.mu.Lock()
	mark := 0
	_ = c.raw.Control(func(fd uintptr) {
		mark, _ = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT)
	})
	if c.high.Load() || mark != 1 {
		t.Errorf("the mark is %d, high %v", mark, c.high.Load())
	}
	c.mu.Unlock()
	peer.Close()
	reads.Wait()
	c.Close()
}
