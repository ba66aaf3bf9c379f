package js

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "compile the runtime anew")

// The bytecode that is part of the program is that of the sources.
func TestCompiledRuntime(t *testing.T) {
	files, err := os.ReadDir("runtime")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".js")
		code, err := compile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		path := filepath.Join("compiled", name+".qjs")
		if *update {
			if err := os.WriteFile(path, code, 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(have, code) {
			t.Errorf("%s is not what the source says; go test ./session/extension/js -update", path)
		}
	}
}

func TestSourceMap(t *testing.T) {
	m, err := parseMap([]byte(`{"version":3,"sources":["a.ts","b.ts"],"mappings":"AAAA,IAAM;ACAN;;AACA"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line, column int
		file         string
		at           int
	}{{1, 1, "a.ts", 1}, {1, 9, "a.ts", 1}, {2, 1, "b.ts", 1}, {4, 1, "b.ts", 2}} {
		file, at, ok := m.find(tt.line, tt.column)
		if !ok || file != tt.file || at != tt.at {
			t.Errorf("%d:%d is %s:%d %v, want %s:%d", tt.line, tt.column, file, at, ok, tt.file, tt.at)
		}
	}
	if _, _, ok := m.find(3, 1); ok {
		t.Error("an empty line has a source")
	}
	if _, _, ok := m.find(9, 1); ok {
		t.Error("a line behind the end has a source")
	}
}

func FuzzParseMap(f *testing.F) {
	f.Add([]byte(`{"sources":["a"],"mappings":"AAAA,CAAC;AACA"}`))
	f.Add([]byte(`{"sources":[],"mappings":"gggggggggggggB"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseMap(data)
		if err == nil {
			m.find(1, 1)
			m.find(len(m.lines), 100)
		}
	})
}

func TestTheCache(t *testing.T) {
	dir := t.TempDir()
	file, lib := filepath.Join(dir, "e.ts"), filepath.Join(dir, "lib.ts")
	write := func(path, code string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(lib, "export const word: string = 'one';")
	write(file, "import { word } from './lib';\nexport default () => word;")
	l := &Loader{Cache: filepath.Join(dir, "cache")}
	has := func(want string) {
		t.Helper()
		b, err := l.bundle(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(b.code, []byte(want)) {
			t.Errorf("no %q in %q", want, b.code)
		}
	}
	has(`"one"`)
	entries, err := os.ReadDir(l.Cache)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v %v", entries, err)
	}
	has(`"one"`) // from the cache
	write(lib, "export const word: string = 'two';")
	has(`"two"`)
	kept := filepath.Join(l.Cache, entries[0].Name())
	good, err := os.ReadFile(kept)
	if err != nil || fromCache(kept) == nil {
		t.Fatalf("the bundle was not kept: %v", err)
	}
	bad := bytes.Clone(good)
	bad[bytes.IndexByte(bad, '\n')+20] ^= 1
	for name, data := range map[string][]byte{
		"damaged": []byte("damaged"), "cut off": good[:len(good)-1], "with another bit": bad,
		"of another engine": bytes.Replace(good, []byte(engine()), []byte("1970-01-01 arm 00000000"), 1),
	} {
		write(kept, string(data))
		if fromCache(kept) != nil {
			t.Errorf("a bundle that is %s was taken", name)
		}
		has(`"two"`)
	}
}

func TestOwnNames(t *testing.T) {
	for code, want := range map[string]string{
		"a(import.meta.url)":                         `a("file:///x/y.ts")`,
		"a(__dirname)":                               `var __dirname="/x";a(__dirname)`,
		"const __dirname = b(import.meta.url);":      `const __dirname = b("file:///x/y.ts");`,
		"import.meta.dirname + import.meta.filename": `"/x" + "/x/y.ts"`,
		"plain": "plain",
	} {
		if got := ownNames(code, "/x/y.ts"); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}
