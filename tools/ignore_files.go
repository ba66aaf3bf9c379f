package tools

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxIgnoreFile is how much of an ignore file is read.
const maxIgnoreFile = 4 << 20

// ignoreFiles are the files with rules that a folder may have, weakest first.
// The second is the one of rg and fd, for rules that git does not share.
var ignoreFiles = [...]string{".gitignore", ".ignore"}

func (s *Set) readSmall(path string) string {
	st, err := s.ops.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return ""
	}
	f, err := s.ops.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return ""
	}
	return string(b)
}

// rulesAbove returns the rules that hold in a folder because of what is above
// it, up to the top of its repository; without one, up to the working folder.
// A folder that is searched on purpose is not left out itself, even if a rule
// says so.
func (s *Set) rulesAbove(root string) *rules {
	top := ""
	for dir := root; ; dir = filepath.Dir(dir) {
		if s.exists(filepath.Join(dir, ".git")) {
			top = dir
			break
		}
		if filepath.Dir(dir) == dir {
			break
		}
	}
	if top == root {
		return nil // the walk begins with it
	}
	if top == "" {
		if rel, err := filepath.Rel(s.opts.CWD, root); err != nil || !filepath.IsLocal(rel) || rel == "." {
			return s.globalRules(root)
		}
		top = filepath.Clean(s.opts.CWD)
	}
	r := s.repositoryRules(top)
	rel, err := filepath.Rel(top, root)
	if err != nil {
		return r
	}
	dir := top
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		for _, name := range ignoreFiles {
			r = s.folderRules(dir, name, r)
		}
		dir = filepath.Join(dir, part)
	}
	return r
}

func (s *Set) folderRules(dir, name string, weaker *rules) *rules {
	text := s.readSmall(filepath.Join(dir, name))
	if text == "" {
		return weaker
	}
	return parseRules(text, filepath.ToSlash(dir), weaker)
}

// repositoryRules are those that a repository has outside its tree.
func (s *Set) repositoryRules(top string) *rules {
	r := s.globalRules(top)
	git := filepath.Join(top, ".git")
	if st, err := s.ops.Stat(git); err == nil && !st.IsDir() {
		git = s.commonDir(top, git)
	}
	if text := s.readSmall(filepath.Join(git, "info", "exclude")); text != "" {
		r = parseRules(text, filepath.ToSlash(top), r)
	}
	return r
}

// commonDir follows a .git file of a work tree (gitrepository-layout(5)).
func (s *Set) commonDir(top, file string) string {
	dir, ok := strings.CutPrefix(strings.TrimSpace(s.readSmall(file)), "gitdir: ")
	if !ok {
		return file
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(top, dir)
	}
	if common := strings.TrimSpace(s.readSmall(filepath.Join(dir, "commondir"))); common != "" {
		if !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
		return common
	}
	return dir
}

// globalRules are those of the user: core.excludesFile of git's configuration,
// else git/ignore in the folder for configuration.
func (s *Set) globalRules(top string) *rules {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	file := filepath.Join(config, "git", "ignore")
	sources := []string{filepath.Join(config, "git", "config"), filepath.Join(home, ".gitconfig")}
	if own := os.Getenv("GIT_CONFIG_GLOBAL"); own != "" {
		sources = []string{own}
	}
	for _, source := range sources {
		if named := excludesFile(s.readSmall(source)); named != "" {
			file = named
		}
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(home, rest)
	}
	if text := s.readSmall(file); text != "" {
		return parseRules(text, filepath.ToSlash(top), nil)
	}
	return nil
}

// excludesFile finds core.excludesFile in a file of git-config(1).
func excludesFile(config string) string {
	section, found := "", ""
	lines := bufio.NewScanner(strings.NewReader(config))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if ok && section == "[core]" && strings.EqualFold(strings.TrimSpace(name), "excludesfile") {
			found = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return found
}
