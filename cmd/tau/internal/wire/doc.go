// Package wire writes what happens in a session as JSON lines, the form that
// pi's JSON and RPC modes have.
//
//	out := wire.NewOutput(os.Stdout)
//	defer out.Close()
//	stop := s.Watch(out.Event)
//	s.Throttle(out.Wait)
//
// Each record is an object on a line of its own, ended by LF. [Encode] says
// which events there are and what they hold.
//
// An [Output] keeps the order in which it was given records, whoever gave them,
// and writes on a goroutine of its own. It does not block, but Wait does while
// many records are pending: whoever makes records calls it first, so that a
// reader who does not keep up slows the agent and does not fill the memory. When
// nobody reads any more, Broken is closed and records are dropped.
package wire
