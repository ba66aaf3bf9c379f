package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

type pkg struct {
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Doc,Imports,GoFiles", "tau/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// below reports whether path is dir or lies in it.
func below(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// Imports point inwards only. Each row says what the packages below a folder
// may import of this module.
func TestImportRules(t *testing.T) {
	rules := []struct {
		dir string
		may []string
	}{
		// The protocols know the vocabulary and each other's internals, nothing outside.
		{"tau/ai", []string{"tau/ai"}},
		{"tau/agent", []string{"tau/agent", "tau/ai=", "tau/ai/openjson"}},
		{"tau/session", []string{"tau/session", "tau/agent", "tau/ai=", "tau/ai/openjson", "tau/ai/catalog", "tau/ai/credentials"}},
		{"tau/tools", []string{"tau/tools", "tau/agent", "tau/ai=", "tau/ai/openjson"}},
		{"tau/tui", []string{"tau/tui"}},
		{"tau/themes", []string{"tau/themes", "tau/tui"}},
		{"tau/components/chat", []string{"tau/components", "tau/tui", "tau/themes", "tau/agent", "tau/ai"}},
		{"tau/components/picker", []string{"tau/components", "tau/tui", "tau/themes", "tau/agent", "tau/ai"}},
		{"tau/components", []string{"tau/components", "tau/tui"}},
		{"tau/cmd/tau", []string{"tau"}},
		{"tau/docs", nil},
	}
	for _, p := range packages(t) {
		if strings.HasPrefix(p.ImportPath, "tau/.") {
			continue
		}
		found := false
		for _, r := range rules {
			if !below(p.ImportPath, r.dir) {
				continue
			}
			found = true
			for _, imp := range p.Imports {
				if !below(imp, "tau") {
					continue
				}
				ok := false
				for _, may := range r.may {
					exact, only := strings.CutSuffix(may, "=")
					ok = ok || imp == exact || !only && below(imp, may)
				}
				if !ok {
					t.Errorf("%s must not import %s", p.ImportPath, imp)
				}
			}
			break
		}
		if !found {
			t.Errorf("%s lies outside the folders of the design", p.ImportPath)
		}
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// What the program must not link: they cost start-up time or megabytes.
func TestWhatIsNotLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "tau/cmd/tau").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range strings.Fields(string(out)) {
		for _, bad := range []string{"google.golang.org/grpc", "github.com/anthropics/", "github.com/openai/", "google.golang.org/genai"} {
			if strings.HasPrefix(dep, bad) {
				t.Errorf("the program links %s", dep)
			}
		}
	}
}
