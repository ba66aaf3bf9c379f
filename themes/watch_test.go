package themes

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.json")
	good, err := builtin.ReadFile("light.json")
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(good)
	type result struct {
		th  *Theme
		err error
	}
	got := make(chan result, 8)
	stop, err := Watch(file, Truecolor, func(th *Theme, err error) { got <- result{th, err} })
	if err != nil {
		t.Fatal(err)
	}
	next := func() result {
		t.Helper()
		select {
		case r := <-got:
			return r
		case <-time.After(10 * time.Second):
			t.Fatal("the change was not seen")
		}
		return result{}
	}
	write([]byte("{"))
	var e *Error
	if r := next(); !errors.As(r.err, &e) || e.File != file {
		t.Errorf("%v", r.err)
	}
	write(good)
	if r := next(); r.err != nil || r.th.Appearance() != Light {
		t.Errorf("%v", r.err)
	}
	// As editors do it: a new file in the place of the old one.
	dark, _ := builtin.ReadFile("dark.json")
	tmp := file + ".new"
	if err := os.WriteFile(tmp, dark, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, file); err != nil {
		t.Fatal(err)
	}
	if r := next(); r.err != nil || r.th.Appearance() != Dark {
		t.Errorf("%v", r.err)
	}
	stop()
	write(good)
	select {
	case <-got:
		t.Error("called after stop")
	default:
	}
}
