package js

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// What the runtime asks of the system is answered, and by one function.
func TestSystemMethods(t *testing.T) {
	answered := map[string]int{}
	collect := func(pattern, expr string, found func(name string)) {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(expr).FindAllSubmatch(b, -1) {
				found(string(m[1]))
			}
		}
	}
	collect("*.go", `case "(sys\.\w+)":`, func(name string) { answered[name]++ })
	for name, n := range answered {
		if n > 1 {
			t.Errorf("%s has %d answers", name, n)
		}
	}
	collect("runtime/*.js", `"(sys\.\w+)"`, func(name string) {
		if answered[name] == 0 {
			t.Errorf("nobody answers %s", name)
		}
	})
}
