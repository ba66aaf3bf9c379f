// Package docs holds the documents of the program, for "tau help".
package docs

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.md
var files embed.FS

// Topics lists the documents by name.
func Topics() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil // unreachable: the files are part of the program
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".md"))
	}
	return out
}

// Page returns a document as Markdown, without its pictures.
func Page(topic string) (text string, ok bool) {
	b, err := files.ReadFile(topic + ".md")
	if err != nil {
		return "", false
	}
	var out strings.Builder
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "![") {
			out.WriteString(line)
		}
	}
	return out.String(), true
}
