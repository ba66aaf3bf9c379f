package resources

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// split parts the entries of a list in settings: places to look at, and
// patterns that switch what was found on and off.
func split(list []string) (places, patterns []string) {
	for _, e := range list {
		if e == "" {
			continue
		}
		if strings.ContainsRune("!+-", rune(e[0])) {
			patterns = append(patterns, e)
		} else {
			places = append(places, e)
		}
	}
	return places, patterns
}

// enabled applies patterns to a resource: !glob excludes, +path includes in
// spite of that, -path excludes in spite of all. Paths are relative to base. A
// skill is also known by its folder.
func enabled(path, base string, patterns []string) bool {
	names := []string{path}
	if filepath.Base(path) == "SKILL.md" {
		names = append(names, filepath.Dir(path))
	}
	out := true
	for _, kind := range "!+-" {
		for _, p := range patterns {
			if rune(p[0]) != kind {
				continue
			}
			for _, n := range names {
				if kind == '!' && globbed(p[1:], n, base) || kind != '!' && same(p[1:], n, base) {
					out = kind == '+'
				}
			}
		}
	}
	return out
}

func same(pattern, path, base string) bool {
	return resolve(pattern, base) == filepath.Clean(path)
}

func globbed(pattern, path, base string) bool {
	rel, err := filepath.Rel(base, path)
	if err != nil {
		rel = path
	}
	for _, subject := range []string{filepath.ToSlash(rel), filepath.ToSlash(path), filepath.Base(path)} {
		if ok, err := doublestar.Match(pattern, subject); err == nil && ok {
			return true
		}
	}
	return false
}

// chosen applies the filter of a package entry: nil takes all, an empty list
// nothing; plain patterns choose, the others change the choice.
func chosen(path, base string, filter *[]string) bool {
	if filter == nil {
		return true
	}
	plain, patterns := split(*filter)
	in := len(plain) == 0 && len(patterns) > 0
	for _, p := range plain {
		if globbed(p, path, base) || same(p, path, base) || filepath.Base(path) == "SKILL.md" && (globbed(p, filepath.Dir(path), base) || same(p, filepath.Dir(path), base)) {
			in = true
		}
	}
	for _, p := range patterns {
		if p[0] == '+' && !in && enabled(path, base, []string{p}) && same(p[1:], path, base) {
			in = true
		}
	}
	return in && enabled(path, base, patterns)
}

// resolve makes a path of settings absolute.
func resolve(path, base string) string {
	path = home(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return filepath.Clean(path)
}
