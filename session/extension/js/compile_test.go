package js

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// compile makes bytecode of a file of the runtime. It leaves out what is only
// there for people: the source of each function, which is two thirds of the
// bytecode, and the lines, which nobody is told of.
func compile(name string) ([]byte, error) {
	src, err := os.ReadFile("runtime/" + name + ".js")
	if err != nil {
		return nil, err
	}
	text := string(src)
	if name != "core" {
		text = "(function (module, exports, require, tau) {" + text + "\n})"
	}
	code, err := strip(text)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", name, err)
	}
	return code, nil
}

// strip is quickjs.VM.Compile for a script, without the source and the lines:
// that package has no way to ask for it.
func strip(text string) ([]byte, error) {
	tls := libc.NewTLS()
	defer tls.Close()
	rt := lib.XJS_NewRuntime(tls)
	if rt == 0 {
		return nil, errors.New("start the engine")
	}
	defer lib.XJS_FreeRuntime(tls, rt)
	lib.XJS_SetStripInfo(tls, rt, lib.MJS_STRIP_SOURCE|lib.MJS_STRIP_DEBUG)
	ctx := lib.XJS_NewContext(tls, rt)
	if ctx == 0 {
		return nil, errors.New("start the engine")
	}
	defer lib.XJS_FreeContext(tls, ctx)
	c, err := libc.CString(text)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(tls, c)
	file, err := libc.CString("<eval>")
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(tls, file)
	v := lib.XJS_Eval(tls, ctx, c, libc.Tsize_t(len(text)), file, lib.MJS_EVAL_TYPE_GLOBAL|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
	defer lib.XFreeValue(tls, ctx, v)
	if lib.XJS_HasException(tls, ctx) != 0 {
		return nil, errors.New("the source cannot be parsed")
	}
	n := libc.Xcalloc(tls, 1, 8)
	if n == 0 {
		return nil, errors.New("there is no memory")
	}
	defer libc.Xfree(tls, n)
	p := lib.XJS_WriteObject(tls, ctx, n, v, lib.MJS_WRITE_OBJ_BYTECODE)
	if p == 0 {
		return nil, errors.New("the bytecode cannot be written")
	}
	defer lib.Xjs_free(tls, ctx, p)
	size := binary.NativeEndian.Uint64(libc.GoBytes(n, 8))
	return bytes.Clone(libc.GoBytes(p, int(size))), nil
}
