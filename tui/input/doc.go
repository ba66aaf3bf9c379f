// Package input turns the bytes of a terminal into events.
//
// Feed a [Parser] with what was read, in pieces of any size; the events do not
// depend on where the pieces were cut. Keys become [key.Event], pastes one
// [Paste], mouse reports [Mouse]; what a terminal answers to queries becomes a
// typed reply ([Color], [DeviceAttributes], [KittyFlags], ...), and sequences
// nobody knows become [Unknown]. No part of a sequence ever becomes text.
//
// Some input is ambiguous until time has passed: ESC may be the Escape key or
// the start of a sequence. [Parser.Wait] says how long to wait for more, and
// [Parser.Timeout] decides. The parser itself has no clock, no goroutine and
// no locks: one goroutine owns it.
package input
