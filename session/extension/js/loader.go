package js

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/quickjs"

	"tau/session/extension"
	"tau/session/resources"
)

// Env is what extensions are told of their surroundings.
type Env struct {
	AgentDir   string
	ProjectDir string // the name of the project's own folder, as ".tau"
	CWD        string
	Version    string
	// Grace is how long a call that was cancelled may take to answer.
	Grace time.Duration
	// Text measures and draws text; what is nil is done in a simple way.
	Text Text
	// Output takes what console.log and the like write; nil drops it.
	Output func(stream, text string)
}

// Loader loads extensions. It is safe for concurrent use.
type Loader struct {
	// Cache is a folder for bundles; there is none if empty.
	Cache string
	Env   Env

	modules modules
	pool    pool
}

// moduleName is the name of the file of the runtime that a module is in, or "".
func moduleName(name string) string {
	name = strings.TrimPrefix(name, "node:")
	switch {
	case strings.HasPrefix(name, "@earendil-works/"), strings.HasPrefix(name, "@mariozechner/"):
		_, name, _ = strings.Cut(name, "/")
		name, _, _ = strings.Cut(name, "/") // pi-ai/compat is pi-ai
	case name == "@sinclair/typebox" || strings.HasPrefix(name, "typebox/") || strings.HasPrefix(name, "@sinclair/typebox/"):
		name = "typebox"
	}
	name = strings.ReplaceAll(name, "/", "_")
	if _, err := fs.Stat(bytecode, "compiled/"+name+".qjs"); err != nil {
		return ""
	}
	return name
}

// internal are the files of the runtime that extensions cannot import.
func internal(name string) bool {
	switch name {
	case "core", "api", "bytes", "signals", "printing", "clone", "theme", "views", "footer", "keybindings", "autocomplete", "oauth", "fetch", "intl", "webcrypto":
		return true
	}
	return false
}

// Load implements extension.Loader for files with JavaScript or TypeScript.
func (l *Loader) Load(ctx context.Context, src resources.Source, host extension.Host) (extension.Carrier, error) {
	b, err := l.bundle(src.Path)
	if err != nil {
		return nil, err
	}
	env := l.Env
	if env.Grace == 0 {
		env.Grace = time.Second
	}
	m := l.machine()
	m.host, m.env = host, env
	started := make(chan error, 1)
	m.post(func() { started <- m.start(src.Path, b) })
	select {
	case err = <-started:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		_, err = m.Call(ctx, "load", struct{}{})
	}
	if err != nil {
		_ = m.Close()
		return nil, fmt.Errorf("%s: %w", filepath.Base(src.Path), err)
	}
	return m, nil
}

// start runs the bundle, which hands its code to the runtime.
func (m *machine) start(path string, b *bundle) error {
	if err := m.open(); err != nil {
		return err
	}
	m.maps = b.maps
	dir := filepath.Dir(path)
	exe, err := os.Executable()
	if err != nil {
		exe = "tau"
	}
	info := mustJSON(map[string]any{
		"path": path, "dir": dir, "agentDir": m.env.AgentDir, "configDir": m.env.ProjectDir, "cwd": m.env.CWD, "version": m.env.Version,
		"exe": exe, "platform": platform(), "arch": arch(), "pid": os.Getpid(),
	})
	if err := m.call(m.boot, info); err != nil {
		return err
	}
	body, err := m.body(b)
	if err != nil {
		if fatal(err) {
			m.kill(m.explain(err))
		}
		return m.explain(err)
	}
	defer body.Free()
	return m.call(m.run, body)
}

// body is the function that the bundle is.
func (m *machine) body(b *bundle) (quickjs.Value, error) {
	if b.code != nil {
		return m.vm.EvalBytecodeValue(b.code)
	}
	return m.vm.EvalValue(b.source, quickjs.EvalGlobal)
}
