package resources

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Template is a prompt that is called as "/name arguments".
type Template struct {
	Name        string
	Description string
	Hint        string // what arguments it takes
	Text        string
	Source      Source
}

type templateHead struct {
	Description string `yaml:"description"`
	Hint        any    `yaml:"argument-hint"`
}

func (l *loader) loadTemplate(path string, src Source) (Template, bool) {
	var h templateHead
	body, err := readMarkdown(path, &h)
	if err != nil {
		l.problem(path, "the template is not loaded: "+err.Error())
		return Template{}, false
	}
	t := Template{Name: strings.TrimSuffix(filepath.Base(path), ".md"), Description: strings.TrimSpace(h.Description), Text: body, Source: src}
	switch v := h.Hint.(type) {
	case string:
		t.Hint = v
	case []any: // [file] without quotes is a list in YAML
		var words []string
		for _, w := range v {
			if s, ok := w.(string); ok {
				words = append(words, s)
			}
		}
		t.Hint = "[" + strings.Join(words, ", ") + "]"
	}
	if t.Description == "" {
		for line := range strings.Lines(body) {
			if line = strings.TrimSpace(line); line != "" {
				t.Description = shorten(line)
				break
			}
		}
	}
	return t, true
}

// maxFirstLine is how much of the first line describes a template that has no
// description.
const maxFirstLine = 60

func shorten(line string) string {
	if r := []rune(line); len(r) > maxFirstLine {
		return string(r[:maxFirstLine]) + "..."
	}
	return line
}

// Fill puts arguments into the template. Nothing in an argument is looked at
// again.
//
//	$1 … $9, $10   one argument, empty if there is none
//	$@, $ARGUMENTS all, separated by a space
//	${1:-word}     word if there is no such argument; also ${@:-word}
//	${@:2}         from the second on; ${@:2:3} three of them
func (t Template) Fill(args []string) string {
	var b strings.Builder
	s := t.Text
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		value, n := variable(s[i:], args)
		if n == 0 {
			value, n = "$", 1
		}
		b.WriteString(value)
		s = s[i+n:]
	}
}

// variable reads the variable that s begins with and returns its value and
// length, which is 0 if there is none.
func variable(s string, args []string) (value string, n int) {
	all := strings.Join(args, " ")
	rest := s[1:]
	switch {
	case strings.HasPrefix(rest, "@"):
		return all, 2
	case strings.HasPrefix(rest, "ARGUMENTS"):
		return all, 1 + len("ARGUMENTS")
	case strings.HasPrefix(rest, "{"):
		inner, _, ok := strings.Cut(rest[1:], "}")
		if !ok {
			return "", 0
		}
		v, ok := braced(inner, args)
		if !ok {
			return "", 0
		}
		return v, len(inner) + 3
	}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if digits == 0 {
		return "", 0
	}
	return argument(args, rest[:digits]), 1 + digits
}

func argument(args []string, number string) string {
	if i, err := strconv.Atoi(number); err == nil && i >= 1 && i <= len(args) {
		return args[i-1]
	}
	return ""
}

// braced is the value of what stands between ${ and }.
func braced(inner string, args []string) (string, bool) {
	name, spec, has := strings.Cut(inner, ":")
	if !has {
		return "", false
	}
	or, isDefault := strings.CutPrefix(spec, "-")
	number := name != "" && strings.Trim(name, "0123456789") == ""
	switch {
	case isDefault && name == "@":
		if v := strings.Join(args, " "); v != "" {
			return v, true
		}
		return or, true
	case isDefault && number:
		if v := argument(args, name); v != "" {
			return v, true
		}
		return or, true
	case name == "@":
		from, count, limited := strings.Cut(spec, ":")
		i, err := strconv.Atoi(from)
		if err != nil || i < 0 {
			return "", false
		}
		rest := args[min(max(i-1, 0), len(args)):]
		if limited {
			n, err := strconv.Atoi(count)
			if err != nil || n < 0 {
				return "", false
			}
			rest = rest[:min(n, len(rest))]
		}
		return strings.Join(rest, " "), true
	}
	return "", false
}

// Arguments splits what follows a command's name at white space. Quotes hold
// words together; one that is not closed is a character like any other.
func Arguments(s string) []string {
	var out []string
	var word strings.Builder
	inWord := false
	end := func() {
		if inWord {
			out = append(out, word.String())
			word.Reset()
			inWord = false
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			end()
			continue
		case c == '"' || c == '\'':
			if quoted, n, ok := quotedPart(s[i:]); ok {
				word.WriteString(quoted)
				inWord = true
				i += n - 1
				continue
			}
		}
		word.WriteByte(s[i])
		inWord = true
	}
	end()
	return out
}

// quotedPart reads the quoted part that s begins with: its text, and how many
// bytes it takes. A backslash keeps a quote of the same kind from closing it.
func quotedPart(s string) (string, int, bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == s[0] || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case s[i] == s[0]:
			return b.String(), i + 1, true
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0, false
}
