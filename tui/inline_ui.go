package tui

import (
	"time"
)

// inlineFrame composes a frame on the main screen.
func (u *UI) inlineFrame(extra string, everything bool) [][]byte {
	r := u.draws.inline
	r.clips = !u.term.Reflows()
	if r.grace = 50 * time.Millisecond; u.term.Multiplexed() {
		r.grace = 400 * time.Millisecond
	}
	r.begin(u.root, u.w, u.h)
	clear(r.leaves)
	all := r.collect(nil, u.root, u.w)
	os := u.sortedOverlays()
	overlay := func(rows []string, off int) []string {
		// Leaves were counted in all lines; they are the last ones shown.
		above := off + len(all) - len(rows)
		for c, at := range r.leaves {
			at.y -= above
			r.leaves[c] = at
		}
		if len(os) == 0 || everything {
			return rows
		}
		return u.overlayInline(rows, off, os)
	}
	frames := r.frame(all, u.w, u.h, extra, overlay, everything)
	u.term.SetCursorHidden(!r.visible)
	return frames
}

// overlayInline draws overlays over the rows of the window that stay on the
// screen, which are those from off on. The window grows if an overlay needs
// more rows.
func (u *UI) overlayInline(rows []string, off int, os []*Overlay) []string {
	need := 0
	for _, o := range os {
		_, _, width, maxHeight := o.place(u.w, u.h, 0)
		lines, _ := renderArea(o.c, width, maxHeight)
		height := min(len(lines), maxHeight)
		need = max(need, height+max(0, o.opt.Margin.Top)+max(0, o.opt.Margin.Bottom))
		if o.opt.Above != nil {
			if _, y, _, h, ok := u.Bounds(o.opt.Above); ok && height > y {
				need = max(need, y+h+height)
			}
		}
	}
	for len(rows)-off < min(need, u.h) {
		rows = append(rows, "")
	}
	keep := rows[off:]
	u.drawOverlays(keep, u.w, len(keep))
	return rows
}

// SetInline switches between the main screen (true) and the alternate screen
// while the program runs.
func (u *UI) SetInline(inline bool) {
	d := &u.draws
	if inline == (d.inline != nil) {
		return
	}
	u.opt.Inline = inline
	if !inline {
		if u.running {
			u.parked = d.inline
			u.term.Leave(d.inline.leave())
		}
		d.inline = nil
	} else {
		u.CloseSearch()
		u.clearPictures()
		if d.inline = u.parked; d.inline == nil {
			d.inline = newInline(u.opt.FakeCursor)
		}
		d.inline.restart()
		d.inline.paint.pics = u.opt.Pictures
	}
	u.opt.Pictures.setInline(inline)
	if u.running {
		if err := u.term.Switch(u.screenMode()); err != nil {
			u.Quit(err)
		}
	}
	d.screen.reset()
	d.dirty, d.now = true, true
}
