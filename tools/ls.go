package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"tau/agent"
)

const lsDescription = `List a folder: one name a line, sorted, folders with / at the end, dot files too. At most 500 entries unless limit says otherwise.`

const lsSchema = `{"type":"object","properties":{"path":{"type":"string","description":"Folder to list; the working folder if left out"},"limit":{"type":"number","description":"Number of entries at most, 500 if left out"}}}`

type lsArgs struct {
	Path  string   `json:"path"`
	Limit *float64 `json:"limit"`
}

// LsDetails is the details of a listing that was cut.
type LsDetails struct {
	Truncation        *Truncation `json:"truncation,omitempty"`
	EntryLimitReached int         `json:"entryLimitReached,omitempty"` // the limit
}

const defaultEntries = 500

func (s *Set) ls() *agent.Tool {
	return &agent.Tool{
		Name: "ls", Label: "List", Description: lsDescription, Parameters: json.RawMessage(lsSchema),
		Snippet:    "list a folder",
		Guidelines: []string{"List folders with ls, not with the shell."},
		Prepare:    renaming(map[string][]string{"path": {"dir", "directory", "folder", "file_path"}}),
		Execute: func(ctx context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
			var a lsArgs
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return agent.Result{}, fmt.Errorf("arguments of ls: %w", err)
			}
			return s.runLs(ctx, a)
		},
	}
}

func (s *Set) runLs(ctx context.Context, a lsArgs) (r agent.Result, err error) {
	if err := ctx.Err(); err != nil {
		return r, err
	}
	root, err := s.root(a.Path)
	if err != nil {
		return r, err
	}
	if root.file {
		return r, fmt.Errorf("%s is a file, not a directory; read shows it", a.Path)
	}
	entries, err := s.ops.ReadDir(root.path)
	if err != nil && len(entries) == 0 {
		return r, fmt.Errorf("could not list %s: %s", cmp.Or(a.Path, "."), cause(err))
	}
	if len(entries) == 0 {
		return agent.TextResult("(empty directory)"), nil
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int {
		return cmp.Or(strings.Compare(strings.ToLower(x.Name()), strings.ToLower(y.Name())), strings.Compare(x.Name(), y.Name()))
	})
	limit := atLeastOne(a.Limit, defaultEntries)
	d, note := LsDetails{}, ""
	if len(entries) > limit {
		note = fmt.Sprintf("%d of %d entries shown. Use limit=%d for more", limit, len(entries), min(2*limit, len(entries)))
		d.EntryLimitReached = limit
		entries = entries[:limit]
	}
	var b strings.Builder
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		dir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			st, err := s.ops.Stat(filepath.Join(root.path, e.Name()))
			dir = err == nil && st.IsDir()
		}
		b.WriteString(showName(e.Name()))
		if dir {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
	}
	return listResult(strings.TrimSuffix(b.String(), "\n"), func(t *Truncation) any {
		d.Truncation = t
		return d
	}, note != "", note), nil
}
