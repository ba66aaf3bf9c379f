package components

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tau/tui/key"
	"tau/tui/text"
)

// Completion is one suggestion.
type Completion struct {
	Value       string // what it stands for; compared with what was typed
	Label       string // shown; default Value
	Description string
	Insert      string // put in place of the prefix; default Value
	After       int    // bytes after the caret that go too, such as a closing quote
	Back        int    // bytes of Insert the caret stays in front of
	Command     bool   // a slash command's name: Enter completes and submits
}

// Suggestions are completions for the text right before the caret.
type Suggestions struct {
	Items  []Completion
	Prefix string // the part of the text before the caret they replace
	// Apply returns the text and the caret with an item put in; col is in bytes.
	// Nil, or ok false: the item goes in place of the prefix.
	Apply func(r CompletionRequest, it Completion) (lines []string, line, col int, ok bool)
}

// CompletionRequest is the state a completion is asked for. Lines is read-only
// and holds a private character in place of each large paste.
type CompletionRequest struct {
	Lines     []string
	Line, Col int  // the caret; Col in bytes
	Forced    bool // Tab: complete as a path whatever it looks like
}

// Before returns the caret's line up to the caret.
func (r CompletionRequest) Before() string { return r.Lines[r.Line][:r.Col] }

// Completer finds completions. It calls done once, at once or later, on the
// goroutine of the components, with nil for none; after cancel it need not.
type Completer interface {
	Complete(r CompletionRequest, done func(*Suggestions)) (cancel func())
}

// fileDelay keeps a walk through the tree from starting at every letter.
const fileDelay = 20 * time.Millisecond

// menu is the list of completions and the request in flight.
type menu struct {
	items  []Completion
	prefix string
	apply  func(CompletionRequest, Completion) ([]string, int, int, bool)
	sel    int
	top    int
	forced bool

	edits uint64 // of the text they are for, and the caret
	at    position

	ticket uint64 // of the newest request; answers to others are dropped
	cancel func()
	lines  menuLines
}

type menuLines struct {
	version uint64
	width   int
	out     []string
}

// MenuOpen reports whether completions are on show.
func (e *Editor) MenuOpen() bool { return len(e.menu.items) > 0 }

func (e *Editor) closeMenu() {
	if e.menu.cancel != nil {
		e.menu.cancel()
	}
	if e.MenuOpen() {
		e.version++
	}
	e.menu = menu{ticket: e.menu.ticket + 1}
}

type completionContext uint8

const (
	contextNone completionContext = iota
	contextSlash
	contextToken // @ # and the like
)

// context tells what kind of completion fits the text before the caret.
func (e *Editor) context() completionContext {
	p := e.buf.at
	before := e.buf.lines[p.line][:p.col]
	if p.line == 0 && strings.HasPrefix(strings.TrimLeft(before, " \t"), "/") {
		return contextSlash
	}
	more := ""
	if e.o.Triggers != nil {
		more = e.o.Triggers()
	}
	if tok, _ := triggerToken(before, more); tok != "" {
		return contextToken
	}
	return contextNone
}

// triggerToken returns the token at the end of s if it begins with @, # or one
// of more, after a blank, CJK punctuation, = or a quote, and opening brackets, with its
// offset. A quoted token (@"a b) may hold blanks.
func triggerToken(s, more string) (string, int) {
	if i := strings.LastIndex(s, `@"`); i >= 0 && !strings.Contains(s[i+2:], `"`) && startsToken(s[:i]) {
		return s[i:], i
	}
	i := len(s)
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if delimits(r) {
			break
		}
		i -= n
	}
	for i < len(s) && strings.IndexByte("([{<`", s[i]) >= 0 {
		i++
	}
	if r, _ := utf8.DecodeRuneInString(s[i:]); i < len(s) && (r == '@' || r == '#' || strings.ContainsRune(more, r)) {
		return s[i:], i
	}
	return "", 0
}

func startsToken(before string) bool {
	before = strings.TrimRight(before, "([{<`")
	if before == "" {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	return delimits(r)
}

func delimits(r rune) bool {
	return unicode.IsSpace(r) || r == '"' || r == '\'' || r == '=' || r > 0x7f && unicode.IsPunct(r) || isMarker(r)
}

// textTyped, textDeleted and caretMoved decide whether to ask for completions
// after a key.
func (e *Editor) textTyped() {
	switch {
	case e.MenuOpen() && e.menu.forced:
		e.ask(true)
	case e.context() != contextNone:
		e.ask(false)
	case e.MenuOpen() || e.menu.cancel != nil:
		e.closeMenu()
	}
}

func (e *Editor) textDeleted() {
	if e.MenuOpen() && e.menu.forced {
		e.ask(true)
		return
	}
	e.caretMoved()
}

func (e *Editor) caretMoved() {
	if !e.MenuOpen() && e.menu.cancel == nil {
		return
	}
	switch {
	case e.context() != contextNone:
		e.ask(false)
	default:
		e.closeMenu()
	}
}

// ask starts a request. What is on show stays until the answer comes.
func (e *Editor) ask(forced bool) {
	if e.o.Completer == nil {
		return
	}
	if e.menu.cancel != nil {
		e.menu.cancel()
		e.menu.cancel = nil
	}
	e.menu.ticket++
	ticket, edits, at := e.menu.ticket, e.buf.edits, e.buf.at
	start := func() {
		e.menu.cancel = nil
		answered := false
		cancel := e.o.Completer.Complete(
			CompletionRequest{Lines: e.buf.lines, Line: at.line, Col: at.col, Forced: forced},
			func(s *Suggestions) {
				if answered || ticket != e.menu.ticket || edits != e.buf.edits || at != e.buf.at {
					return
				}
				answered = true
				e.menu.cancel = nil
				e.answer(s, forced)
			})
		if !answered {
			e.menu.cancel = cancel
			if cancel == nil {
				e.menu.cancel = func() {}
			}
		}
	}
	if e.context() == contextToken && !forced && e.o.Ticker != nil {
		e.menu.cancel = e.o.Ticker.After(fileDelay, func() {
			if ticket == e.menu.ticket {
				start()
			}
		})
		return
	}
	start()
}

func (e *Editor) answer(s *Suggestions, forced bool) {
	e.version++
	defer func() {
		if e.o.OnUpdate != nil {
			e.o.OnUpdate()
		}
	}()
	if s == nil || len(s.Items) == 0 || !strings.HasSuffix(e.buf.lines[e.buf.at.line][:e.buf.at.col], s.Prefix) {
		e.closeMenu()
		return
	}
	if forced && len(s.Items) == 1 && !e.MenuOpen() {
		e.menu.items, e.menu.prefix, e.menu.apply = s.Items, s.Prefix, s.Apply
		e.accept()
		return
	}
	e.menu.items, e.menu.prefix, e.menu.apply, e.menu.forced = s.Items, s.Prefix, s.Apply, forced
	e.menu.edits, e.menu.at = e.buf.edits, e.buf.at
	e.menu.sel, e.menu.top = preselect(s), 0
}

// preselect picks the item that is what was typed, else the first that begins
// with it, else the first.
func preselect(s *Suggestions) int {
	best := -1
	typed := strings.TrimLeft(s.Prefix, "/@#")
	for i, it := range s.Items {
		if it.Value == s.Prefix || it.Value == typed {
			return i
		}
		if best < 0 && typed != "" && strings.HasPrefix(it.Value, typed) {
			best = i
		}
	}
	return max(0, best)
}

// accept puts the selected completion into the text and reports whether it was
// a command's name.
func (e *Editor) accept() (command bool) {
	it, prefix, apply := e.menu.items[e.menu.sel], e.menu.prefix, e.menu.apply
	forced := e.menu.forced
	e.closeMenu()
	if apply != nil {
		at := e.buf.at
		lines, l, col, ok := apply(CompletionRequest{Lines: e.buf.lines, Line: at.line, Col: at.col, Forced: forced}, it)
		if ok && e.become(lines, l, col) {
			return it.Command
		}
	}
	ins := it.Insert
	if ins == "" {
		ins = it.Value
	}
	ins = normalize(ins)
	at := e.buf.at
	line := e.buf.lines[at.line]
	if !strings.HasSuffix(line[:at.col], prefix) {
		return false
	}
	e.leaveHistory()
	e.buf.newUnit()
	e.buf.replace(position{at.line, at.col - len(prefix)}, position{at.line, min(len(line), at.col+max(0, it.After))}, ins)
	if it.Back > 0 && it.Back <= len(ins) {
		e.buf.at.col -= it.Back
	}
	e.buf.newUnit()
	e.last = actNone
	e.changed()
	return it.Command
}

// become makes the text lines with the caret in line l, col bytes into it.
func (e *Editor) become(lines []string, l, col int) bool {
	if l < 0 || l >= len(lines) || col < 0 || col > len(lines[l]) {
		return false
	}
	caret := col
	for _, s := range lines[:l] {
		caret += len(s) + 1
	}
	was, now := strings.Join(e.buf.lines, "\n"), strings.Join(lines, "\n")
	head, tail := 0, 0
	for head < min(len(was), len(now)) && was[head] == now[head] {
		head++
	}
	for head > 0 && (!boundary(was, head) || !boundary(now, head)) {
		head--
	}
	for tail < min(len(was), len(now))-head && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	for tail > 0 && (!boundary(was, len(was)-tail) || !boundary(now, len(now)-tail)) {
		tail--
	}
	part := normalizeKeeping(now[head:len(now)-tail], was)
	switch { // what normalize takes away moves the caret
	case caret > len(now)-tail:
		caret += head + len(part) + tail - len(now)
	case caret > head:
		caret = head + len(normalizeKeeping(now[head:caret], was))
	}
	e.leaveHistory()
	e.buf.newUnit()
	e.buf.replace(placeOf(was, head), placeOf(was, len(was)-tail), part)
	e.buf.at = placeOf(strings.Join(e.buf.lines, "\n"), caret)
	e.buf.newUnit()
	e.last = actNone
	e.changed()
	return true
}

// normalizeKeeping is normalize, but stand-ins of pastes that are in was stay.
func normalizeKeeping(s, was string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexFunc(s, isMarker)
		if i < 0 {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		b.WriteString(normalize(s[:i]))
		if strings.ContainsRune(was, r) {
			b.WriteRune(r)
		}
		s = s[i+n:]
	}
	b.WriteString(normalize(s))
	return b.String()
}

// boundary reports whether no rune of s reaches over offset i.
func boundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// placeOf is offset i of s as line and column.
func placeOf(s string, i int) position {
	i = min(i, len(s))
	return position{strings.Count(s[:i], "\n"), i - strings.LastIndexByte(s[:i], '\n') - 1}
}

func (e *Editor) tab() bool {
	if e.o.Completer == nil {
		return false
	}
	p := e.buf.at
	before := strings.TrimLeft(e.buf.lines[p.line][:p.col], " \t")
	name := p.line == 0 && strings.HasPrefix(before, "/") && !strings.ContainsAny(before[1:], " \t/")
	e.ask(!name)
	return true
}

// menuKey handles keys while completions are on show.
func (e *Editor) menuKey(ev key.Event) bool {
	if !e.MenuOpen() {
		return false
	}
	m := &e.menu
	n := len(m.items)
	switch {
	case e.is(ev, "tui.select.up"):
		m.sel = (m.sel + n - 1) % n
	case e.is(ev, "tui.select.down"):
		m.sel = (m.sel + 1) % n
	case e.is(ev, "tui.select.pageUp"):
		m.sel = max(0, m.sel-e.o.MenuRows)
	case e.is(ev, "tui.select.pageDown"):
		m.sel = min(n-1, m.sel+e.o.MenuRows)
	case e.is(ev, "tui.input.tab"):
		if m.cancel == nil || !e.stale() { // else what fits is on its way
			e.accept()
		}
	case e.is(ev, "tui.select.confirm") && !(e.is(ev, "tui.input.newLine")):
		if e.stale() {
			e.closeMenu()
			return e.context() != contextSlash // a command typed to its end is sent; half a file's name is not
		}
		slash := e.context() == contextSlash
		if e.accept() && slash && !e.disabled {
			e.Submit()
		}
	case e.is(ev, "tui.select.cancel"):
		e.closeMenu()
	default:
		return false
	}
	return true
}

// stale reports whether the completions on show are for what the text was.
func (e *Editor) stale() bool { return e.menu.edits != e.buf.edits || e.menu.at != e.buf.at }

// Menu returns the lines of the completion menu, nil while it is closed. The
// application floats them above the editor.
func (e *Editor) Menu(width int) []string {
	m := &e.menu
	if !e.MenuOpen() {
		return nil
	}
	width = max(1, width)
	if m.lines.out != nil && m.lines.version == e.version && m.lines.width == width {
		return m.lines.out
	}
	rows := make([]listRow, len(m.items))
	for i, it := range m.items {
		rows[i] = listRow{label: it.Label, description: it.Description}
		if it.Label == "" {
			rows[i].label = it.Value
		}
	}
	st := e.o.Style
	l := rowList{rows: rows, sel: m.sel, max: e.o.MenuRows, minLabel: 12, maxLabel: max(32, width/2),
		text: st.MenuText, selected: st.MenuSelected, description: st.MenuDescription, scroll: st.MenuDescription}
	out, top := l.render(width)
	m.top = top
	m.lines = menuLines{e.version, width, out}
	return out
}

// MenuClick accepts the completion in a row of the last Menu.
func (e *Editor) MenuClick(line int) bool {
	i := e.menu.top + line
	if line < 0 || line >= e.o.MenuRows || i >= len(e.menu.items) {
		return false
	}
	e.menu.sel = i
	e.version++
	e.accept()
	return true
}

// fitLabel cuts a label that is too wide for its column.
func fitLabel(s string, width int) string { return text.Truncate(s, max(0, width), "…") }

// MenuWheel moves the selection in the menu by a number of rows.
func (e *Editor) MenuWheel(rows int) bool {
	if !e.MenuOpen() {
		return false
	}
	e.menu.sel = min(len(e.menu.items)-1, max(0, e.menu.sel+rows))
	e.version++
	return true
}
