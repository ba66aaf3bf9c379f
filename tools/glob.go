package tools

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob is a pattern of a call for paths below the search path: * ? [a-z] {a,b}
// within a name, ** for any folders. Without a slash it is for names at any
// depth.
type glob struct {
	pattern string
	name    bool   // compared with the name alone
	suffix  string // of a pattern like *.go, which needs no matching
	dirOnly bool   // it had a slash at its end
}

// newGlob reads a pattern; root is the absolute search path.
func newGlob(pattern, root string) (*glob, error) {
	p := strings.TrimSpace(pattern)
	if p == "" {
		return nil, errors.New("the pattern is empty; * is for everything")
	}
	if filepath.IsAbs(p) {
		// An absolute pattern is one below the root, if it is below the root.
		base := filepath.ToSlash(root)
		if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(base, "/")+"/"); ok {
			p = rest
			if !strings.Contains(p, "/") {
				p = "./" + p
			}
		}
	}
	g := &glob{}
	anchored := false
	for strings.HasPrefix(p, "./") {
		p = strings.TrimLeft(p[2:], "/")
		anchored = true
	}
	p = strings.TrimPrefix(p, "/")
	if len(p) > 1 && strings.HasSuffix(p, "/") {
		p = strings.TrimRight(p, "/")
		g.dirOnly = true
	}
	if p == "**" || strings.HasSuffix(p, "/**") {
		p += "/*" // what is in a folder, not the folder
	}
	g.pattern = p
	g.name = !strings.Contains(p, "/") && !anchored
	if g.name && strings.HasPrefix(p, "*") && !strings.ContainsAny(p[1:], `*?[]{}\`) {
		g.suffix = p[1:]
	}
	if !doublestar.ValidatePattern(p) {
		return nil, fmt.Errorf("%q is not a pattern: a bracket or brace is not closed; put a backslash before a character that is meant literally", pattern)
	}
	return g, nil
}

// matches reports whether the pattern fits a path below the search path.
func (g *glob) matches(rel, name string) bool {
	if g.name {
		if g.suffix != "" {
			return strings.HasSuffix(name, g.suffix)
		}
		rel = name
	}
	ok, err := doublestar.Match(g.pattern, rel)
	return ok && err == nil
}

// folded is the glob for matching without regard to case.
func (g *glob) folded() *glob {
	f := *g
	f.pattern, f.suffix = strings.ToLower(g.pattern), strings.ToLower(g.suffix)
	return &f
}
