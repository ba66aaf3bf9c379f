package js

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"modernc.org/quickjs"
)

// bundle is an extension as the engine takes it: an async function, so that
// modules may await at their top level. It is in code, or in source if the
// engine did not take it, which then says why when it is run.
type bundle struct {
	source string
	code   []byte
	maps   func() *sourceMap // read when first asked for: most never fail
}

func newBundle(source string, code, maps []byte) *bundle {
	return &bundle{source: source, code: code, maps: sync.OnceValue(func() *sourceMap {
		m, err := parseMap(maps)
		if err != nil {
			return nil // lines are not named
		}
		return m
	})}
}

// bundle returns the bundle of a file, from the cache if none of its files has
// changed.
func (l *Loader) bundle(path string) (*bundle, error) {
	name := ""
	if l.Cache != "" {
		name = filepath.Join(l.Cache, contentHash([]byte(path))[:24]+".bundle")
		if c := fromCache(name); c != nil {
			return newBundle("", c.code, c.maps), nil
		}
	}
	c, err := build(path)
	if err != nil {
		return nil, err
	}
	if c.code, err = bytecodeOf(c.source); err != nil {
		return newBundle(c.source, nil, c.maps), nil //nolint:nilerr // running it tells of the error, with its place
	}
	if name != "" {
		c.save(name)
	}
	return newBundle("", c.code, c.maps), nil
}

// bytecodeOf compiles a bundle. Functions keep their source, which extensions
// may ask for, and their lines, which errors name.
func bytecodeOf(source string) ([]byte, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	defer vm.Close() //nolint:errcheck // it has nothing to lose
	vm.SetMemoryLimit(MemoryLimit)
	vm.SetGCThreshold(gcThreshold)
	return vm.Compile(source, quickjs.EvalGlobal)
}

// loaders are the kinds of source files.
func loaders() map[string]api.Loader {
	return map[string]api.Loader{
		".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX, ".jsx": api.LoaderJSX, ".js": api.LoaderJS,
		".mjs": api.LoaderJS, ".cjs": api.LoaderJS, ".json": api.LoaderJSON,
	}
}

// build bundles a file with all that it imports.
func build(path string) (*cached, error) {
	c := &cached{inputs: map[string]string{}}
	var mu sync.Mutex // for inputs: files are read side by side
	// What the file exports goes to the runtime.
	entry := fmt.Sprintf("import * as ext from %s;\n__loaded(ext);\n", mustJSON(path))
	plugin := api.Plugin{Name: "tau", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if a.Namespace == "runtime" {
				return api.OnResolveResult{}, nil
			}
			if !internal(a.Path) && moduleName(a.Path) != "" {
				return api.OnResolveResult{Path: a.Path, Namespace: "runtime"}, nil
			}
			if strings.HasPrefix(a.Path, "node:") {
				return api.OnResolveResult{}, fmt.Errorf("the module %s of Node is not to be had in tau", a.Path)
			}
			return api.OnResolveResult{}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "runtime"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			code := fmt.Sprintf("module.exports = __require(%s)", mustJSON(a.Path))
			return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			loader, ok := loaders()[filepath.Ext(a.Path)]
			if !ok {
				return api.OnLoadResult{}, nil
			}
			data, err := os.ReadFile(a.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			mu.Lock()
			c.inputs[a.Path] = contentHash(data)
			mu.Unlock()
			code := string(data)
			if loader != api.LoaderJSON {
				code = ownNames(code, a.Path)
			}
			return api.OnLoadResult{Contents: &code, Loader: loader, ResolveDir: filepath.Dir(a.Path)}, nil
		})
	}}
	r := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: entry, ResolveDir: filepath.Dir(path), Sourcefile: "entry.js", Loader: api.LoaderJS},
		Bundle: true, Write: false, Outfile: "extension.js", Format: api.FormatESModule, Platform: api.PlatformNeutral, Target: api.ES2023,
		MainFields: []string{"module", "main"}, Conditions: []string{"node", "import", "default"},
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, SourceRoot: "",
		Plugins: []api.Plugin{plugin}, LogLevel: api.LogLevelSilent, AbsWorkingDir: filepath.Dir(path), TreeShaking: api.TreeShakingTrue,
		TsconfigRaw: "{}",
	})
	if len(r.Errors) > 0 {
		return nil, buildError(path, r.Errors[0])
	}
	for _, f := range r.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			c.maps = f.Contents
		} else {
			c.source = "(async () => {" + string(f.Contents) + "\n})"
		}
	}
	return c, nil
}

// ownNames puts the file's own name where the code asks for it. Modules have no
// other way to find what lies beside them.
func ownNames(code, path string) string {
	if !strings.Contains(code, "import.meta") && !strings.Contains(code, "__dirname") && !strings.Contains(code, "__filename") {
		return code
	}
	url := mustJSON("file://" + filepath.ToSlash(path))
	r := strings.NewReplacer("import.meta.url", url, "import.meta.dirname", mustJSON(filepath.Dir(path)), "import.meta.filename", mustJSON(path))
	code = r.Replace(code)
	for name, value := range map[string]string{"__dirname": filepath.Dir(path), "__filename": path} {
		if strings.Contains(code, name) && !declared(code, name) {
			code = fmt.Sprintf("var %s=%s;", name, mustJSON(value)) + code
		}
	}
	return code
}

// declared reports whether the code has a variable of this name itself.
func declared(code, name string) bool {
	for _, kind := range []string{"const ", "let ", "var "} {
		if strings.Contains(code, kind+name) {
			return true
		}
	}
	return false
}

func buildError(path string, m api.Message) error {
	if m.Location == nil {
		return errors.New(m.Text)
	}
	file := m.Location.File
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(path), file)
	}
	return fmt.Errorf("%s:%d:%d: %s", file, m.Location.Line, m.Location.Column+1, m.Text)
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}
