package tui

import (
	"strings"

	"tau/tui/text"
)

// Area is a component that fills a rectangle: stacks, scroll views, boxes.
// RenderArea returns at most height lines; missing ones are blank. The slice
// is valid until the next call.
type Area interface {
	Component
	RenderArea(width, height int) []string
}

// renderArea renders any component into a rectangle. A component taller than
// it is cut at the bottom, but shifted so that its cursor stays in sight.
func renderArea(c Component, width, height int) (lines []string, shift int) {
	if height <= 0 || width <= 0 {
		return nil, 0
	}
	if a, ok := c.(Area); ok {
		return guard(c, width, func() []string { return a.RenderArea(width, height) }), 0
	}
	return fit(render(c, width), height)
}

// fit cuts lines to a height.
func fit(lines []string, height int) (cut []string, shift int) {
	if len(lines) <= height {
		return lines, 0
	}
	for i, l := range lines {
		if strings.Contains(l, CursorMarker) {
			shift = min(max(0, i-height+1), len(lines)-height)
			break
		}
	}
	return lines[shift : shift+height], shift
}

// Auto is the basis of an item that takes the height of its content.
const Auto = -1

// Item is a child of a stack and how it shares the space.
type Item struct {
	Component Component
	// Basis is the size before space is shared out: rows (VStack) or columns
	// (HStack), or Auto for the height of the content (columns: an equal share).
	Basis int
	// Grow and Shrink weigh the parts of what is left over or missing.
	Grow, Shrink int
	// Min and Max bound the size; 0 is no bound.
	Min, Max int
	// Hidden takes the item out if it returns true.
	Hidden func(width, height int) bool
}

// Fixed returns an item that is as high as its content and gives way when
// there is no room.
func Fixed(c Component) Item { return Item{Component: c, Basis: Auto, Shrink: 1} }

// Fill returns an item that takes what the others leave, at least one row.
func Fill(c Component) Item { return Item{Component: c, Grow: 1, Shrink: 1, Min: 1} }

// share divides total among items of the given natural sizes.
func share(items []Item, natural []int, total int) []int {
	size := make([]int, len(items))
	clamp := func(i, v int) int {
		v = max(v, items[i].Min, 0)
		if items[i].Max > 0 {
			v = min(v, items[i].Max)
		}
		return v
	}
	sum := 0
	for i := range items {
		size[i] = clamp(i, natural[i])
		sum += size[i]
	}
	// Each round either ends or fixes at least one item at a bound.
	frozen := make([]bool, len(items))
	for range len(items) + 1 {
		free := total - sum
		weight := 0
		for i, it := range items {
			if !frozen[i] {
				if free > 0 {
					weight += it.Grow
				} else {
					weight += it.Shrink * max(1, size[i])
				}
			}
		}
		if free == 0 || weight == 0 {
			break
		}
		left, done := free, true
		for i, it := range items {
			if frozen[i] {
				continue
			}
			w := it.Grow
			if free < 0 {
				w = it.Shrink * max(1, size[i])
			}
			if w == 0 {
				continue
			}
			part := left * w / weight
			left -= part
			weight -= w
			v := clamp(i, size[i]+part)
			if v != size[i]+part {
				frozen[i], done = true, false
			}
			sum += v - size[i]
			size[i] = v
		}
		if done {
			break
		}
	}
	// What no item can give up is cut from the end.
	for i := len(size) - 1; i >= 0 && sum > total; i-- {
		cut := min(size[i], sum-total)
		size[i] -= cut
		sum -= cut
	}
	return size
}

// slot is where a child was drawn, for the mouse.
type slot struct {
	c          Component
	x, y, w, h int
	shift      int // lines of the child above its first visible one
}

// VStack puts components one above the other.
type VStack struct {
	Gap   int // blank rows between items
	items []Item
	slots []slot
	out   []string
	route router
}

// NewVStack returns a stack of items.
func NewVStack(items ...Item) *VStack { return &VStack{items: items} }

// Set replaces the items.
func (s *VStack) Set(items ...Item) { s.items = items }

// Invalidate passes on to the children.
func (s *VStack) Invalidate() { invalidateAll(s.items) }

func invalidateAll(items []Item) {
	for _, it := range items {
		Invalidate(it.Component)
	}
}

// Invalidate drops the caches of c if it has any.
func Invalidate(c Component) {
	if v, ok := c.(Invalidator); ok {
		v.Invalidate()
	}
}

// Render renders the stack at its natural height.
func (s *VStack) Render(width int) []string {
	h := 0
	for i, it := range s.items {
		if it.Hidden == nil || !it.Hidden(width, 0) {
			if i > 0 {
				h += s.Gap
			}
			n, _ := natural(it, width)
			h += max(n, it.Min)
		}
	}
	return s.RenderArea(width, h)
}

// natural returns the height of an item before space is shared out, and its
// lines if they had to be rendered for that.
func natural(it Item, width int) (height int, lines []string) {
	if it.Basis != Auto {
		return it.Basis, nil
	}
	if r, ok := it.Component.(Ranger); ok {
		return r.Height(width), nil
	}
	lines = render(it.Component, width)
	if _, ok := it.Component.(Area); ok {
		return len(lines), nil // it fills whatever it gets
	}
	return len(lines), lines
}

// RenderArea is part of [Area].
func (s *VStack) RenderArea(width, height int) []string {
	s.slots = s.slots[:0]
	var shown []Item
	for _, it := range s.items {
		if it.Hidden == nil || !it.Hidden(width, height) {
			shown = append(shown, it)
		}
	}
	if len(shown) == 0 {
		return nil
	}
	heights, rendered := make([]int, len(shown)), make([][]string, len(shown))
	for i, it := range shown {
		heights[i], rendered[i] = natural(it, width)
	}
	sizes := share(shown, heights, max(0, height-s.Gap*(len(shown)-1)))
	s.out = s.out[:0]
	for i, it := range shown {
		if i > 0 {
			for range s.Gap {
				s.out = append(s.out, "")
			}
		}
		lines, shift := fit(rendered[i], sizes[i])
		if rendered[i] == nil {
			lines, shift = renderArea(it.Component, width, sizes[i])
		}
		s.slots = append(s.slots, slot{it.Component, 0, len(s.out), width, sizes[i], shift})
		s.out = append(s.out, lines...)
		for range sizes[i] - len(lines) {
			s.out = append(s.out, "")
		}
	}
	if len(s.out) > height {
		s.out = s.out[:height]
	}
	return s.out
}

// HandleMouse passes the event to the child under it.
func (s *VStack) HandleMouse(ev MouseEvent) bool { return s.route.mouse(ev, s.slots) }

// HStack puts components side by side.
type HStack struct {
	Gap   int // blank columns between items
	items []Item
	slots []slot
	route router
}

// NewHStack returns a row of items.
func NewHStack(items ...Item) *HStack { return &HStack{items: items} }

// Invalidate passes on to the children.
func (s *HStack) Invalidate() { invalidateAll(s.items) }

func (s *HStack) columns(width, height int) ([]Item, []int) {
	var shown []Item
	for _, it := range s.items {
		if it.Hidden == nil || !it.Hidden(width, height) {
			shown = append(shown, it)
		}
	}
	if len(shown) == 0 {
		return nil, nil
	}
	free := max(0, width-s.Gap*(len(shown)-1))
	natural := make([]int, len(shown))
	for i, it := range shown {
		natural[i] = it.Basis
		if it.Basis == Auto {
			natural[i] = free / len(shown)
		}
	}
	return shown, share(shown, natural, free)
}

// Render renders the row as high as its highest child.
func (s *HStack) Render(width int) []string {
	shown, sizes := s.columns(width, 0)
	h := 0
	for i, it := range shown {
		if sizes[i] > 0 {
			h = max(h, len(render(it.Component, sizes[i])))
		}
	}
	return s.RenderArea(width, h)
}

// RenderArea is part of [Area].
func (s *HStack) RenderArea(width, height int) []string {
	s.slots = s.slots[:0]
	shown, sizes := s.columns(width, height)
	out := make([]string, height)
	x := 0
	for i, it := range shown {
		if i > 0 {
			x += s.Gap
		}
		if sizes[i] <= 0 {
			continue
		}
		lines, shift := renderArea(it.Component, sizes[i], height)
		s.slots = append(s.slots, slot{it.Component, x, 0, sizes[i], height, shift})
		for y, l := range lines {
			if l == "" {
				continue
			}
			out[y] = text.Pad(out[y], x)
			if text.Width(l) > sizes[i] {
				l = text.Slice(l, 0, sizes[i])
			}
			out[y] += l + text.Close(l)
		}
		x += sizes[i]
	}
	return out
}

// HandleMouse passes the event to the child under it.
func (s *HStack) HandleMouse(ev MouseEvent) bool { return s.route.mouse(ev, s.slots) }
