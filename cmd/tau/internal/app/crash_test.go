package app

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestCrashesAreKeptAndToldOnce(t *testing.T) {
	a := &App{AgentDir: t.TempDir(), Version: "1"}
	if _, ok := a.LastCrash(); ok {
		t.Error("a crash where there was none")
	}
	for i := range 7 {
		if err := a.RecordCrash("crash "+string(rune('a'+i)), []byte("stack")); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(a.crashes()); n != crashesKept {
		t.Errorf("%d are kept", n)
	}
	if c, ok := a.LastCrash(); !ok || c.Message != "crash g" || c.Stack != "stack" {
		t.Errorf("%+v %v", c, ok)
	}
	if _, ok := a.LastCrash(); ok {
		t.Error("told twice")
	}
	old := a.crashes()
	for i := range old {
		old[i].Time = time.Now().Add(-8 * 24 * time.Hour)
	}
	if err := a.writeCrashes(old); err != nil {
		t.Fatal(err)
	}
	if n := len(a.crashes()); n != 0 {
		t.Errorf("%d old ones are left", n)
	}
	if err := os.WriteFile(a.CrashPath(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.RecordCrash(strings.Repeat("x", 10), make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if c := a.crashes(); len(c) != 1 || len(c[0].Stack) != stackKept {
		t.Errorf("%d", len(c))
	}
}
