package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tau/components"
	"tau/themes"
	"tau/tui/text"
)

// view is what a card shows for its tool: what the call is about, what came of
// it, and the lines below.
type view struct {
	subject string
	outcome string
	body    []string
}

// Lines shown below a card that was not opened.
const (
	tailLines    = 5  // of a running command
	errorLines   = 8  // of a failure
	ownLines     = 20 // of what the user has run himself
	previewLines = 10 // of a file being written, of a result nobody knows
	diffLines    = 14
	openLines    = 2000 // of an opened card
)

func (c *Card) view(width int) view {
	switch c.name {
	case "bash", "powershell":
		return c.bashView(width)
	case "read":
		return c.readView(width)
	case "write":
		return c.writeView(width)
	case "edit":
		return c.editView(width)
	case "grep", "find", "ls":
		return c.searchView(width)
	case "subagent":
		return c.subagentView(width)
	}
	return c.anyView(width)
}

func (c *Card) dim(s string) string   { return c.look.fg(themes.Dim, s) }
func (c *Card) muted(s string) string { return c.look.fg(themes.Muted, s) }
func (c *Card) out(s string) string   { return c.look.fg(themes.ToolOutput, s) }

func (c *Card) bashView(width int) view {
	cmd := strings.TrimSpace(c.field("command"))
	first, rest, more := strings.Cut(cmd, "\n")
	v := view{subject: c.look.fg(themes.Text, clean(first))}
	if more && !c.Open() {
		v.subject += c.dim(fmt.Sprintf("  (+%d lines)", strings.Count(rest, "\n")+1))
	}
	if t := c.field("timeout"); t != "" {
		v.subject += c.dim("  timeout " + clean(t) + "s")
	}
	if c.Open() && more {
		for _, l := range strings.Split(rest, "\n") {
			v.body = append(v.body, c.muted(clean(l)))
		}
	}
	out := c.output()
	switch {
	case c.state == running:
		v.body = append(v.body, c.tail(out, width, tailLines)...)
	case c.note != "" && !c.Open() && (c.state == failed || c.state == done):
		// What the user has run himself he wants to see.
		v.body = append(v.body, c.tail(out, width, ownLines)...)
	case c.state == failed && !c.Open():
		v.body = append(v.body, c.tail(out, width, errorLines)...)
	case c.state == failed || c.state == done && c.Open():
		v.body = append(v.body, c.tail(out, width, openLines)...)
	case c.state == done:
		v.outcome = c.muted(lineCount(out))
	}
	return v
}

func lineCount(out string) string {
	out = strings.TrimRight(out, "\n")
	if out == "" || out == "(no output)" {
		return "no output"
	}
	return plural(strings.Count(out, "\n")+1, "line")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "h") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	if strings.HasSuffix(noun, "y") {
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// tail returns the last n wrapped lines of out, with a note of what is above.
func (c *Card) tail(out string, width, n int) []string {
	lines := c.wrapped(out, width, n)
	if cut := len(lines) - n; cut > 0 {
		lines = append([]string{c.dim(fmt.Sprintf("… %s above", plural(cut, "line")))}, lines[cut:]...)
	}
	return lines
}

// head returns the first n wrapped lines, with a note of what is below.
func (c *Card) head(out string, width, n int) []string {
	lines := c.wrapped(out, width, 0)
	if cut := len(lines) - n; cut > 0 {
		lines = append(lines[:n:n], c.dim(fmt.Sprintf("… %s more", plural(cut, "line"))))
	}
	return lines
}

// wrapped cleans and wraps a tool's output. Of a long output only the end that
// can be on show is looked at (last > 0), so that a redraw costs what is seen.
func (c *Card) wrapped(out string, width, last int) []string {
	out = strings.TrimRight(out, "\n")
	if out == "" {
		return nil
	}
	skipped := 0
	if last > 0 {
		at := len(out)
		for range last + 1 {
			i := strings.LastIndexByte(out[:at], '\n')
			if at = i; i < 0 {
				break
			}
		}
		if at > 0 {
			skipped = strings.Count(out[:at+1], "\n")
			out = out[at+1:]
		}
		const most = 64 << 10
		if len(out) > most {
			out = strings.ToValidUTF8(out[len(out)-most:], "")
		}
	}
	out = text.ExpandTabs(text.Sanitize(text.CollapseCR(out)))
	var lines []string
	for _, l := range strings.Split(out, "\n") {
		for _, w := range text.Wrap(l, c.bodyWidth(width)) {
			lines = append(lines, c.out(w))
		}
	}
	if skipped > 0 {
		// Lines that were not looked at still count.
		lines = append(make([]string, skipped), lines...)
	}
	return lines
}

func (c *Card) readView(width int) view {
	p := c.look.path(c.field("path"))
	from, limit := c.field("offset"), c.field("limit")
	switch {
	case from != "" && limit != "":
		var a, n int
		if _, err := fmt.Sscan(from, &a); err == nil {
			if _, err := fmt.Sscan(limit, &n); err == nil {
				p += fmt.Sprintf(":%d-%d", a, a+n-1)
			}
		}
	case from != "":
		p += ":" + clean(from)
	case limit != "":
		p += ":1-" + clean(limit)
	}
	v := view{subject: c.look.fg(themes.Text, p)}
	out := c.output()
	switch {
	case c.state == failed:
		v.body = c.head(out, width, errorLines)
	case c.state == done && len(c.images) > 0:
		v.outcome = c.muted(c.images[0].Summary())
		if c.Open() {
			v.body = c.head(out, width, openLines)
		}
	case c.state == done && c.Open():
		v.body = c.code(out, c.field("path"), width, openLines)
	case c.state == done:
		v.outcome = c.muted(lineCount(out))
	}
	return v
}

func (c *Card) writeView(width int) view {
	content := c.field("content")
	v := view{subject: c.look.fg(themes.Text, c.look.path(c.field("path")))}
	if content != "" {
		v.outcome = c.muted(lineCount(content))
	}
	switch {
	case c.state == failed:
		v.outcome = ""
		v.body = c.head(c.output(), width, errorLines)
	case c.Open():
		v.body = c.code(content, c.field("path"), width, openLines)
	case c.state != done && content != "":
		// The end of the text is where the model is writing.
		v.body = c.tail(content, width, previewLines)
	}
	return v
}

// code shows the first n lines of source with their colours.
func (c *Card) code(src, path string, width, n int) []string {
	var hl components.LineHighlighter
	if c.look.Highlight != nil {
		hl = c.look.Highlight.Start(path[strings.LastIndexByte(path, '.')+1:])
	}
	if hl == nil {
		return c.head(src, width, n)
	}
	lines := strings.Split(text.ExpandTabs(text.Sanitize(strings.TrimRight(src, "\n"))), "\n")
	var out []string
	for _, l := range lines[:min(n, len(lines))] {
		out = append(out, text.Wrap(hl.Line(l), c.bodyWidth(width))...)
	}
	if cut := len(lines) - n; cut > 0 {
		out = append(out, c.dim(fmt.Sprintf("… %s more", plural(cut, "line"))))
	}
	return out
}

func (c *Card) searchView(width int) view {
	what := clean(c.field("pattern"))
	where := c.look.path(c.field("path"))
	if c.name == "ls" {
		what, where = where, ""
		if what == "" {
			what = "."
		}
	}
	v := view{subject: c.look.fg(themes.Text, what)}
	if glob := c.field("glob"); glob != "" {
		v.subject += c.muted("  " + clean(glob))
	}
	if where != "" && where != "." {
		v.subject += c.muted("  in " + where)
	}
	out := strings.TrimRight(c.output(), "\n")
	switch {
	case c.state == failed:
		v.body = c.head(out, width, errorLines)
	case c.state == done && c.Open():
		v.body = c.head(out, width, openLines)
	case c.state == done:
		v.outcome = c.muted(found(c.name, out))
	}
	return v
}

// found counts what a search brought, from the text the model was given.
func found(tool, out string) string {
	lines := strings.Split(out, "\n")
	n := 0
	for _, l := range lines {
		switch {
		case l == "" || strings.HasPrefix(l, "["):
		case tool == "grep":
			// "path:12: text" is a match, "path-11- text" its context.
			if isMatch(l) {
				n++
			}
		default:
			n++
		}
	}
	switch tool {
	case "grep":
		if strings.HasPrefix(out, "No matches") {
			return "no match"
		}
		return plural(n, "match")
	case "find":
		if strings.HasPrefix(out, "No files") {
			return "no file"
		}
		return plural(n, "file")
	}
	if strings.HasPrefix(out, "(empty") {
		return "empty"
	}
	return plural(n, "entry")
}

func isMatch(l string) bool {
	for i := 0; i+2 < len(l); i++ {
		if l[i] != ':' {
			continue
		}
		j := i + 1
		for j < len(l) && l[j] >= '0' && l[j] <= '9' {
			j++
		}
		if j > i+1 && j < len(l) && l[j] == ':' {
			return true
		}
	}
	return false
}

func (c *Card) anyView(width int) view {
	c.parse()
	names := make([]string, 0, len(c.fields))
	for n := range c.fields {
		names = append(names, n)
	}
	slices.Sort(names)
	var v view
	var parts []string
	for _, n := range names {
		parts = append(parts, c.dim(clean(n)+"=")+c.muted(clean(c.field(n))))
	}
	if c.Open() {
		for _, p := range parts {
			v.body = append(v.body, text.Wrap(p, c.bodyWidth(width))...)
		}
	} else {
		v.subject = strings.Join(parts, " ")
	}
	out := c.output()
	switch {
	case c.Open():
		v.body = append(v.body, c.head(out, width, openLines)...)
	case c.state == failed:
		v.body = c.head(out, width, errorLines)
	case c.state == running:
		v.body = c.tail(out, width, tailLines)
	case c.state == done:
		v.outcome = c.muted(lineCount(out))
	}
	return v
}

// details decodes the tool's own account of the result.
func (c *Card) details(v any) bool {
	return c.result != nil && len(c.result.Details) > 0 && json.Unmarshal(c.result.Details, v) == nil
}
