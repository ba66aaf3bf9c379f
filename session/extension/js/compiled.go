package js

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"

	"modernc.org/quickjs"
)

// bytecode is the runtime as the engine takes it: reading source costs ten times
// as much. It is made by the tests with -update, and held against the sources.
//
//go:embed all:compiled
var bytecode embed.FS

// fresh holds what had to be compiled.
var fresh sync.Map

// compiled returns a file of the runtime as bytecode.
func compiled(name string) ([]byte, error) {
	if code, err := fs.ReadFile(bytecode, "compiled/"+name+".qjs"); err == nil {
		return code, nil
	}
	if code, ok := fresh.Load(name); ok {
		return code.([]byte), nil
	}
	code, err := compile(name)
	if err != nil {
		return nil, err
	}
	fresh.Store(name, code)
	return code, nil
}

// compile makes bytecode of a file of the runtime.
func compile(name string) ([]byte, error) {
	src, err := fs.ReadFile(runtime, "runtime/"+name+".js")
	if err != nil {
		return nil, fmt.Errorf("there is no module %q", name)
	}
	text := string(src)
	if name != "core" {
		text = "(function (module, exports, require, tau) {" + text + "\n})"
	}
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	defer vm.Close() //nolint:errcheck // it has nothing to lose
	code, err := vm.Compile(text, quickjs.EvalGlobal)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", name, err)
	}
	return code, nil
}
