package tui

import (
	"math/rand/v2"
	"slices"

	"tau/tui/graphics"
)

// sent is a picture on its way to the terminal, or there.
type sent struct {
	view  *pixels
	id    uint32
	off   int // of the base64, up to here
	tries int
	used  int // the frame it was seen in last
}

func (s *sent) done() bool { return s.off > 0 && s.off >= len(s.view.encoded) }

// placement is a rectangle on the terminal.
type placement struct {
	rect
	id, place uint32
	fresh     bool
}

// painter knows which pictures a terminal has and where it shows them. One
// belongs to each renderer, since terminals keep the pictures of the main and
// of the alternate screen apart.
type painter struct {
	pics   *Pictures
	sent   map[*pixels]*sent
	moving *sent // some of it was sent, but not all
	placed []placement
	places uint32 // numbers given to placements
	frame  int
	more   bool // there is something left to send
	share  int  // of uploadShare; tests send less
}

const (
	// uploadShare is how much of a picture goes with one frame, so that
	// keys are answered meanwhile.
	uploadShare = 44 << 10
	// keepPictures and keepBytes bound what a terminal keeps of pictures that
	// are out of sight.
	keepPictures = 16
	keepBytes    = 32 << 20
)

func (p *painter) kitty() bool { return p.pics != nil && p.pics.protocol == graphics.Kitty }

// forget begins anew: nobody knows what the terminal has.
func (p *painter) forget() {
	p.sent, p.moving, p.placed, p.more = nil, nil, nil, false
}

// shows reports whether the pixels of a view can be placed.
func (p *painter) shows(v *pixels) bool {
	if p.kitty() {
		s := p.sent[v]
		return s != nil && s.done()
	}
	return v.state.Load() == viewReady
}

// upload returns writes that bring pictures to the terminal, in the order they
// are wanted: a share with each frame, but all at once what was interrupted
// before.
func (p *painter) upload(want []*pixels) (out [][]byte) {
	p.more = false
	if p.pics == nil {
		return nil
	}
	p.frame++
	for _, v := range want {
		if s := p.sent[v]; s != nil {
			s.used = p.frame
		}
	}
	full := uploadShare
	if p.share > 0 {
		full = p.share
	}
	room := full
	waiting := false
	for _, v := range want {
		if !v.ready() || !p.kitty() {
			continue
		}
		s := p.sent[v]
		if s == nil {
			if p.sent == nil {
				p.sent = map[*pixels]*sent{}
			}
			s = &sent{view: v, id: rand.Uint32()>>1 | 1, used: p.frame}
			p.sent[v] = s
		}
		if s.done() {
			continue
		}
		if p.moving != nil && p.moving != s {
			waiting = true // pieces of two must not be mixed
			continue
		}
		for !s.done() && (room > 0 || s.tries > 0) {
			share := room
			if s.tries > 0 {
				share = full
			}
			// It draws nothing, so it needs no synchronized update, in which
			// Kitty 0.26 now and then spoils large data (EBADPNG).
			var b []byte
			b, s.off = graphics.Upload(nil, s.id, v.encoded, s.off, share)
			room -= len(b)
			out = append(out, b)
		}
		if p.moving = nil; s.done() {
			continue
		}
		if s.off > 0 {
			p.moving = s
		}
		p.more = true
		return out
	}
	if p.moving != nil {
		// Nobody wants it any more, but half of it is there.
		out = append(out, append(p.abort([]byte(beginSync)), endSync...))
	}
	p.more = p.more || waiting
	return out
}

// abort appends what ends an upload in the middle. It starts again later.
func (p *painter) abort(b []byte) []byte {
	if p.moving == nil {
		return b
	}
	b = graphics.Abort(b, p.moving.id)
	p.moving.off = 0
	p.moving.tries++
	p.moving.id = rand.Uint32()>>1 | 1
	p.moving = nil
	p.more = true
	return b
}

// change compares what is shown with what is wanted. The result is the
// placements there will be, by ascending end, and those to take away. Of the
// first, all that are fresh must be drawn, and those over whose rows text is
// written: terminals may drop pictures then.
func (p *painter) change(want []rect) (will, gone []placement) {
	if len(p.placed) == 0 && len(want) == 0 {
		return nil, nil
	}
	old := slices.Clone(p.placed)
	p.placed = make([]placement, 0, len(want))
	var left []rect
	for _, r := range want {
		if !p.shows(r.view) || !p.kitty() && !r.whole() {
			continue
		}
		i := slices.IndexFunc(old, func(o placement) bool { return o.rect == r })
		if i < 0 {
			left = append(left, r)
			continue
		}
		o := old[i]
		o.fresh = false
		old = slices.Delete(old, i, i+1)
		p.placed = append(p.placed, o)
	}
	for _, r := range left {
		pl := placement{rect: r, fresh: true}
		if p.kitty() {
			pl.id = p.sent[r.view].id
		}
		if i := slices.IndexFunc(old, func(o placement) bool { return o.view == r.view && o.id == pl.id }); i >= 0 {
			pl.place = old[i].place // moves
			if p.kitty() {
				old = slices.Delete(old, i, i+1)
			}
		} else {
			p.places++
			pl.place = p.places
		}
		p.placed = append(p.placed, pl)
	}
	slices.SortStableFunc(p.placed, func(a, b placement) int { return (a.y + a.h) - (b.y + b.h) })
	return p.placed, old
}

// scrolled notes that n rows have scrolled off the window. What is there is
// not touched any more.
func (p *painter) scrolled(n int) {
	kept := p.placed[:0]
	for _, pl := range p.placed {
		if pl.y -= n; pl.y < 0 {
			pl.row -= pl.y
			pl.h += pl.y
			pl.y = 0
		}
		if pl.h > 0 {
			kept = append(kept, pl)
		}
	}
	p.placed = kept
}

// evict appends what frees pictures that have been out of sight for long.
func (p *painter) evict(b []byte) []byte {
	total := 0
	for _, s := range p.sent {
		total += s.view.size
	}
	for len(p.sent) > keepPictures || total > keepBytes {
		var oldest *sent
		for _, s := range p.sent {
			if s.used < p.frame && s != p.moving && (oldest == nil || s.used < oldest.used) {
				oldest = s
			}
		}
		if oldest == nil {
			break
		}
		if oldest.off > 0 {
			b = graphics.Free(b, oldest.id)
		}
		total -= oldest.view.size
		delete(p.sent, oldest.view)
	}
	return b
}

// clear returns what takes all pictures away, before the screen is left.
func (p *painter) clear() string {
	if len(p.sent) == 0 {
		p.forget()
		return ""
	}
	b := p.abort([]byte(beginSync))
	for _, s := range p.sent {
		b = graphics.Free(b, s.id)
	}
	p.forget()
	return string(append(b, endSync...))
}

// stop returns what leaves the pictures where they are but ends what is half
// done.
func (p *painter) stop() string {
	s := ""
	if p.moving != nil {
		s = string(append(p.abort([]byte(beginSync)), endSync...))
	}
	p.forget()
	return s
}
