package tui

import "tau/tui/graphics"

// usePictures connects the renderers with the pictures of the program.
func (u *UI) usePictures(p *Pictures) {
	u.draws.screen.paint.pics = p
	if u.draws.inline != nil {
		u.draws.inline.paint.pics = p
	}
	if p == nil {
		return
	}
	p.setInline(u.opt.Inline)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = func(layout bool) {
		if layout {
			u.Post(u.Invalidate)
		} else {
			u.RequestRender()
		}
	}
}

// askCell asks how many pixels a cell has, which may have changed while another
// program had the terminal.
func (u *UI) askCell() {
	if p := u.opt.Pictures; p != nil && p.protocol != graphics.None {
		u.extra += "\x1b[16t"
	}
}

// clearPictures takes the pictures off the alternate screen before it is left:
// terminals may show them on the main screen otherwise.
func (u *UI) clearPictures() {
	if u.draws.inline != nil || u.term.Gone() {
		u.draws.screen.paint.forget()
		return
	}
	if s := u.draws.screen.paint.clear(); s != "" {
		u.term.Leave(s)
	}
	u.term.SetUploading(false)
}

// hidePictures has components render without pictures: what is printed at the
// end is text.
func (u *UI) hidePictures() {
	p := u.opt.Pictures
	if p == nil {
		return
	}
	p.mu.Lock()
	p.off = true
	p.mu.Unlock()
	p.version.Add(1)
	if u.root != nil {
		Invalidate(u.root)
	}
}
