package gateway

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"tau/ai/catalog"
	"tau/ai/credentials"
)

// What the protocols, the catalogue and the credentials cost before main
// starts: the run time's own account of all package initialisations, of tau's
// packages and of those that only they need.
func TestStartCost(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	best, bytes, detail := 1e9, 0.0, ""
	for range 5 { // other processes disturb the clock
		cmd := exec.Command(exe, "-test.run=^$")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatal(err)
		}
		clock, allocated, lines := 0.0, 0.0, ""
		for line := range strings.SplitSeq(string(out), "\n") {
			// init PACKAGE @0.1 ms, 0.02 ms clock, 1000 bytes, 10 allocs
			f := strings.Fields(line)
			if len(f) < 10 || f[0] != "init" || !ours(f[1]) {
				continue
			}
			ms, _ := strconv.ParseFloat(f[4], 64)
			n, _ := strconv.ParseFloat(f[7], 64)
			clock, allocated = clock+ms, allocated+n
			lines += line + "\n"
		}
		if clock < best {
			best, bytes, detail = clock, allocated, lines
		}
	}
	t.Logf("%.3f ms, %.0f KB\n%s", best, bytes/1024, detail)
	if best > 3 || bytes > 2<<20 {
		t.Errorf("the gateway costs %.2f ms and %.0f KB at start, want less than 3 ms and 2 MB", best, bytes/1024)
	}
}

func ours(pkg string) bool {
	for _, prefix := range []string{"tau/", "github.com/aws/", "golang.org/x/oauth2", "github.com/tailscale/hujson", "github.com/gofrs/flock", "github.com/google/uuid"} {
		if strings.HasPrefix(pkg, prefix) {
			return true
		}
	}
	return false
}

// Opening the catalogue and the credentials, as every start does.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := catalog.Open(catalog.Options{Path: dir + "/models.json"}); err != nil {
			b.Fatal(err)
		}
		credentials.NewStore(dir + "/auth.json")
	}
}

// Listing all models of a fresh catalogue.
func BenchmarkList(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		c, err := catalog.Open(catalog.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if n := len(c.List("")); n < 1600 {
			b.Fatal(fmt.Sprint(n, " models"))
		}
	}
}
