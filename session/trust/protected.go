package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// item is something in a project that needs trust: a file or a whole folder.
type item struct{ name, path string }

type items []item

// protected lists what of a project needs trust and is there: what is in its
// own folder, and the skills in .agents from the folder up to the root of the
// repository. The user's own ~/.agents is not the project's.
func protected(cwd, projectDir string) items {
	var out items
	add := func(name, path string) {
		if _, err := os.Lstat(path); err == nil {
			out = append(out, item{name, path})
		}
	}
	for _, name := range []string{"settings.json", "mcp.json", "extensions", "skills", "prompts", "themes", "agents", "SYSTEM.md", "APPEND_SYSTEM.md"} {
		add(filepath.Join(projectDir, name), filepath.Join(cwd, projectDir, name))
	}
	home, _ := os.UserHomeDir() // without one nothing is left out
	for dir := cwd; ; dir = filepath.Dir(dir) {
		if dir != home {
			name := filepath.Join(".agents", "skills")
			if rel, err := filepath.Rel(cwd, dir); err == nil && rel != "." {
				name = filepath.Join(rel, name)
			}
			add(name, filepath.Join(dir, ".agents", "skills"))
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || filepath.Dir(dir) == dir {
			return out
		}
	}
}

func (l items) names() []string {
	var out []string
	for _, i := range l {
		out = append(out, i.name)
	}
	return out
}

// Limits of what is read for the sum. Beyond them size and time of a file stand
// for its content.
const (
	sumBytes = 64 << 20
	sumFile  = 4 << 20
)

// sum is a hash over the names and contents of all the items.
func (l items) sum() string {
	h := sha256.New()
	left := int64(sumBytes)
	for _, it := range l {
		root := it.path
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		var files []string
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files = append(files, path)
			}
			return nil // what cannot be read cannot be used either
		})
		slices.Sort(files)
		for _, path := range files {
			rel := strings.TrimPrefix(path, root)
			fmt.Fprintf(h, "%q %q ", it.name, filepath.ToSlash(rel))
			left -= sumOf(h, path, left)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func sumOf(h io.Writer, path string, left int64) int64 {
	st, err := os.Stat(path) // links are followed, as they are when they are used
	if err != nil || !st.Mode().IsRegular() {
		fmt.Fprintln(h, "none")
		return 0
	}
	if st.Size() > min(left, sumFile) {
		fmt.Fprintln(h, "large", st.Size(), st.ModTime().UnixNano())
		return 0
	}
	b, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(h, "unreadable")
		return 0
	}
	fmt.Fprintf(h, "%x\n", sha256.Sum256(b))
	return int64(len(b))
}
