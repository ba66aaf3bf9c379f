package tui

import (
	"time"

	"tau/tui/text"
)

// bar is the state of a scrollbar.
type bar struct {
	until    time.Time // shown by itself until then
	cancel   func()
	dragging bool
	grab     int // row of the thumb that is held
	hover    bool
}

func (b *bar) touch(ui *UI) {
	if ui == nil {
		return
	}
	b.until = time.Now().Add(time.Second)
	if b.cancel == nil {
		b.cancel = ui.After(time.Second, func() { b.expire(ui) })
	}
}

func (b *bar) expire(ui *UI) {
	b.cancel = nil
	if left := time.Until(b.until); left > 0 {
		b.cancel = ui.After(left, func() { b.expire(ui) })
		return
	}
	ui.RequestRender()
}

func (v *ScrollView) barVisible() bool {
	if v.width < 2 || v.height < 2 || v.list.tree.rows() <= v.height {
		return false
	}
	switch v.Scrollbar {
	case ScrollbarAlways:
		return true
	case ScrollbarAuto:
		return v.bar.dragging || v.bar.hover || time.Now().Before(v.bar.until)
	}
	return false
}

// thumb returns the rows of the thumb.
func (v *ScrollView) thumb() (top, size int) {
	pos, track, total := v.Position()
	return thumb(pos, track, total)
}

func thumb(pos, track, total int) (top, size int) {
	if total <= track || track <= 0 {
		return 0, track
	}
	size = min(track, max(2, (track*track+total/2)/total))
	span := total - track
	top = (min(pos, span)*(track-size) + span/2) / span
	return min(top, track-size), size
}

func (v *ScrollView) drawBar(width, height int) {
	top, size := v.thumb()
	glyph := "┃"
	if v.bar.hover || v.bar.dragging {
		glyph = "█"
	}
	paint := func(f func(string) string, s string) string {
		if f != nil {
			return f(s)
		}
		return "\x1b[2m" + s + "\x1b[22m"
	}
	thumb, track := paint(v.ThumbStyle, glyph), ""
	if v.Scrollbar == ScrollbarAlways {
		track = paint(v.BarStyle, "│")
	}
	for len(v.out) < height {
		v.out = append(v.out, "")
	}
	for y := range height {
		cell := track
		if y >= top && y < top+size {
			cell = thumb
		}
		if cell != "" {
			v.out[y] = text.Overlay(v.out[y], cell, width-1, 1)
		}
	}
}

// handleBar drags the thumb, or jumps on a press beside it.
func (v *ScrollView) handleBar(ev MouseEvent) bool {
	top, size := v.thumb()
	switch ev.Kind {
	case MousePress:
		v.bar.dragging = true
		if ev.Y >= top && ev.Y < top+size {
			v.bar.grab = ev.Y - top
		} else {
			v.bar.grab = size / 2
			v.dragTo(ev.Y)
		}
		return true
	case MouseDrag:
		if v.bar.dragging {
			v.dragTo(ev.Y)
			return true
		}
	case MouseRelease:
		if v.bar.dragging {
			v.bar.dragging = false
			v.touched()
			return true
		}
	case MouseMove:
		if !v.bar.hover {
			v.bar.hover = true
			v.touched()
		}
		return true
	}
	return false
}

func (v *ScrollView) dragTo(y int) {
	_, track, total := v.Position()
	_, size := thumb(0, track, total)
	if track <= size {
		return
	}
	y = min(max(y-v.bar.grab, 0), track-size)
	v.scrollToRow((y*(total-track) + (track-size)/2) / (track - size))
}
