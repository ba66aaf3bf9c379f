// Command fuzz runs each fuzz target of the module for a short time.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

func main() {
	each := flag.String("time", "5s", "time for each target")
	only := flag.String("only", "", "run only targets whose name contains this")
	flag.Parse()
	targets, err := find(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
	failed := 0
	for _, t := range targets {
		if !strings.Contains(t.name, *only) {
			continue
		}
		cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", *each, "./"+t.dir)
		out, err := cmd.CombinedOutput()
		if err != nil && timedOut(out) {
			err = nil
		}
		if err != nil {
			failed++
			fmt.Printf("FAIL %s %s\n%s\n", t.dir, t.name, out)
			continue
		}
		fmt.Printf("ok   %s %s\n", t.dir, t.name)
	}
	fmt.Printf("%d passed, %d failed\n", len(targets)-failed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

// timedOut reports the one failure that says nothing about the target: the
// toolchain's own deadline passing while a worker was busy.
func timedOut(out []byte) bool {
	return bytes.Contains(out, []byte("context deadline exceeded")) && !bytes.Contains(out, []byte("Failing input"))
}

type target struct{ dir, name string }

func find(root string) ([]target, error) {
	re := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	var out []target
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range re.FindAllSubmatch(b, -1) {
			out = append(out, target{filepath.ToSlash(filepath.Dir(path)), string(m[1])})
		}
		return nil
	})
	sort.Slice(out, func(i, j int) bool { return out[i].dir+out[i].name < out[j].dir+out[j].name })
	return out, err
}
