package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"tau/agent"
)

const findDescription = `Find files and folders by a glob pattern such as *.go, src/**/*.ts or {a,b}.md. A pattern without a slash is for names at any depth, one with a slash for paths below the search path. Dot files are found, what .gitignore leaves out is not. Sorted; at most 1000 results unless limit says otherwise.`

const findSchema = `{"type":"object","properties":{"pattern":{"type":"string","description":"Glob pattern"},"path":{"type":"string","description":"Folder to search; the working folder if left out"},"limit":{"type":"number","description":"Number of results at most, 1000 if left out"}},"required":["pattern"]}`

type findArgs struct {
	Pattern string   `json:"pattern"`
	Path    string   `json:"path"`
	Limit   *float64 `json:"limit"`
}

// FindDetails is the details of a search by name that was cut.
type FindDetails struct {
	Truncation         *Truncation `json:"truncation,omitempty"`
	ResultLimitReached int         `json:"resultLimitReached,omitempty"` // the limit
}

const defaultResults = 1000

func (s *Set) find() *agent.Tool {
	return &agent.Tool{
		Name: "find", Label: "Find", Description: findDescription, Parameters: json.RawMessage(findSchema),
		Snippet:    "find files by name",
		Guidelines: []string{"Look for files by name with find, not with the shell."},
		Prepare:    renaming(map[string][]string{"pattern": {"glob", "name", "query"}, "path": {"dir", "directory", "folder"}}),
		Execute: func(ctx context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
			var a findArgs
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return agent.Result{}, fmt.Errorf("arguments of find: %w", err)
			}
			return s.runFind(ctx, a)
		},
	}
}

// atLeastOne is a limit of a call: 0 and less mean 1.
func atLeastOne(limit *float64, other int) int {
	if limit != nil && *limit < 1 {
		return 1
	}
	return whole(limit, 1, other)
}

func (s *Set) runFind(ctx context.Context, a findArgs) (r agent.Result, err error) {
	root, err := s.root(a.Path)
	if err != nil {
		return r, err
	}
	if root.file {
		return r, fmt.Errorf("%s is a file, not a directory", a.Path)
	}
	g, err := newGlob(a.Pattern, root.path)
	if err != nil {
		return r, err
	}
	limit := atLeastOne(a.Limit, defaultResults)
	folded := g.folded()
	// What fits only without regard to case is kept for when nothing else does.
	var exact, alike []string
	w := &walk{set: s, root: root.path}
	err = w.each(ctx, func(v visit) bool {
		if g.dirOnly && v.down == nil {
			return true
		}
		line := func() string {
			if v.down != nil {
				return showName(root.shown+v.rel) + "/"
			}
			return showName(root.shown + v.rel)
		}
		if g.matches(v.rel, v.name) {
			if len(exact) == limit {
				exact = append(exact, "") // there is more
				return false
			}
			exact = append(exact, line())
		} else if len(exact) == 0 && len(alike) <= limit && folded.matches(strings.ToLower(v.rel), strings.ToLower(v.name)) {
			alike = append(alike, line())
		}
		return true
	})
	if err != nil {
		return r, err
	}
	note := ""
	if len(exact) == 0 && len(alike) > 0 {
		exact = alike
		note = "Nothing has exactly these letters; these differ in upper and lower case"
	}
	fails := w.fails.note()
	if len(exact) == 0 {
		text := "No files found matching pattern"
		if fails != "" {
			text += "\n\n[" + fails + "]"
		}
		return agent.TextResult(text), nil
	}
	d, more := FindDetails{}, ""
	if len(exact) > limit {
		exact = exact[:limit]
		d.ResultLimitReached = limit
		more = fmt.Sprintf("%d results limit reached. Use limit=%d for more, or a narrower pattern", limit, 2*limit)
	}
	return listResult(strings.Join(exact, "\n"), func(t *Truncation) any {
		d.Truncation = t
		return d
	}, more != "", note, more, fails), nil
}
