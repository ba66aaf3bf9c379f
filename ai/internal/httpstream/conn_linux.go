package httpstream

import (
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// gatherMark is how many bytes have to come before the kernel tells of them
// while pieces gather; the buffer of a socket holds a multiple.
const gatherMark = 64 << 10

// conn is a connection that does not wake anybody for each piece that comes
// while pieces gather: SO_RCVLOWAT (socket(7)) is high, which poll and epoll
// honour for TCP. The end of the connection and its errors are told at once all
// the same.
type conn struct {
	*net.TCPConn
	raw  syscall.RawConn
	high atomic.Bool // the mark is
	mu   sync.Mutex  // for changes of the mark, so that high never lies for long
}

func newConn(c net.Conn) net.Conn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return c
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return c
	}
	return &conn{TCPConn: tcp, raw: raw}
}

// gather has what comes from now on wait for the next Read, or for release if a
// Read waits already.
func (c *conn) gather() {
	c.mark(true)
}

// release has a Read that waits get what there is.
func (c *conn) release() {
	c.mark(false)
}

func (c *conn) mark(high bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.high.Swap(high) == high {
		return
	}
	n := 1
	if high {
		n = gatherMark
	}
	_ = c.raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, n)
	})
}

// Read implements net.Conn. Whoever finds nothing is to be told of the next byte.
func (c *conn) Read(p []byte) (int, error) {
	if len(p) > 0 && c.high.Load() {
		if n := c.ready(p); n > 0 {
			return n, nil
		}
		c.mark(false)
	}
	return c.TCPConn.Read(p) // which also says what has ended it
}

// ready reads what there is.
func (c *conn) ready(p []byte) (n int) {
	err := c.raw.Read(func(fd uintptr) bool {
		for {
			var err error
			if n, err = syscall.Read(int(fd), p); err != syscall.EINTR {
				return true
			}
		}
	})
	if err != nil {
		return 0
	}
	return n
}
