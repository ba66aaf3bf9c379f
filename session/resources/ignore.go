package resources

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreList holds the patterns of the ignore files of a folder, in their
// order.
type ignoreList struct {
	dir      string
	patterns []string
}

func readIgnore(dir string) *ignoreList {
	l := ignoreList{dir: dir}
	for _, name := range []string{".gitignore", ".ignore", ".fdignore"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(b) > maxFile {
			continue
		}
		for line := range strings.Lines(string(b)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				l.patterns = append(l.patterns, line)
			}
		}
	}
	if l.patterns == nil {
		return nil
	}
	return &l
}

// ignores reports whether the last pattern that fits a path excludes it.
func ignores(lists []ignoreList, path string, dir bool) bool {
	out := false
	for _, l := range lists {
		rel, err := filepath.Rel(l.dir, path)
		if err != nil {
			continue
		}
		rel = filepath.ToSlash(rel)
		for _, p := range l.patterns {
			p, negate := strings.CutPrefix(p, "!")
			p, onlyDir := strings.CutSuffix(p, "/")
			if onlyDir && !dir {
				continue
			}
			subject := rel
			if !strings.Contains(p, "/") {
				subject = rel[strings.LastIndexByte(rel, '/')+1:]
			}
			if ok, err := doublestar.Match(strings.TrimPrefix(p, "/"), subject); err == nil && ok {
				out = !negate
			}
		}
	}
	return out
}
