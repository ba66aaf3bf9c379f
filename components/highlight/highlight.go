package highlight

import (
	"path"
	"strings"

	"github.com/alecthomas/chroma/v2"

	"tau/components"
)

// Styles are the colours of code. Nil leaves text plain.
type Styles struct {
	Text        components.Style // all that has no colour of its own
	Comment     components.Style
	Keyword     components.Style
	Function    components.Style
	Variable    components.Style
	String      components.Style
	Number      components.Style
	Type        components.Style
	Operator    components.Style
	Punctuation components.Style
	Inserted    components.Style // lines of diffs
	Deleted     components.Style
	Heading     components.Style
}

// For returns the colour of a token type.
func (s Styles) For(t chroma.TokenType) components.Style {
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameBuiltin, chroma.NameTag:
		return s.Type
	case chroma.KeywordConstant, chroma.LiteralNumber:
		return s.Number
	case chroma.NameFunction:
		return s.Function
	case chroma.NameAttribute, chroma.NameVariable, chroma.NameConstant, chroma.NameDecorator:
		return s.Variable
	case chroma.LiteralString:
		return s.String
	case chroma.GenericInserted:
		return s.Inserted
	case chroma.GenericDeleted:
		return s.Deleted
	case chroma.GenericHeading:
		return s.Heading
	case chroma.Comment:
		return s.Comment
	case chroma.Keyword:
		return s.Keyword
	case chroma.Operator:
		return s.Operator
	case chroma.Punctuation:
		return s.Punctuation
	}
	return s.Text
}

// Highlighter colours code in a set of colours.
type Highlighter struct{ styles Styles }

// New returns a highlighter.
func New(s Styles) *Highlighter { return &Highlighter{s} }

// Start implements components.Highlighter. The language is the word behind a
// code fence: a name or a file extension.
func (h *Highlighter) Start(language string) components.LineHighlighter {
	l := find(language)
	if l == nil {
		return nil
	}
	return &lines{styles: &h.styles, lex: lexer{lang: l, find: find}}
}

type lines struct {
	styles *Styles
	lex    lexer
	out    strings.Builder
}

// Line implements components.LineHighlighter.
func (l *lines) Line(s string) string {
	l.out.Reset()
	for _, t := range l.lex.line(s) {
		v := t.Value
		if st := l.styles.For(t.Type); st != nil && strings.TrimSpace(v) != "" {
			v = st(v)
		}
		l.out.WriteString(v)
	}
	return l.out.String()
}

// Tokens splits code into tokens; their values joined are the code. It is false
// for languages that are not known.
func Tokens(language, code string) ([]chroma.Token, bool) {
	l := find(language)
	if l == nil {
		return nil, false
	}
	lex := lexer{lang: l, find: find}
	var out []chroma.Token
	for line := range strings.SplitAfterSeq(code, "\n") {
		text, nl := strings.CutSuffix(line, "\n")
		out = append(out, lex.line(text)...)
		if nl {
			out = append(out, chroma.Token{Type: chroma.Text, Value: "\n"})
		}
	}
	return out, true
}

// Language returns the name of the language a file is written in by its name,
// or "".
func Language(file string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	switch base {
	case "makefile", "gnumakefile", "dockerfile", "containerfile", ".bashrc", ".zshrc", ".profile", ".bash_profile":
		return "bash"
	case "go.mod", "go.sum":
		return "gomod"
	case "cargo.lock", "poetry.lock":
		return "toml"
	case "gemfile", "rakefile":
		return "ruby"
	case ".clang-format":
		return "yaml"
	}
	i := strings.LastIndexByte(base, '.')
	if i < 0 || find(base[i+1:]) == nil {
		return ""
	}
	return find(base[i+1:]).name
}
