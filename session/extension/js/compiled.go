package js

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

// bytecode is the runtime as the engine takes it: reading source costs ten times
// as much. The tests make it of the files in runtime with -update, and hold it
// against them.
//
//go:embed all:compiled
var bytecode embed.FS

// compiled returns a file of the runtime as bytecode.
func compiled(name string) ([]byte, error) {
	code, err := fs.ReadFile(bytecode, "compiled/"+name+".qjs")
	if err != nil {
		return nil, fmt.Errorf("there is no module %q", name)
	}
	return code, nil
}

// modules are the files of the runtime that engines have asked for, so that
// they share one copy of each.
type modules struct{ read sync.Map } // []byte by name

func (m *modules) code(name string) ([]byte, error) {
	if code, ok := m.read.Load(name); ok {
		return code.([]byte), nil
	}
	code, err := compiled(name)
	if err == nil {
		m.read.Store(name, code)
	}
	return code, err
}
