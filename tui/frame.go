package tui

import (
	"errors"
	"time"

	"tau/tui/term"
)

// frameTime is when the next frame may be drawn.
func (u *UI) frameTime() time.Time {
	d := &u.draws
	if !d.waitUntil.IsZero() {
		return d.waitUntil
	}
	if d.now && !d.last.IsZero() && d.slow == 0 {
		return d.last // at once
	}
	if d.last.IsZero() {
		return u.started
	}
	if d.more {
		return d.last.Add(frameInterval) // each piece of a picture is small
	}
	return d.last.Add(max(frameInterval, d.slow))
}

// draw draws a frame if one is wanted and due. While a frame is being written
// nothing is composed: the next one shows the latest state.
func (u *UI) draw(now time.Time) {
	d := &u.draws
	if !d.dirty || u.term.Busy() {
		return
	}
	if !d.waitUntil.IsZero() && (!d.held && u.term.Fenced() || !now.Before(d.waitUntil)) {
		d.waitUntil, d.held = time.Time{}, false
	}
	if now.Before(u.frameTime()) {
		return
	}
	if d.inline != nil {
		// On the main screen a frame for another size does harm.
		if u.resized(); now.Before(u.frameTime()) {
			return
		}
	}
	d.dirty, d.now, d.last = false, false, now
	extra := u.extra
	u.extra = ""
	var frames [][]byte
	if d.inline != nil {
		frames = u.inlineFrame(extra, false)
	} else {
		frames = d.screen.frame(u.compose(), u.w, u.h, extra)
		u.term.SetCursorHidden(!d.screen.visible)
	}
	paint := &d.screen.paint
	if d.inline != nil {
		paint = &d.inline.paint
	}
	u.term.SetUploading(paint.moving != nil)
	if d.more = paint.more; d.more {
		d.dirty = true // the rest of a picture
	}
	defer u.tellDrawn()
	if len(frames) == 0 {
		return
	}
	d.sent = now
	u.term.Send(frames...)
}

// AfterFrame runs f on the UI goroutine when the next frame has been handed to
// the terminal: work that may take the processors from it begins then.
func (u *UI) AfterFrame(f func()) {
	u.drawn = append(u.drawn, f)
	u.draws.dirty = true
}

func (u *UI) tellDrawn() {
	list := u.drawn
	u.drawn = nil
	for _, f := range list {
		f()
	}
}

// settle takes the outcome of the last frame if there is one.
func (u *UI) settle() {
	if !u.term.Busy() {
		return
	}
	select {
	case w := <-u.term.Wrote():
		u.wrote(w)
	default:
	}
}

// wrote takes the outcome of a frame.
func (u *UI) wrote(w term.Written) {
	u.term.Done()
	switch {
	case errors.Is(w.Err, term.ErrGone):
		u.Quit(term.ErrGone)
	case w.Err != nil:
		// Nobody knows what arrived.
		u.draws.screen.reset()
		if u.draws.inline != nil {
			u.draws.inline.restart()
		}
		u.draws.dirty = true
	}
	// A slow line gets fewer frames, so that keys do not queue behind them.
	if took := w.At.Sub(u.draws.sent); took > 30*time.Millisecond {
		u.draws.slow = min(2*took, 500*time.Millisecond)
	} else {
		u.draws.slow = 0
	}
}

// compose lays out the whole screen.
func (u *UI) compose() []string {
	d := &u.draws
	d.rows = append(d.rows[:0], make([]string, u.h)...)
	if u.root != nil {
		lines, _ := renderArea(u.root, u.w, u.h)
		copy(d.rows, lines)
	}
	u.drawOverlays(d.rows, u.w, u.h)
	u.paintSelection(d.rows)
	return d.rows
}
