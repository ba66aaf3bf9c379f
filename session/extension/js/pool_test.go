package js

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"tau/session/resources"
)

// numbered is a host that is told from others.
type numbered struct {
	patient
	n int
}

// Extensions are loaded into engines that were started before, and into others
// when those do not suffice; what is left over ends.
func TestReady(t *testing.T) {
	for _, tt := range []struct{ ready, load int }{{0, 1}, {1, 1}, {3, 1}, {1, 3}, {4, 0}} {
		dir := t.TempDir()
		path := filepath.Join(dir, "e.js")
		if err := os.WriteFile(path, []byte(`export default (pi) => { pi.registerCommand("c", { handler() {} }); }`), 0o600); err != nil {
			t.Fatal(err)
		}
		l := &Loader{Env: Env{CWD: dir}}
		l.Ready(tt.ready)
		var all sync.WaitGroup
		for n := range tt.load {
			all.Go(func() {
				host := numbered{n: n}
				c, err := l.Load(t.Context(), resources.Source{Path: path}, host)
				if err != nil {
					t.Error(err)
					return
				}
				if got := c.(*machine).host; got != host {
					t.Errorf("the machine has the host %v", got)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		l.Settle()
		if l.pool.lacks() || len(l.pool.spare) != 0 {
			t.Errorf("%d made ready, %d loaded: %d are left, %d wanted", tt.ready, tt.load, len(l.pool.spare), l.pool.wanted)
		}
	}
}
