package mermaid

import (
	"strconv"
	"strings"
)

type actor struct {
	id, label string
	person    bool
}

type eventKind uint8

const (
	message eventKind = iota
	remark            // a note
	blockStart
	blockElse
	blockEnd
	activate
	deactivate
)

type event struct {
	kind     eventKind
	from, to int // actors; of a remark the first and last
	label    string
	stroke   stroke
	head     string // glyph kind: ">", "x", ")", ""
	both     bool
	side     int8 // of a remark: -1 left, 1 right, 0 over
	block    int  // number of the block that starts, goes on or ends
}

type sequence struct {
	actors []actor
	events []event
	title  string
	blocks int
}

// parseSequence reads a sequence diagram. It returns nil for what it does not
// understand.
func parseSequence(lines []string) *sequence {
	p := &seqParser{s: &sequence{}, index: map[string]int{}}
	for _, l := range lines[1:] {
		if !p.statement(l) || len(p.s.events) > maxRows || len(p.s.actors) > 30 {
			return nil
		}
	}
	if len(p.stack) > 0 || len(p.s.actors) == 0 {
		return nil
	}
	return p.s
}

type seqParser struct {
	s      *sequence
	index  map[string]int
	stack  []int
	number int // of the next message; 0: no numbers
}

func (p *seqParser) actor(id string) (int, bool) {
	id = strings.TrimSpace(id)
	if id == "" {
		return 0, false
	}
	if i, ok := p.index[id]; ok {
		return i, true
	}
	p.index[id] = len(p.s.actors)
	p.s.actors = append(p.s.actors, actor{id: id, label: label(id)})
	return len(p.s.actors) - 1, true
}

func (p *seqParser) add(e event) bool {
	p.s.events = append(p.s.events, e)
	return true
}

func (p *seqParser) statement(l string) bool {
	word, rest, _ := strings.Cut(l, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(word) {
	case "participant", "actor":
		id, name, named := strings.Cut(rest, " as ")
		i, ok := p.actor(id)
		if !ok {
			return false
		}
		if named {
			p.s.actors[i].label = label(name)
		}
		p.s.actors[i].person = word == "actor"
		return true
	case "autonumber":
		p.number = 1
		return rest == ""
	case "title", "title:":
		p.s.title = label(rest)
		return true
	case "activate", "deactivate":
		i, ok := p.actor(rest)
		kind := activate
		if word == "deactivate" {
			kind = deactivate
		}
		return ok && p.add(event{kind: kind, from: i, to: i})
	case "loop", "alt", "opt", "par", "critical", "break", "rect":
		if word == "rect" {
			rest = "" // a colour
		}
		p.stack = append(p.stack, p.s.blocks)
		p.s.blocks++
		if word == "rect" {
			word = ""
		}
		return p.add(event{kind: blockStart, label: strings.TrimSpace(word + " " + label(rest)), block: p.s.blocks - 1})
	case "else", "and", "option":
		if len(p.stack) == 0 {
			return false
		}
		return p.add(event{kind: blockElse, label: strings.TrimSpace(word + " " + label(rest)), block: p.stack[len(p.stack)-1]})
	case "end":
		if len(p.stack) == 0 || rest != "" {
			return false
		}
		b := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		return p.add(event{kind: blockEnd, block: b})
	case "note":
		return p.note(rest)
	case "box", "create", "destroy", "link", "links", "properties", "details":
		return false
	}
	return p.message(l)
}

func (p *seqParser) note(s string) bool {
	where, words, ok := strings.Cut(s, ":")
	if !ok {
		return false
	}
	e := event{kind: remark, label: label(words)}
	lower := strings.ToLower(where)
	switch {
	case strings.HasPrefix(lower, "right of "):
		e.side, where = 1, where[9:]
	case strings.HasPrefix(lower, "left of "):
		e.side, where = -1, where[8:]
	case strings.HasPrefix(lower, "over "):
		where = where[5:]
	default:
		return false
	}
	a, b, two := strings.Cut(where, ",")
	if e.from, ok = p.actor(a); !ok {
		return false
	}
	e.to = e.from
	if two {
		if e.to, ok = p.actor(b); !ok || e.side != 0 {
			return false
		}
		e.from, e.to = min(e.from, e.to), max(e.from, e.to)
	}
	return p.add(e)
}

// message reads A->>B: words. Names may hold blanks.
func (p *seqParser) message(l string) bool {
	arrows := []string{"<<-->>", "<<->>", "-->>", "->>", "--x", "--)", "-->", "-x", "-)", "->"}
	at, arrow := -1, ""
	head, words, hasWords := strings.Cut(l, ":")
	for _, a := range arrows {
		if i := strings.Index(head, a); i > 0 && (at < 0 || i < at) {
			at, arrow = i, a
		}
	}
	if at < 0 {
		return false
	}
	to := strings.TrimSpace(head[at+len(arrow):])
	var then []event
	if rest, ok := strings.CutPrefix(to, "+"); ok {
		to = rest
		then = append(then, event{kind: activate})
	} else if rest, ok := strings.CutPrefix(to, "-"); ok {
		to = rest
		then = append(then, event{kind: deactivate})
	}
	e := event{kind: message}
	var ok bool
	if e.from, ok = p.actor(head[:at]); !ok {
		return false
	}
	if e.to, ok = p.actor(to); !ok {
		return false
	}
	if hasWords {
		e.label = label(words)
	}
	if p.number > 0 {
		e.label = strings.TrimSpace(strconv.Itoa(p.number) + ". " + e.label)
		p.number++
	}
	if strings.Contains(arrow, "--") {
		e.stroke = dotted
	}
	switch {
	case strings.HasSuffix(arrow, ">>"):
		e.head = ">"
	case strings.HasSuffix(arrow, "x"):
		e.head = "x"
	case strings.HasSuffix(arrow, ")"):
		e.head = ")"
	}
	e.both = strings.HasPrefix(arrow, "<<")
	p.add(e)
	for _, t := range then {
		t.from, t.to = e.to, e.to
		if t.kind == deactivate {
			t.from, t.to = e.from, e.from
		}
		p.add(t)
	}
	return true
}
