//go:build !linux

package httpstream

import "net"

func newConn(c net.Conn) net.Conn { return c }
