package js

import (
	"os"
	"testing"

	"modernc.org/quickjs"
)

func BenchmarkStart(b *testing.B) {
	code, err := compiled("core")
	if err != nil {
		b.Fatal(err)
	}
	for name, step := range map[string]func(vm *quickjs.VM){
		"vm": func(*quickjs.VM) {},
		"core": func(vm *quickjs.VM) {
			if _, err := vm.EvalBytecode(code); err != nil {
				b.Fatal(err)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				vm, err := quickjs.NewVM()
				if err != nil {
					b.Fatal(err)
				}
				if name == "core" {
					for _, n := range []string{"__host", "__hostAsync", "__settle", "__timer", "__clear", "__compiled", "__cancelHost"} {
						if err := vm.RegisterHostFunc(n, func([]any) (any, error) { return nil, nil }); err != nil {
							b.Fatal(err)
						}
					}
				}
				step(vm)
				b.StopTimer()
				if err := vm.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
	for _, name := range []string{"core", "api", "typebox", "pi-tui", "pi-coding-agent", "fs"} {
		b.Run("compile/"+name, func(b *testing.B) {
			src, err := os.ReadFile("runtime/" + name + ".js")
			if err != nil {
				b.Fatal(err)
			}
			text := string(src)
			if name != "core" {
				text = "(function (module, exports, require, tau) {" + text + "\n})"
			}
			vm, err := quickjs.NewVM()
			if err != nil {
				b.Fatal(err)
			}
			defer vm.Close() //nolint:errcheck // a benchmark
			for b.Loop() {
				if _, err := vm.Compile(text, quickjs.EvalGlobal); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
