package tui

import (
	"time"
)

// commit is a change of what of a node is committed. Terminals (tmux by up to a
// quarter of a second) tell of a new size late; what was painted meanwhile went
// to the wrong rows, so commits of that time are taken back when the size
// changes: better twice than never.
type commit struct {
	node   *Node
	frozen int // before
	at     time.Time
}

// resize notes a change of size; the next frame deals with it.
func (r *inlineRenderer) resize(oldW, oldH, w, h int) {
	if w != oldW {
		r.resizedW = true
	}
	if r.minH == 0 {
		r.minH = oldH
	}
	r.minH = min(r.minH, h)
}

// begin deals with a change of the size, before lines are collected: it finds
// the first row of the window again and forgets the rows, so that the frame
// erases from there and paints all of them.
//
// Terminals that get lower drop rows below the cursor and push rows above it
// into the scrollback. Terminals that get narrower wrap lines anew, so the
// window takes more rows; those that were pushed out stay behind as a stale
// copy, which is the worst that happens.
func (r *inlineRenderer) begin(root Component, w, h int) {
	width, low := r.resizedW, r.minH
	r.resizedW, r.minH = false, 0
	late := false
	if width || low > 0 {
		late = r.takeBack()
	}
	if width {
		r.anchor(root)
	}
	if len(r.rows) == 0 || !width && low == 0 {
		return
	}
	limit := max(1, min(low, h)) - 1 // so many rows can be above the cursor
	height := func(i int) int {
		if width && !r.clips && r.rows[i].width > w {
			return (r.rows[i].width + w - 1) / w
		}
		return 1
	}
	up := 0
	if width && !r.clips {
		up = min(limit, r.col/w)
	}
	lost := 0 // rows that were pushed out
	for i := r.cur - 1; i >= 0; i-- {
		if up+height(i) > limit {
			lost = i + 1
			up = limit
			break
		}
		up += height(i)
	}
	if !width && !late {
		for i, row := range r.rows[:lost] {
			// What was final is where it belongs; the rest comes again.
			n := row.node
			if r.cutsPicture(i, lost) {
				break // half a picture is none: it comes again as a whole
			}
			r.paint.left(i + 1)
			if n == nil || n.committed() || row.at != n.frozen || !n.isSettled(row.at, r.w) {
				break
			}
			n.frozen = row.at + 1
			if r.log != nil {
				r.log(row.line)
			}
		}
	}
	r.rows, r.cur, r.fresh = nil, 0, true
	r.erase, r.up = true, up
}

// forget drops commits that are old enough to be trusted.
func (r *inlineRenderer) forget(now time.Time) {
	for len(r.recent) > 0 && now.Sub(r.recent[0].at) > r.grace {
		r.recent = r.recent[1:]
	}
}

// takeBack undoes recent commits and reports whether there were any.
func (r *inlineRenderer) takeBack() bool {
	r.forget(r.now())
	if len(r.recent) == 0 {
		return false
	}
	for i := len(r.recent) - 1; i >= 0; i-- {
		if c := r.recent[i]; c.node.list != nil {
			c.node.frozen = c.frozen
			delete(r.behind, c.node.list)
		}
	}
	r.recent = nil
	return true
}
