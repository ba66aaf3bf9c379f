// Package export writes a session as one HTML file.
//
//	err := export.HTML(w, st, export.Options{Colors: map[string]string{"text": "#ddd", …}})
//
// The file needs nothing else: no network, no other file. It holds the whole
// tree; a sidebar chooses which path through it is shown, and without scripts
// it shows the path to the leaf. The text of the session is never taken for
// markup: what models and tools wrote cannot run or load anything, which a
// content security policy inside the file enforces as well.
//
// Entries are read and written one at a time.
package export

import (
	"bufio"
	_ "embed"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/yuin/goldmark"

	"tau/session/store"
)

// Options are how the file looks.
type Options struct {
	// Colors are CSS colours by the names of the theme's tokens, such as "text" or
	// "toolErrorBg", and pageBg, cardBg and infoBg. Missing ones have defaults of a
	// dark theme.
	Colors map[string]string
	// Title is the session's name or first message if empty.
	Title string
	// ShowHidden shows messages of extensions that are not meant for display.
	ShowHidden bool
}

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// FileName returns the usual name for the export of a session file.
func FileName(session string) string {
	return "tau-session-" + strings.TrimSuffix(filepath.Base(session), ".jsonl") + ".html"
}

// HTML writes the session to w.
func HTML(w io.Writer, st *store.Store, o Options) error {
	p := &page{w: bufio.NewWriterSize(w, 64<<10), st: st, o: o, calls: map[string]string{}, tree: st.Tree(), md: newMarkdown()}
	p.write()
	if p.err != nil {
		return fmt.Errorf("export session: %w", p.err)
	}
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("export session: %w", err)
	}
	return nil
}

// page is an export under way. The first error stops it.
type page struct {
	w     *bufio.Writer
	st    *store.Store
	o     Options
	tree  store.Tree
	calls map[string]string // what each call was about, by id
	md    goldmark.Markdown
	err   error
}

func (p *page) put(parts ...string) {
	for _, s := range parts {
		if p.err == nil {
			_, p.err = p.w.WriteString(s)
		}
	}
}

func (p *page) write() {
	title := p.title()
	p.put("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n",
		"<title>", html.EscapeString(title), "</title>\n<style>\n", p.variables(), pageCSS, "</style></head>\n<body>\n")
	p.sidebar()
	p.put("<main>\n<header><h1>", html.EscapeString(title), "</h1>", p.facts(), "</header>\n")
	for i := range p.tree.Nodes {
		if p.err != nil {
			return
		}
		e, err := p.st.Entry(p.tree.Nodes[i].ID)
		if err != nil {
			p.err = err
			return
		}
		p.entry(&p.tree.Nodes[i], e)
	}
	p.put("</main>\n<script>\n", pageJS, "</script>\n</body></html>\n")
}

func (p *page) title() string {
	if p.o.Title != "" {
		return p.o.Title
	}
	if name := p.st.Name(); name != "" {
		return name
	}
	for _, n := range p.tree.Nodes {
		if n.Role == "user" {
			if v, err := p.st.Preview(n.ID); err == nil && v.Text != "" {
				return store.OneLine(v.Text, 80)
			}
		}
	}
	return "Session " + p.st.Header().ID
}

func (p *page) facts() string {
	h := p.st.Header()
	var b strings.Builder
	b.WriteString("<dl>")
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "<dt>%s</dt><dd>%s</dd>", name, html.EscapeString(value))
		}
	}
	add("Session", h.ID)
	if t, err := time.Parse(time.RFC3339Nano, h.Timestamp); err == nil {
		add("Started", t.Format("2006-01-02 15:04 MST"))
	}
	add("Folder", h.CWD)
	if c, err := p.st.State(); err == nil && c.ModelID != "" {
		add("Model", c.Provider+"/"+c.ModelID)
	}
	add("Entries", fmt.Sprint(len(p.tree.Nodes)))
	b.WriteString("</dl>")
	return b.String()
}

// variables returns the colours as CSS variables. A value that could be
// anything else than a colour is left out.
func (p *page) variables() string {
	names := make([]string, 0, len(p.o.Colors))
	for name, v := range p.o.Colors {
		if word(name) && color(v) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var b strings.Builder
	b.WriteString(":root{")
	for _, n := range names {
		b.WriteString("--" + n + ":" + p.o.Colors[n] + ";")
	}
	b.WriteString("}\n")
	return b.String()
}

func word(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') }) < 0
}

func color(s string) bool {
	return s != "" && len(s) < 64 && strings.IndexFunc(s, func(r rune) bool {
		return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("#(),.% ", r)
	}) < 0
}

// sidebar writes the tree. Only forks are indented, so that a long
// conversation does not run out of the column.
func (p *page) sidebar() {
	p.put("<aside><input id=\"filter\" type=\"search\" placeholder=\"Filter\" aria-label=\"Filter\"><nav>\n")
	type place struct {
		at    int32
		depth int
	}
	var stack []place
	push := func(first int32, depth int) {
		var row []place
		for i := first; i >= 0; i = p.tree.Nodes[i].Next {
			row = append(row, place{i, depth})
		}
		if len(row) > 1 {
			for i := range row {
				row[i].depth++
			}
		}
		for i := len(row) - 1; i >= 0; i-- {
			stack = append(stack, row[i])
		}
	}
	for i := len(p.tree.Roots) - 1; i >= 0; i-- {
		stack = append(stack, place{p.tree.Roots[i], 0})
	}
	for len(stack) > 0 && p.err == nil {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		p.branch(&p.tree.Nodes[at.at], at.depth)
		push(p.tree.Nodes[at.at].First, at.depth)
	}
	p.put("</nav></aside>\n")
}

func (p *page) branch(n *store.TreeNode, depth int) {
	e, err := p.st.Entry(n.ID)
	if err != nil {
		p.err = err
		return
	}
	if c, ok := e.(*store.CustomMessageEntry); ok && !c.Display && !p.o.ShowHidden {
		return
	}
	v := store.PreviewOf(e)
	kind := n.Type
	if n.Role != "" {
		kind = string(n.Role)
	}
	text := v.Text
	if text == "" {
		text = strings.Join(v.Tools, ", ")
	}
	class := "k-" + slug(kind)
	if n.Active {
		class += " on"
	}
	p.put("<a href=\"#e-", attr(n.ID), "\" class=\"", class, "\" data-id=\"", attr(n.ID), "\" style=\"--d:", fmt.Sprint(min(depth, 12)), "\"><b>", html.EscapeString(label(kind)), "</b> ")
	if n.Label != "" {
		p.put("<i>", html.EscapeString(n.Label), "</i> ")
	}
	p.put(html.EscapeString(clean(text)), "</a>\n")
}

func label(kind string) string {
	switch kind {
	case "toolResult":
		return "result"
	case "thinking_level_change":
		return "thinking"
	case "model_change":
		return "model"
	case "bashExecution":
		return "bash"
	}
	return strings.ReplaceAll(kind, "_", " ")
}

// slug makes a CSS class of a type.
func slug(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, s)
}

func attr(s string) string { return html.EscapeString(clean(s)) }
