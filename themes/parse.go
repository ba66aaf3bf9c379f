package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Error is a mistake in a theme file.
type Error struct {
	File   string // path or name as given to Load
	Line   int    // from 1; 0 if the mistake has no place
	Column int    // in bytes, from 1
	Token  string // the colour token or variable concerned, if any
	Msg    string
}

// Error returns "file:line:column: token: message".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Token != "" {
		b.WriteString(e.Token + ": ")
	}
	b.WriteString(e.Msg)
	return b.String()
}

// node is a JSON value with its place in the file.
type node struct {
	pos     int
	value   any // string, json.Number, bool, nil or the opening json.Delim
	members []member
	object  bool
}

type member struct {
	pos  int
	name string
	node node
}

type parser struct {
	file string
	data []byte
	dec  *json.Decoder
}

func (p *parser) fail(pos int, token, format string, args ...any) error {
	pos = min(max(pos, 0), len(p.data))
	head := p.data[:pos]
	return &Error{
		File: p.file, Line: bytes.Count(head, []byte("\n")) + 1, Column: pos - bytes.LastIndexByte(head, '\n'),
		Token: token, Msg: fmt.Sprintf(format, args...),
	}
}

// token reads the next JSON token and the offset it starts at.
func (p *parser) token() (json.Token, int, error) {
	pos := int(p.dec.InputOffset())
	for pos < len(p.data) && bytes.IndexByte([]byte(" \t\r\n,:"), p.data[pos]) >= 0 {
		pos++
	}
	t, err := p.dec.Token()
	if err == nil {
		return t, pos, nil
	}
	var syn *json.SyntaxError
	switch {
	case errors.As(err, &syn):
		return nil, 0, p.fail(int(syn.Offset)-1, "", "%s", syn.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, 0, p.fail(len(p.data), "", "the file ends too early")
	}
	return nil, 0, p.fail(pos, "", "%s", err.Error())
}

func (p *parser) node(depth int) (node, error) {
	t, pos, err := p.token()
	if err != nil {
		return node{}, err
	}
	if depth > 8 {
		return node{}, p.fail(pos, "", "too deeply nested")
	}
	n := node{pos: pos, value: t}
	switch t {
	case json.Delim('{'):
		n.object = true
		seen := map[string]bool{}
		for p.dec.More() {
			k, kpos, err := p.token()
			if err != nil {
				return node{}, err
			}
			name, _ := k.(string)
			if seen[name] {
				return node{}, p.fail(kpos, name, "given twice")
			}
			seen[name] = true
			v, err := p.node(depth + 1)
			if err != nil {
				return node{}, err
			}
			n.members = append(n.members, member{kpos, name, v})
		}
		_, _, err = p.token()
	case json.Delim('['):
		for p.dec.More() {
			if _, err := p.node(depth + 1); err != nil {
				return node{}, err
			}
		}
		_, _, err = p.token()
	}
	return n, err
}

// Parse checks a theme file and resolves it for a depth. name is used in
// errors; the error is an *Error.
func Parse(file string, data []byte, d Depth) (*Theme, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	p := &parser{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	p.dec.UseNumber()
	root, err := p.node(0)
	if err != nil {
		return nil, err
	}
	if !root.object {
		return nil, p.fail(root.pos, "", "a theme is a JSON object")
	}
	if rest := bytes.TrimLeft(data[p.dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, p.fail(len(data)-len(rest), "", "text after the theme")
	}
	t := &Theme{}
	var vars, colors, export *node
	for i := range root.members {
		m := &root.members[i]
		str, isString := m.node.value.(string)
		switch m.name {
		case "$schema", "name", "appearance":
			if !isString {
				return nil, p.fail(m.node.pos, m.name, "must be a string")
			}
			if m.name == "name" {
				t.name = str
			}
			if m.name == "appearance" {
				switch str {
				case "dark":
					t.appearance = Dark
				case "light":
					t.appearance = Light
				default:
					return nil, p.fail(m.node.pos, m.name, "must be \"dark\" or \"light\"")
				}
			}
		case "vars", "colors", "export":
			if !m.node.object {
				return nil, p.fail(m.node.pos, m.name, "must be an object")
			}
			switch m.name {
			case "vars":
				vars = &m.node
			case "colors":
				colors = &m.node
			default:
				export = &m.node
			}
		default:
			return nil, p.fail(m.pos, m.name, "unknown key")
		}
	}
	switch {
	case t.name == "":
		return nil, p.fail(root.pos, "name", "is missing")
	case colors == nil:
		return nil, p.fail(root.pos, "colors", "is missing")
	}
	r := resolver{p: p, vars: map[string]*node{}}
	if vars != nil {
		for i := range vars.members {
			r.vars[vars.members[i].name] = &vars.members[i].node
		}
		for i := range vars.members {
			m := &vars.members[i]
			if _, err := r.color(m.name, &m.node, []string{m.name}); err != nil {
				return nil, err
			}
		}
	}
	if err := r.colors(t, colors); err != nil {
		return nil, err
	}
	if export != nil {
		if err := r.export(t, export); err != nil {
			return nil, err
		}
	}
	if t.appearance == Unknown {
		t.appearance = guess(t)
	}
	return t.resolve(d), nil
}

// guess tells the appearance from the text colour.
func guess(t *Theme) Appearance {
	if c, ok := t.colors[Text].RGB(); ok && c.Luminance() < 0.3 {
		return Light
	}
	if c, ok := t.colors[UserMessageBg].RGB(); ok && c.Luminance() > 0.5 {
		return Light
	}
	return Dark
}

type resolver struct {
	p    *parser
	vars map[string]*node
}

// color resolves a value that may be the name of a variable. path lists the
// variables on the way, to find circles.
func (r *resolver) color(token string, n *node, path []string) (Color, error) {
	var s string
	switch v := n.value.(type) {
	case string:
		s = v
	case json.Number:
		s = v.String()
	default:
		return Color{}, r.p.fail(n.pos, token, "a colour is a string or a number 0-255")
	}
	if next, ok := r.vars[s]; ok {
		for _, seen := range path {
			if seen == s {
				return Color{}, r.p.fail(n.pos, token, "variable %q refers to itself", s)
			}
		}
		return r.color(token, next, append(path, s))
	}
	c, err := ParseColor(s)
	if err != nil {
		return Color{}, r.p.fail(n.pos, token, "%s (and no variable has that name)", err)
	}
	return c, nil
}

func (r *resolver) colors(t *Theme, n *node) error {
	var have [tokenCount]bool
	for i := range n.members {
		m := &n.members[i]
		tok, ok := ParseToken(m.name)
		if !ok {
			return r.p.fail(m.pos, m.name, "unknown colour token")
		}
		c, err := r.color(m.name, &m.node, nil)
		if err != nil {
			return err
		}
		t.colors[tok], have[tok] = c, true
	}
	var missing []string
	for i := range have {
		if !have[i] && !Token(i).IsOptional() {
			missing = append(missing, Token(i).String())
		}
	}
	if len(missing) > 0 {
		return r.p.fail(n.pos, missing[0], "missing colour tokens: %s", strings.Join(missing, ", "))
	}
	// Fallbacks are required tokens themselves, so one pass is enough.
	for i := range have {
		if !have[i] {
			t.colors[i] = t.colors[slots[i].fallback]
		}
	}
	return nil
}

func (r *resolver) export(t *Theme, n *node) error {
	for i := range n.members {
		m := &n.members[i]
		c, err := r.color(m.name, &m.node, nil)
		if err != nil {
			return err
		}
		s := ""
		if rgb, ok := c.RGB(); ok {
			s = rgb.String()
		}
		switch m.name {
		case "pageBg":
			t.export.PageBg = s
		case "cardBg":
			t.export.CardBg = s
		case "infoBg":
			t.export.InfoBg = s
		default:
			return r.p.fail(m.pos, m.name, "unknown key of export")
		}
	}
	return nil
}
