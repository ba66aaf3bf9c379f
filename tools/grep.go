package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"tau/agent"
)

const grepDescription = `Search the content of files for a regular expression (RE2 syntax: no look-around, no back-references) or, with literal, for a text. Returns path:line: text, at most 100 matching lines unless limit says otherwise, lines cut at 500 characters. Dot files are searched; binary files and what .gitignore leaves out are not.`

const grepSchema = `{"type":"object","properties":{"pattern":{"type":"string","description":"Regular expression, or text if literal is set"},"path":{"type":"string","description":"Folder or file to search; the working folder if left out"},"glob":{"type":"string","description":"Only files that fit this glob pattern, such as *.ts or src/**/*.go; a ! in front turns it round"},"ignoreCase":{"type":"boolean","description":"Take upper and lower case as one"},"literal":{"type":"boolean","description":"The pattern is a text, not an expression"},"context":{"type":"number","description":"Lines to show before and after each match"},"limit":{"type":"number","description":"Number of matching lines at most, 100 if left out"}},"required":["pattern"]}`

type grepArgs struct {
	Pattern    string   `json:"pattern"`
	Path       string   `json:"path"`
	Glob       string   `json:"glob"`
	IgnoreCase bool     `json:"ignoreCase"`
	Literal    bool     `json:"literal"`
	Context    *float64 `json:"context"`
	Limit      *float64 `json:"limit"`
}

// GrepDetails is the details of a search that was cut.
type GrepDetails struct {
	Truncation        *Truncation `json:"truncation,omitempty"`
	MatchLimitReached int         `json:"matchLimitReached,omitempty"` // the limit
	LinesTruncated    bool        `json:"linesTruncated,omitempty"`
}

const (
	defaultMatches = 100
	maxContext     = 100
)

func (s *Set) grep() *agent.Tool {
	return &agent.Tool{
		Name: "grep", Label: "Grep", Description: grepDescription, Parameters: json.RawMessage(grepSchema),
		Snippet:    "search the content of files",
		Guidelines: []string{"Search file contents with grep, not with the shell."},
		Prepare: renaming(map[string][]string{
			"pattern": {"query", "regex", "search"}, "path": {"dir", "directory", "folder", "file_path"}, "glob": {"include", "file_pattern"},
			"ignoreCase": {"ignore_case", "case_insensitive", "-i"}, "context": {"-C", "context_lines"}, "limit": {"max_results", "head_limit"},
		}),
		Execute: func(ctx context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
			var a grepArgs
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return agent.Result{}, fmt.Errorf("arguments of grep: %w", err)
			}
			return s.runGrep(ctx, a)
		},
	}
}

func (s *Set) runGrep(ctx context.Context, a grepArgs) (r agent.Result, err error) {
	if a.Pattern == "" {
		return r, errors.New("pattern is empty")
	}
	m, err := newMatcher(a.Pattern, a.Literal, a.IgnoreCase)
	if err != nil {
		return r, err
	}
	root, err := s.root(a.Path)
	if err != nil {
		return r, err
	}
	wanted := func(visit) bool { return true }
	if a.Glob != "" {
		pattern, not := strings.CutPrefix(a.Glob, "!")
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		g, err := newGlob(pattern, root.path)
		if err != nil {
			return r, fmt.Errorf("glob: %w", err)
		}
		wanted = func(v visit) bool { return g.matches(v.rel, v.name) != not }
	}
	limit := atLeastOne(a.Limit, defaultMatches)
	g := &grepping{
		set: s, root: root, matcher: m, wanted: wanted,
		context: min(whole(a.Context, 0, 0), maxContext), limit: limit,
	}
	if err := g.search(ctx); err != nil {
		return r, err
	}
	return g.result(), nil
}

// grepping is one search.
type grepping struct {
	set     *Set
	root    searched
	matcher *matcher
	wanted  func(visit) bool
	context int
	limit   int
	fails   failures

	out     bytes.Buffer
	matches int // shown
	more    bool
	cutLine bool
	binary  bool // the one file to search is binary
}

// fileHits is what one file has, as lines of the result.
type fileHits struct {
	rel    string
	done   chan struct{}
	found  []hit
	binary bool
}

// search goes through the files, several at a time, and takes what they have
// in their order until there is enough.
func (g *grepping) search(ctx context.Context) error {
	if g.root.file {
		f := &fileHits{rel: filepath.Base(g.root.path)}
		g.searchFile(ctx, f, new(searchBuffer), g.root.path)
		g.binary = f.binary
		g.take(f)
		return ctx.Err()
	}
	found, cancel := context.WithCancel(ctx)
	defer cancel()
	ordered := make(chan *fileHits, 64*readers())
	work := make(chan *fileHits, cap(ordered))
	w := &walk{set: g.set, root: g.root.path}
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	all.Go(func() {
		defer close(ordered)
		defer close(work)
		_ = w.each(found, func(v visit) bool {
			// Only regular files: to open a FIFO would block.
			if v.mode&fs.ModeType != 0 || !g.wanted(v) {
				return true
			}
			f := &fileHits{rel: v.rel, done: make(chan struct{})}
			select {
			case ordered <- f:
				work <- f
				return true
			case <-found.Done():
				return false
			}
		})
	})
	for range readers() {
		all.Go(func() {
			var b searchBuffer
			for f := range work {
				if found.Err() == nil {
					g.searchFile(found, f, &b, filepath.Join(g.root.path, filepath.FromSlash(f.rel)))
				}
				close(f.done)
			}
		})
	}
	for f := range ordered {
		<-f.done
		if !g.take(f) {
			cancel()
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	cancel()
	all.Wait()
	g.fails.first = append(g.fails.first, w.fails.first...)
	g.fails.more += w.fails.more
	return nil
}

func (g *grepping) searchFile(ctx context.Context, f *fileHits, b *searchBuffer, path string) {
	found, binary, err := g.set.searchFile(ctx, path, g.matcher, g.context, g.limit+1, b)
	if err != nil && ctx.Err() == nil {
		g.fails.add(f.rel, err)
	}
	f.found, f.binary = found, binary
}

// take adds what a file has to the result and reports whether more is wanted.
func (g *grepping) take(f *fileHits) bool {
	shown := showName(g.root.shown + f.rel)
	if g.root.file {
		shown = showName(g.root.shown)
	}
	last := 0
	for _, h := range f.found {
		if h.match {
			if g.matches == g.limit {
				g.more = true
				return false
			}
		} else if g.matches == g.limit && h.before {
			continue // belongs to a match that is not shown
		}
		if g.context > 0 && g.out.Len() > 0 && h.line != last+1 {
			g.out.WriteString("--\n")
		}
		last = h.line
		mark := ":"
		if h.match {
			g.matches++
		} else {
			mark = "-"
		}
		g.cutLine = g.cutLine || h.cut
		fmt.Fprintf(&g.out, "%s%s%d%s %s\n", shown, mark, h.line, mark, h.text)
	}
	// Beyond the byte limit nothing is shown.
	return g.out.Len() <= 2*maxBytes
}

func (g *grepping) result() agent.Result {
	fails := g.fails.note()
	if g.matches == 0 {
		text := "No matches found"
		if g.binary {
			text = path.Base(g.root.shown) + " is a binary file, which is not searched"
		}
		if fails != "" {
			text += "\n\n[" + fails + "]"
		}
		return agent.TextResult(text)
	}
	var d GrepDetails
	var more, cut string
	if g.more {
		d.MatchLimitReached = g.limit
		more = fmt.Sprintf("%d matches limit reached. Use limit=%d for more, or a narrower pattern", g.limit, 2*g.limit)
	}
	if g.cutLine {
		d.LinesTruncated = true
		cut = fmt.Sprintf("Some lines were cut to %d characters; read shows them whole", maxLine)
	}
	return listResult(strings.TrimSuffix(g.out.String(), "\n"), func(t *Truncation) any {
		d.Truncation = t
		return d
	}, g.more || g.cutLine, more, cut, fails)
}
