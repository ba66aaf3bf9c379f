package demo

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// kind is what a request asks for.
type kind string

const (
	unknown kind = "unknown"
	help    kind = "help"
	list    kind = "list"
	read    kind = "read"
	search  kind = "search"
	find    kind = "find"
	write   kind = "write"
	replace kind = "replace"
	run     kind = "run"
)

// intent is an understood request.
type intent struct {
	kind    kind
	path    string // a file or a folder; "" for the working folder
	pattern string // searched text, glob, or command
	old     string
	new     string // replacement or content
}

// rules are tried in order. In the sentence each quoted piece is a mark
// \x00N\x00, spaces are single, and words of politeness are gone. Named groups
// become the fields of the intent.
var rules = sync.OnceValue(func() []rule {
	const (
		q    = `\x00\d+\x00`
		arg  = `(?:` + q + `|\S+?)`
		end  = `[.!?]*$`
		file = `(?:the )?(?:file )?`
		dir  = `(?: (?:in|inside|under|from|of) (?:the )?(?:folder |directory |dir )?(?P<path>.+?)(?: (?:folder|directory))?)?`
	)
	table := []struct {
		kind kind
		expr string
	}{
		{help, `^(?:help|hi|hello|hey|who are you|what are you|what can (?:you|i) do|how does this work|explain yourself|what is this)\b.{0,40}$`},
		{replace, `^(?:replace|change|substitute|rename) (?:all |every )?(?:occurrences? of |the (?:word|text) )?(?P<old>` + q + `|.+?) (?:with|by|to|into|for) (?P<new>` + q + `|.+?) (?:in|inside) ` + file + `(?P<path>.+?)` + end},
		{replace, `^in ` + file + `(?P<path>` + q + `|.+?),? (?:replace|change|rename) (?:all |every )?(?P<old>` + q + `|.+?) (?:with|by|to|into) (?P<new>` + q + `|.+?)` + end},
		{write, `^(?:create|write|make|add|save) (?:a |an |the )?(?:new )?(?:text )?(?:file )?(?:called |named )?(?P<path>` + q + `|[^\x00]+?) (?:with|containing|that (?:says|contains)|saying):? (?:the )?(?:contents?|text|lines?|words?)?(?: of)? ?:? ?(?P<new>.+)$`},
		{write, `^(?:write|put|save) (?:the (?:text|words?) )?(?P<new>` + q + `) (?:to|into|in|as) (?:a )?(?:new )?` + file + `(?:called |named )?(?P<path>.+?)` + end},
		{run, `^(?:run|execute|exec|do) (?:the )?(?:shell )?(?:command )?:? ?(?P<pattern>` + q + `)` + end},
		{run, `^(?:run|execute|exec)(?: the)? (?:shell )?command:? (?P<pattern>.+)$`},
		{run, `^(?:run|execute|exec):? (?P<pattern>.+)$`},
		{search, `^(?:search|grep|look|scan) (?:through )?(?:(?:the |this |all |my )?(?:code|codebase|files?|project|repo(?:sitory)?) )?(?:for )(?:the (?:word|text|string) )?(?P<pattern>` + q + `|.+?)` + dir + end},
		{search, `^grep (?P<pattern>` + arg + `)` + dir + end},
		{search, `^(?:find|show(?: me)?|list) (?:all |every |the )?(?:occurrences?|uses?|usages?|mentions?|references?|places) (?:of|to|with) (?P<pattern>` + q + `|.+?)` + dir + end},
		{search, `^where (?:is|are) (?P<pattern>` + arg + `) (?:used|defined|mentioned|called|declared)` + dir + end},
		{list, `^(?:list|show(?: me)?|display)(?: me)?(?: all)?(?: of)?(?: the| your| my)? (?:files?|folders?|entries|contents?|director(?:y|ies))(?: and (?:files?|folders?|directories))?(?: here)?` + dir + end},
		{list, `^(?:what|which) files? (?:are|is|do (?:you|we|i) have|exist)(?: there| here)?` + dir + end},
		{list, `^(?:what is|what's|what do we have) (?:in|inside) (?:this|the|the current|my) (?:folder|directory|project|repo)` + end},
		{list, `^(?:ls|dir|list)(?: (?:the )?(?:folder |directory )?(?P<path>.+?))?` + end},
		{list, `^what(?: is|'s) in (?:the )?(?:folder|directory) (?P<path>.+?)` + end},
		{find, `^find (?:me )?(?:all |the |every |any )?files? (?:named |called |matching |like |ending in |ending with |with the name )(?P<pattern>` + arg + `)` + dir + end},
		{find, `^(?:find|list|show(?: me)?) (?:me )?(?:all |the |every |any )?(?P<pattern>` + q + `|\*?\.?[\w-]+) files?` + dir + end},
		{find, `^(?:find|locate) (?:me )?(?:the )?(?:file )?(?P<pattern>` + q + `|\S*[.*?]\S*)` + dir + end},
		{find, `^where is (?:the )?file (?P<pattern>` + arg + `)` + end},
		{read, `^what (?:does|do|is in|is inside) ` + file + `(?P<path>` + q + `|\S+)(?: (?:say|contain|do|hold))?` + end},
		{read, `^what's in ` + file + `(?P<path>.+?)` + end},
		{read, `^(?:read|open|cat|print|show|display|view|summari[sz]e|explain)(?: me)?(?: the (?:contents?|text) of)? ` + file + `(?P<path>.+?)` + end},
	}
	out := make([]rule, len(table))
	for i, r := range table {
		out[i] = rule{r.kind, regexp.MustCompile(`(?i)` + r.expr)}
	}
	return out
})

type rule struct {
	kind kind
	expr *regexp.Regexp
}

var polite = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:please|kindly|now|then|ok(?:ay)?|and|hey|can you|could you|would you|will you|i want you to|i'd like you to|let's|go ahead and)[,:]? +`)
})

var politeEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i),? *(?:please|for me|thanks|thank you)[.!?]*$`)
})

// understand finds out what a request asks for.
func understand(request string) intent {
	sentence, quoted := markQuotes(request)
	sentence = strings.Join(strings.Fields(sentence), " ")
	for {
		short := politeEnd().ReplaceAllString(polite().ReplaceAllString(sentence, ""), "")
		if short == sentence || short == "" {
			break
		}
		sentence = short
	}
	for _, r := range rules() {
		m := r.expr.FindStringSubmatch(sentence)
		if m == nil {
			continue
		}
		in := intent{kind: r.kind}
		for i, name := range r.expr.SubexpNames() {
			switch value := unmark(m[i], quoted, name != "new" && name != "pattern"); name {
			case "path":
				in.path = value
			case "pattern":
				in.pattern = value
			case "old":
				in.old = value
			case "new":
				in.new = value
			}
		}
		if in = in.settle(); in.kind != unknown {
			return in
		}
	}
	return intent{kind: unknown}
}

// settle turns down matches that are none, and completes the others.
func (in intent) settle() intent {
	switch in.path {
	case "here", "this folder", "this directory", "current folder", "current directory", "the current folder", "the current directory", "this project", "project", "code", "files", "all files", "the project", ".":
		in.path = ""
	}
	switch in.kind {
	case read:
		if !looksLikePath(in.path) {
			in.kind = unknown
		}
	case find:
		in.pattern = globOf(in.pattern)
	case replace:
		if in.old == "" || in.path == "" {
			in.kind = unknown
		}
	case write:
		if in.path == "" {
			in.kind = unknown
		}
	case run:
		if in.pattern == "" || isTalk(in.pattern) {
			in.kind = unknown
		}
	case search:
		if in.pattern == "" {
			in.kind = unknown
		}
	}
	return in
}

// isTalk reports whether what is to be run is a description, as in "run the
// tests", and no command.
func isTalk(command string) bool {
	first, _, _ := strings.Cut(strings.ToLower(command), " ")
	switch first {
	case "the", "a", "an", "all", "any", "every", "everything", "it", "this", "that", "these", "those", "my", "your", "our", "some", "tests":
		return true
	}
	return false
}

func looksLikePath(s string) bool {
	if s == "" {
		return false
	}
	base := path.Base(s)
	if strings.ContainsAny(s, "./~\\") && !strings.HasSuffix(s, "...") {
		return true
	}
	switch strings.ToLower(base) {
	case "makefile", "readme", "license", "dockerfile", "changelog", "todo", "notes":
		return true
	}
	return !strings.Contains(s, " ") && base != strings.ToLower(base)
}

// globOf makes a pattern of how people name kinds of files.
func globOf(s string) string {
	languages := map[string]string{
		"go": "*.go", "python": "*.py", "markdown": "*.md", "javascript": "*.js", "typescript": "*.ts", "rust": "*.rs",
		"json": "*.json", "text": "*.txt", "test": "*test*", "yaml": "*.y*ml", "shell": "*.sh", "html": "*.html", "css": "*.css", "c": "*.c",
	}
	if glob, ok := languages[strings.ToLower(s)]; ok {
		return glob
	}
	if strings.HasPrefix(s, ".") && !strings.ContainsAny(s[1:], "./*") {
		return "*" + s
	}
	return s
}

// markQuotes replaces quoted pieces by marks. A quote counts only where one can
// open, so that the apostrophe of "don't" does not.
func markQuotes(s string) (string, []string) {
	closers := map[rune]rune{'"': '"', '\'': '\'', '`': '`', '“': '”', '”': '”', '‘': '’', '«': '»', '„': '“', '‚': '‘'}
	var out strings.Builder
	var quoted []string
	mark := func(text string) {
		out.WriteString("\x00" + strconv.Itoa(len(quoted)) + "\x00")
		quoted = append(quoted, text)
	}
	s = strings.ReplaceAll(s, "\x00", "")
	previous := ' '
	for s != "" {
		if body, rest, ok := fenced(s); ok {
			mark(body)
			s, previous = rest, '`'
			continue
		}
		r := []rune(s[:min(len(s), 4)])[0]
		size := len(string(r))
		if closer, ok := closers[r]; ok && (unicode.IsSpace(previous) || strings.ContainsRune("(:=,", previous)) {
			if n := closeQuote(s[size:], closer); n >= 0 {
				mark(s[size : size+n])
				s, previous = s[size+n+len(string(closer)):], closer
				continue
			}
		}
		if !strings.HasPrefix(s, string(r)) { // not UTF-8
			size = 1
		}
		out.WriteString(s[:size])
		s, previous = s[size:], r
	}
	return out.String(), quoted
}

// fenced takes a block between lines of three backticks off s.
func fenced(s string) (body, rest string, ok bool) {
	inner, ok := strings.CutPrefix(s, "```")
	if !ok {
		return "", s, false
	}
	body, rest, ok = strings.Cut(inner, "```")
	if !ok {
		return "", s, false
	}
	if _, text, multi := strings.Cut(body, "\n"); multi {
		body = text // after the name of the language
	}
	return body, rest, true
}

// closeQuote finds the closing quote that is followed by no letter, or -1.
func closeQuote(s string, closer rune) int {
	for from := 0; ; {
		at := strings.IndexRune(s[from:], closer)
		if at < 0 {
			return -1
		}
		after := s[from+at+len(string(closer)):]
		next := ' '
		for _, r := range after {
			next = r
			break
		}
		if !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			return from + at
		}
		from += at + len(string(closer))
	}
}

var markExpr = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x00(\d+)\x00`) })

// unmark puts quoted pieces back. trim takes the punctuation of the sentence
// off words that were not quoted.
func unmark(s string, quoted []string, trim bool) string {
	if m := markExpr().FindStringSubmatch(s); m != nil && m[0] == strings.TrimRight(s, ".,!?;: ") {
		n, _ := strconv.Atoi(m[1])
		return quoted[n]
	}
	if trim {
		s = strings.TrimRight(strings.TrimSpace(s), ",!?;:")
		s = strings.TrimSuffix(s, ".")
	}
	return markExpr().ReplaceAllStringFunc(s, func(m string) string {
		n, _ := strconv.Atoi(strings.Trim(m, "\x00"))
		return quoted[n]
	})
}
