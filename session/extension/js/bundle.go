package js

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundle is an extension as the engine takes it.
type bundle struct {
	code string
	maps *sourceMap
}

// cached is a bundle on disk.
type cached struct {
	Format int               `json:"format"`
	Inputs map[string]string `json:"inputs"` // hashes by path
	Code   string            `json:"code"`
	Map    string            `json:"map"`
}

// cacheFormat changes when bundles are made in another way.
const cacheFormat = 3

func contentHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// bundle returns the bundle of a file, from the cache if none of its files has
// changed.
func (l *Loader) bundle(path string) (*bundle, error) {
	name := ""
	if l.Cache != "" {
		name = filepath.Join(l.Cache, contentHash([]byte(path))[:24]+".json")
		if b := fromCache(name); b != nil {
			return b, nil
		}
	}
	c, err := build(path)
	if err != nil {
		return nil, err
	}
	if name != "" {
		c.save(name)
	}
	return c.open()
}

func fromCache(name string) *bundle {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	var c cached
	if json.Unmarshal(data, &c) != nil || c.Format != cacheFormat || len(c.Inputs) == 0 {
		return nil
	}
	for path, want := range c.Inputs {
		data, err := os.ReadFile(path)
		if err != nil || contentHash(data) != want {
			return nil
		}
	}
	b, err := c.open()
	if err != nil {
		return nil
	}
	return b
}

// save keeps the bundle. Without the cache all is as before, only slower, so
// that failures do not matter.
func (c *cached) save(name string) {
	data, err := json.Marshal(c)
	if err != nil || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "bundle-*")
	if err != nil {
		return
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
}

func (c *cached) open() (*bundle, error) {
	maps, err := parseMap([]byte(c.Map))
	if err != nil {
		return nil, err
	}
	return &bundle{code: c.Code, maps: maps}, nil
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
	c := &cached{Format: cacheFormat, Inputs: map[string]string{}}
	// The bundle is what an async function does, so that modules may await at
	// their top level; what the file exports goes to the runtime.
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
			c.Inputs[a.Path] = contentHash(data)
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
			c.Map = string(f.Contents)
		} else {
			c.Code = "__run(async () => {" + string(f.Contents) + "\n})"
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
