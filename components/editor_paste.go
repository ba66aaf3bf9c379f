package components

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A large paste is one character of the text: a private-use code point whose
// number leads to the pasted text. So a marker is atomic by construction and
// typed look-alikes can never be one. The range is Unicode's last plane, which
// no font or program assigns; input is kept free of it.
const (
	markerFirst = 0x100000
	markerLast  = 0x10fffd
)

func isMarker(r rune) bool { return r >= markerFirst && r <= markerLast }

// pasteLines and pasteChars are the limits above which a paste becomes a
// marker.
const (
	pasteLines = 10
	pasteChars = 1000
)

type pastes struct {
	texts map[rune]string
	next  rune
	rank  map[rune]int // the numbers shown, for the markers in the text
}

// keep stores a text and returns its marker.
func (p *pastes) keep(s string) string {
	if p.texts == nil {
		p.texts, p.next = map[rune]string{}, markerFirst
	}
	r := p.next
	p.texts[r] = s
	p.next++
	if p.next > markerLast {
		p.next = markerFirst
	}
	return string(r)
}

// count numbers the markers in the text in the order they were pasted.
func (p *pastes) count(lines []string) {
	p.rank = map[rune]int{}
	if len(p.texts) == 0 {
		return
	}
	for _, l := range lines {
		for _, r := range markersIn(l) {
			p.rank[r] = 0
		}
	}
	for i, r := range slices.Sorted(maps.Keys(p.rank)) {
		p.rank[r] = i + 1
	}
}

func markersIn(s string) []rune {
	var out []rune
	// The last plane is encoded as f4 8x: most lines hold no such byte.
	for i := strings.IndexByte(s, 0xf4); i >= 0 && i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if isMarker(r) {
			out = append(out, r)
		}
		k := strings.IndexByte(s[i+n:], 0xf4)
		if k < 0 {
			break
		}
		i += n + k
	}
	return out
}

// label is what a marker looks like.
func (p *pastes) label(r rune) string {
	s := p.texts[r]
	n := "#" + strconv.Itoa(max(1, p.rank[r]))
	if lines := strings.Count(s, "\n") + 1; lines > pasteLines {
		return fmt.Sprintf("[paste %s +%d lines]", n, lines)
	}
	return fmt.Sprintf("[paste %s %d chars]", n, utf8.RuneCountInString(s))
}

// replaceMarkers puts f's text in place of each marker.
func replaceMarkers(s string, f func(rune) string) string {
	if strings.IndexByte(s, 0xf4) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if isMarker(r) {
			b.WriteString(f(r))
			continue
		}
		b.WriteString(s[i : i+max(1, utf8.RuneLen(r))])
	}
	return b.String()
}

func (p *pastes) expand(s string) string {
	return replaceMarkers(s, func(r rune) string { return p.texts[r] })
}

func (p *pastes) shown(s string) string { return replaceMarkers(s, p.label) }

// forget drops every text but those of markers in the given strings.
func (p *pastes) forget(except []string) {
	keep := map[rune]bool{}
	for _, s := range except {
		for _, r := range markersIn(s) {
			keep[r] = true
		}
	}
	maps.DeleteFunc(p.texts, func(r rune, _ string) bool { return !keep[r] })
}

// normalize makes input fit for the text: LF line ends, no control
// characters, valid UTF-8, no code points that mean something here. Tabs stay;
// they are drawn as blanks.
func normalize(s string) string {
	if plain(s) {
		return s
	}
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return -1
		case isMarker(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// decodeKeys turns control keys that a multiplexer re-encoded inside a paste
// (CSI number;5u) back into the characters they are.
func decodeKeys(s string) string {
	if !strings.Contains(s, "\x1b[") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(head(s, 16), 'u')
		code, mods, _ := strings.Cut(strings.TrimPrefix(head(s, max(0, end)), "\x1b["), ";")
		n, err := strconv.Atoi(code)
		ctrl := mods == "5"
		switch {
		case end > 0 && err == nil && ctrl && n >= 'a' && n <= 'z':
			b.WriteByte(byte(n - 'a' + 1))
			s = s[end+1:]
		case end > 0 && err == nil && (n == 13 || n == 10 || n == 9) && (mods == "" || mods == "1" || mods == "2"):
			b.WriteByte(byte(n))
			s = s[end+1:]
		default:
			b.WriteString(s[:2])
			s = s[2:]
		}
	}
}

// HandlePaste implements tui.PasteHandler: it inserts pasted text as one undoable step. More than ten lines or
// a thousand characters become a marker. It never starts a completion.
func (e *Editor) HandlePaste(s string) bool {
	s = normalize(decodeKeys(s))
	if s == "" {
		return true
	}
	e.endAction()
	e.closeMenu()
	e.leaveHistory()
	if strings.Count(s, "\n")+1 > pasteLines || utf8.RuneCountInString(head(s, 4*pasteChars+4)) > pasteChars {
		s = e.pastes.keep(s)
	} else if s[0] == '/' || s[0] == '~' || s[0] == '.' {
		// A path dropped behind a word is a word of its own.
		if r, _ := utf8.DecodeLastRuneInString(e.buf.lines[e.buf.at.line][:e.buf.at.col]); unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			s = " " + s
		}
	}
	e.buf.newUnit()
	e.insert(s)
	e.buf.newUnit()
	e.changed()
	return true
}
