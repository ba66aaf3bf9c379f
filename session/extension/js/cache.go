package js

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	goruntime "runtime"
	"sync"

	"modernc.org/quickjs"
)

// cached is what is kept of a bundle. On disk it is a line of JSON, then the
// bytecode, then the source map.
type cached struct {
	inputs map[string]string // hashes by path
	source string            // not kept
	code   []byte
	maps   []byte
}

// cacheHead is the line of JSON.
type cacheHead struct {
	Format int               `json:"format"`
	Engine string            `json:"engine"`
	Inputs map[string]string `json:"inputs"` // hashes by path
	Code   int               `json:"code"`   // bytes of bytecode
	Sum    uint32            `json:"sum"`    // of what follows the line
}

// cacheFormat changes when bundles are made in another way.
const cacheFormat = 4

// engine names the engine that bytecode is for. Its version does not tell of
// changes made to it in between; the bytecode of the runtime does.
var engine = sync.OnceValue(func() string {
	core, err := compiled("core")
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s %08x", quickjs.Version(), goruntime.GOARCH, crc32.ChecksumIEEE(core))
})

func contentHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// fromCache reads a bundle, or returns nil if there is none, or it is of other
// files, for another engine, or damaged: bad bytecode can bring down the program.
func fromCache(name string) *cached {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	line, rest, ok := bytes.Cut(data, []byte("\n"))
	var h cacheHead
	if !ok || json.Unmarshal(line, &h) != nil || h.Format != cacheFormat || h.Engine != engine() || len(h.Inputs) == 0 ||
		h.Code <= 0 || h.Code > len(rest) || crc32.ChecksumIEEE(rest) != h.Sum {
		return nil
	}
	for path, want := range h.Inputs {
		data, err := os.ReadFile(path)
		if err != nil || contentHash(data) != want {
			return nil
		}
	}
	return &cached{inputs: h.Inputs, code: rest[:h.Code], maps: rest[h.Code:]}
}

// save keeps the bundle. Without the cache all is as before, only slower, so
// that failures do not matter.
func (c *cached) save(name string) {
	rest := append(bytes.Clone(c.code), c.maps...)
	data, err := json.Marshal(cacheHead{cacheFormat, engine(), c.inputs, len(c.code), crc32.ChecksumIEEE(rest)})
	if err != nil || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "bundle-*")
	if err != nil {
		return
	}
	_, err = tmp.Write(append(append(data, '\n'), rest...))
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
}
