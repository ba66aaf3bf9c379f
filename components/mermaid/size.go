package mermaid

import (
	"cmp"
	"slices"
	"strings"

	"tau/tui/text"
)

// box returns the size of a node's outline around its words.
func (v *vertex) box(wrap int) (w, h int) {
	lines := wrapLabel(v.label, wrap)
	w, h = widest(lines), len(lines)
	switch v.shape {
	case leaning, leaningBack:
		return w + 5 + h, h + 2
	case subroutine, doubleCircle, diamond, hexagon, pennant:
		return w + 6, h + 2
	case cylinder:
		return w + 4, h + 3
	case startPoint, endPoint:
		return 1, 1
	case classBox:
		for _, s := range v.sections {
			rows := strings.Split(s, "\n")
			w, h = max(w, widest(rows)), h+1+len(rows)
		}
	}
	return w + 4, h + 2
}

// point reports whether a node is a mark without room for ports.
func (v *vertex) point() bool { return v.shape == startPoint || v.shape == endPoint }

// size gives every item its size and every joint its ports.
func (p *plan) size() {
	for _, rank := range p.ranks {
		for _, it := range rank {
			switch {
			case it.real():
				p.sizeNode(it)
			case it.side != 0:
			case len(it.label) > 0:
				if p.horizontal {
					if l := p.g.edges[it.edge]; l.tailLabel != "" || l.headLabel != "" {
						it.label = []string{strings.Join(it.label, "  ")}
					}
				}
				w, h := widest(it.label), len(it.label)
				it.main, it.cross = h, w
				if p.horizontal {
					it.main, it.cross = w+2, h
				}
			default:
				it.cross = 1
			}
		}
	}
	if !p.horizontal {
		return
	}
	// In columns boxes of one width look tidier.
	for _, rank := range p.ranks {
		w := 0
		for _, it := range rank {
			if it.real() && !p.g.nodes[it.node].point() && p.g.nodes[it.node].shape != barPoint {
				w = max(w, it.w)
			}
		}
		for _, it := range rank {
			if it.real() && !p.g.nodes[it.node].point() && p.g.nodes[it.node].shape != barPoint {
				it.w, it.main = w, w
			}
		}
	}
}

func (p *plan) sizeNode(it *item) {
	v := &p.g.nodes[it.node]
	it.w, it.h = v.box(p.wrap)
	top, bottom := p.portClasses(it, true), p.portClasses(it, false)
	m := max(len(top), len(bottom), 1)
	loops := strings.Join(v.loops, ", ")
	switch {
	case v.point():
	case v.shape == barPoint && p.horizontal:
		it.w, it.h = 1, max(3, 2*m+1)
	case v.shape == barPoint:
		it.w, it.h = max(7, 2*m+3), 1
	case p.horizontal:
		it.h = max(it.h, 2*m+1)
		if len(v.loops) > 0 {
			it.w = max(it.w, text.Width(loops)+6)
		}
	default:
		it.w = max(it.w, 2*m+3)
		if len(v.loops) > 0 {
			it.h = max(it.h, 4)
		}
	}
	w, h := it.w, it.h
	if len(v.loops) > 0 {
		if p.horizontal {
			h++
		} else {
			w += 4 + text.Width(loops)
		}
	}
	it.main, it.cross = h, w
	if p.horizontal {
		it.main, it.cross = w, h
	}
	side := it.w
	if p.horizontal {
		side = it.h
	}
	p.spread(it, top, side, true)
	p.spread(it, bottom, side, false)
}

// portClass is a set of joints that may share a port.
type portClass struct {
	end    ending
	group  int
	fork   *item // an edge that comes from a fork has a port of its own
	joints []*joint
	mean   float64
}

// portClasses sorts the joints at one side of a node. Edges that end alike
// share a port, unless that would leave open who is connected to whom.
func (p *plan) portClasses(it *item, top bool) []*portClass {
	joints := it.down
	if top {
		joints = it.up
	}
	var out []*portClass
	for _, j := range joints {
		c := portClass{end: j.aEnd, group: j.aGroup}
		other := j.b
		if top {
			c.end, c.group = j.bEnd, j.bGroup
			other = j.a
			first := j
			for !first.a.real() {
				first = first.a.up[0]
			}
			forks := 0
			for _, k := range first.a.down {
				if k.aEnd == first.aEnd && k.stroke != hidden {
					forks++
				}
			}
			if forks > 1 {
				c.fork = first.a
			}
		}
		i := slices.IndexFunc(out, func(o *portClass) bool { return o.end == c.end && o.group == c.group && o.fork == c.fork })
		if i < 0 {
			i = len(out)
			out = append(out, &c)
		}
		out[i].joints = append(out[i].joints, j)
		out[i].mean += other.key
	}
	if most := map[bool]int{true: 6, false: 12}[p.horizontal]; len(out) > most || p.g.nodes[it.node].point() {
		all := &portClass{}
		for _, c := range out {
			all.joints = append(all.joints, c.joints...)
		}
		return []*portClass{all}
	}
	for _, c := range out {
		c.mean /= float64(len(c.joints))
	}
	slices.SortStableFunc(out, func(a, b *portClass) int { return cmp.Compare(a.mean, b.mean) })
	return out
}

// spread places the ports of a side around its middle.
func (p *plan) spread(it *item, classes []*portClass, side int, top bool) {
	m := len(classes)
	step := 2
	if m > 1 && !p.horizontal && (side-5)/(m-1) >= 4 {
		step = 4
	}
	for i, c := range classes {
		at := (side-1)/2 + (2*i-(m-1))*step/2
		for _, j := range c.joints {
			if top {
				j.bAt = at
			} else {
				j.aAt = at
			}
		}
	}
}

// ends of a joint on the cross axis.
func (j *joint) from() int { return j.a.pos + j.aAt }
func (j *joint) to() int   { return j.b.pos + j.bAt }
