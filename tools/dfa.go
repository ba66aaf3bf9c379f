package tools

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// dfa decides whether lines match an expression, by states that are made when
// they are first needed. For one line it says what regexp says, but it costs
// one look into a table per byte. It is for one goroutine.
//
// A state is a set of instructions that are not yet looked through, since what
// ^, $ and \b allow depends on the next character, and what the character
// before was.
type dfa struct {
	prog     *syntax.Prog
	anchored bool // a match can only begin where the line begins
	cr       bool // a carriage return at the end of a line is part of it
	states   map[string]*dfaState
	begin    *dfaState
	match    *dfaState // every line that comes here matches
	dead     *dfaState // no line that comes here matches
	resets   int

	stack, list []uint32
	seen        []bool
	key         []byte
}

type dfaState struct {
	insts []uint32
	prev  rune // what was before: -1 for the beginning, a or a blank for words and others
	next  [utf8.RuneSelf]*dfaState
	wide  map[rune]*dfaState
	end   int8 // whether a line that ends here matches: 1 yes, -1 no, 0 not known
}

const (
	maxProgram = 2000 // instructions
	maxStates  = 4000
	maxResets  = 8 // then there are too many states for this to be a gain
)

// newDFA returns nil if the program is too large, or m has none.
func newDFA(m *matcher) *dfa {
	prog := m.prog
	if prog == nil || len(prog.Inst) > maxProgram {
		return nil
	}
	d := &dfa{
		prog: prog, cr: m.cr, anchored: prog.StartCond()&syntax.EmptyBeginText != 0,
		match: &dfaState{}, dead: &dfaState{end: -1}, seen: make([]bool, len(prog.Inst)),
	}
	d.reset()
	return d
}

func (d *dfa) reset() {
	d.states = map[string]*dfaState{}
	d.list = append(d.list[:0], uint32(d.prog.Start))
	d.begin = d.state(-1)
}

// state returns the state of the instructions in list.
func (d *dfa) state(prev rune) *dfaState {
	if len(d.list) == 0 {
		return d.dead
	}
	slices.Sort(d.list)
	d.key = append(d.key[:0], byte(prev))
	for _, i := range d.list {
		d.key = append(d.key, byte(i), byte(i>>8))
	}
	s := d.states[string(d.key)]
	if s == nil {
		s = &dfaState{insts: slices.Clone(d.list), prev: prev}
		d.states[string(d.key)] = s
	}
	return s
}

// through follows the instructions that take no character, where r is next, or
// -1 for the end of the line. It leaves those that take one in list, and
// reports whether a match ends here.
func (d *dfa) through(s *dfaState, r rune) (match bool) {
	flags := syntax.EmptyOpContext(s.prev, r)
	d.stack = append(d.stack[:0], s.insts...)
	d.list = d.list[:0]
	clear(d.seen)
	for len(d.stack) > 0 {
		i := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[i] {
			continue
		}
		d.seen[i] = true
		switch in := &d.prog.Inst[i]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^flags == 0 {
				d.stack = append(d.stack, in.Out)
			}
		case syntax.InstMatch:
			return true
		case syntax.InstFail:
		default:
			d.list = append(d.list, i)
		}
	}
	return false
}

// step returns the state after a character.
func (d *dfa) step(s *dfaState, r rune) *dfaState {
	if s == d.dead {
		return s
	}
	if d.through(s, r) {
		return d.match
	}
	clear(d.seen)
	n := 0
	for _, i := range d.list {
		in := &d.prog.Inst[i]
		if in.MatchRune(r) && !d.seen[in.Out] {
			d.seen[in.Out] = true
			d.list[n] = in.Out
			n++
		}
	}
	d.list = d.list[:n]
	if !d.anchored && !d.seen[d.prog.Start] {
		d.list = append(d.list, uint32(d.prog.Start))
	}
	if len(d.states) >= maxStates {
		kept := slices.Clone(d.list)
		d.resets++
		d.reset()
		d.list = append(d.list[:0], kept...)
	}
	if syntax.IsWordChar(r) {
		return d.state('a')
	}
	return d.state(' ')
}

func (d *dfa) ends(s *dfaState) bool {
	if s.end == 0 {
		s.end = -1
		if d.through(s, -1) {
			s.end = 1
		}
	}
	return s.end > 0
}

// next returns the bounds of the first line at or after from that matches;
// start is -1 if there is none. A carriage return at the end of a line is no
// part of it, unless the expression names one. ok is false if this is the wrong means for the expression.
func (d *dfa) next(b []byte, from int) (start, end int, ok bool) {
	if d.resets > maxResets {
		return 0, 0, false
	}
	start = from
	s := d.begin
	for i := from; ; {
		if i < len(b) && b[i] < utf8.RuneSelf {
			// Line breaks and carriage returns are never in the table: what the
			// latter are depends on what follows.
			if to := s.next[b[i]]; to != nil {
				s = to
				i++
				if s == d.match || s == d.dead {
					if end = bytes.IndexByte(b[i-1:], '\n'); end < 0 {
						end = len(b)
					} else {
						end += i - 1
					}
					if s == d.match {
						return start, end, true
					}
					i = end
				}
				continue
			}
		}
		at := i
		if !d.cr && i < len(b) && b[i] == '\r' && (i+1 == len(b) || b[i+1] == '\n') {
			at++
		}
		switch {
		case at == len(b):
			if start < len(b) && d.ends(s) {
				return start, len(b), true
			}
			return -1, 0, true
		case b[at] == '\n':
			if d.ends(s) {
				return start, at, true
			}
			start, i, s = at+1, at+1, d.begin
		case b[i] < utf8.RuneSelf && b[i] != '\r':
			s.next[b[i]] = d.step(s, rune(b[i]))
		default:
			r, n := utf8.DecodeRune(b[i:])
			to := s.wide[r]
			if to == nil {
				if to = d.step(s, r); s.wide == nil {
					s.wide = map[rune]*dfaState{}
				}
				if len(s.wide) < 1000 {
					s.wide[r] = to
				}
			}
			s = to
			i += n
			if s == d.match {
				if end = bytes.IndexByte(b[i:], '\n'); end < 0 {
					return start, len(b), true
				}
				return start, i + end, true
			}
		}
	}
}
