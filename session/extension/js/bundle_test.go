package js

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An extension of many files, which are read side by side.
func TestBundleOfManyFiles(t *testing.T) {
	dir := t.TempDir()
	var entry, names strings.Builder
	const files = 300
	for i := range files {
		name := fmt.Sprintf("m%d", i)
		if err := os.WriteFile(filepath.Join(dir, name+".ts"), fmt.Appendf(nil, "export const %s: number = %d;\n", name, i), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&entry, "import { %s } from \"./%s\";\n", name, name)
		names.WriteString(name + ", ") // what is not used is not read
	}
	fmt.Fprintf(&entry, "export default () => [%s];\n", names.String())
	path := filepath.Join(dir, "index.ts")
	if err := os.WriteFile(path, []byte(entry.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := build(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.inputs) != files+1 {
		t.Errorf("%d files are known, want %d", len(c.inputs), files+1)
	}
}
