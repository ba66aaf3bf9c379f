package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// ContextFile is a file of instructions for the agent.
type ContextFile struct {
	Path string
	Text string
}

// maxContextFile bounds what a single file may add to each request.
const maxContextFile = 256 << 10

// ContextFiles reads the instructions that apply in cwd: the agent folder's
// own, then those of each folder from the root down to cwd. In a folder the
// first of AGENTS.override.md, AGENTS.md and CLAUDE.md counts. Files that cannot
// be read are reported, not fatal.
func ContextFiles(agentDir, cwd string) (files []ContextFile, problems []error) {
	dirs := []string{agentDir}
	var up []string
	for dir := cwd; ; dir = filepath.Dir(dir) {
		up = append(up, dir)
		if filepath.Dir(dir) == dir {
			break
		}
	}
	for i := len(up) - 1; i >= 0; i-- {
		dirs = append(dirs, up[i])
	}
	skip := mainCheckout(cwd)
	seen := map[string]bool{}
	for _, dir := range dirs {
		if dir == "" || dir == skip || seen[dir] {
			continue
		}
		seen[dir] = true
		f, err := contextFile(dir)
		if err != nil {
			problems = append(problems, err)
		} else if f != nil {
			files = append(files, *f)
		}
	}
	return files, problems
}

func contextFile(dir string) (*ContextFile, error) {
	for _, name := range []string{"AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"} {
		path := filepath.Join(dir, name)
		st, err := os.Stat(path)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		text, err := readText(path)
		if err != nil {
			return nil, err
		}
		return &ContextFile{Path: path, Text: text}, nil
	}
	return nil, nil
}

func readText(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read instructions: %w", err)
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if len(b) > maxContextFile {
		return "", fmt.Errorf("%s is not used: it has %d bytes, the limit is %d", path, len(b), maxContextFile)
	}
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\ufffd"))
	}
	return string(b), nil
}

// mainCheckout returns the root of the main checkout if cwd is in a linked
// worktree that lies inside it and has instructions of its own: those of the
// main checkout are another copy of the same file.
func mainCheckout(cwd string) string {
	for dir := cwd; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, ".git"))
		if err != nil {
			continue
		}
		gitDir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
		if !ok {
			return ""
		}
		main, _, ok := strings.Cut(filepath.ToSlash(gitDir), "/.git/worktrees/")
		if own, _ := contextFile(dir); !ok || own == nil || !strings.HasPrefix(dir, filepath.FromSlash(main)+string(filepath.Separator)) {
			return ""
		}
		return filepath.FromSlash(main)
	}
	return ""
}

// SystemFiles reads SYSTEM.md and APPEND_SYSTEM.md of a folder. Missing files
// give empty texts.
func SystemFiles(dir string) (system, add string, err error) {
	read := func(name string) string {
		text, e := readText(filepath.Join(dir, name))
		if e != nil && !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
		return strings.TrimSpace(text)
	}
	return read("SYSTEM.md"), read("APPEND_SYSTEM.md"), err
}
