package themes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed *.json
var builtin embed.FS

// Options say how a theme is loaded.
type Options struct {
	Depth Depth
	Dirs  []string // folders with theme files <name>.json, first hit wins
}

// Load finds a theme by name (one of [Builtin], a file in one of the folders)
// or by path (anything with a separator or ending in .json). The name "system"
// is reserved for [System]. A mistake in the file is an *Error; a theme that
// does not exist wraps fs.ErrNotExist and lists the names there are.
func Load(nameOrPath string, o Options) (*Theme, error) {
	if strings.ContainsAny(nameOrPath, `/\`) || strings.HasSuffix(nameOrPath, ".json") {
		return loadFile(nameOrPath, o.Depth)
	}
	switch {
	case slices.Contains(Builtin(), nameOrPath):
		data, err := builtin.ReadFile(nameOrPath + ".json")
		if err != nil {
			return nil, fmt.Errorf("reading built-in theme %s: %w", nameOrPath, err)
		}
		return Parse(nameOrPath, data, o.Depth)
	case nameOrPath == "system":
		return nil, errors.New("theme system is derived from the terminal, not loaded")
	}
	for _, dir := range o.Dirs {
		t, err := loadFile(filepath.Join(dir, nameOrPath+".json"), o.Depth)
		if !errors.Is(err, fs.ErrNotExist) {
			return t, err
		}
	}
	return nil, fmt.Errorf("theme %q: %w (there are: %s)", nameOrPath, fs.ErrNotExist, strings.Join(Names(o.Dirs), ", "))
}

func loadFile(path string, d Depth) (*Theme, error) {
	const limit = 1 << 20
	if st, err := os.Stat(path); err == nil && st.Size() > limit {
		return nil, &Error{File: path, Msg: "larger than 1 MiB, not a theme"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading theme: %w", err)
	}
	return Parse(path, data, d)
}

// Builtin lists the themes that are part of the program.
func Builtin() []string { return []string{"dark", "light", "dusk", "moss", "paper", "frost"} }

// Names lists the themes that can be loaded: system, the built-in ones, then the
// files in the folders by name.
func Names(dirs []string) []string {
	var files []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // a folder that is not there holds no themes
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".json")
			if ok && !e.IsDir() && name != "system" && !slices.Contains(Builtin(), name) {
				files = append(files, name)
			}
		}
	}
	slices.Sort(files)
	return append(append([]string{"system"}, Builtin()...), slices.Compact(files)...)
}

// Pick chooses from a setting that may be a pair "light/dark", such as
// "paper/ink": the first name on a light background, else the second. A
// setting with an empty half, a leading dot or ".json" is one name or path.
func Pick(setting string, a Appearance) string {
	light, dark, ok := strings.Cut(setting, "/")
	if !ok || light == "" || dark == "" || strings.HasPrefix(setting, ".") || strings.HasPrefix(setting, "~") ||
		strings.Contains(dark, "/") || strings.HasSuffix(setting, ".json") {
		return setting
	}
	if a == Light {
		return light
	}
	return dark
}
