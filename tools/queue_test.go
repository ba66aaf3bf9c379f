package tools

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Three edits, a write and a read of one file, asked for in an order of their
// own in each round while the file is held, leave the bytes of that order. The
// read sees the file between two of the changes.
func TestChangesHappenInTheOrderTheyWereAskedFor(t *testing.T) {
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	path := filepath.Join(dir, "f.txt")
	waiting := func() int {
		set.changes.mu.Lock()
		defer set.changes.mu.Unlock()
		for _, l := range set.changes.lines {
			return l.users
		}
		return 0
	}
	ops := []string{"a", "b", "c", "write"}
	rounds := 100
	if os.Getenv("TAU_LONG") != "" {
		rounds = 1000
	}
	for round := range rounds {
		start := "a=0\nb=0\nc=0\n"
		if err := os.WriteFile(path, []byte(start), 0o644); err != nil {
			t.Fatal(err)
		}
		rand.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
		states := []string{start}
		for _, op := range ops {
			s := states[len(states)-1]
			if op == "write" {
				s = "a=0\nb=0\nc=0\nwritten\n"
			} else {
				s = strings.Replace(s, op+"=0", op+"=1", 1)
			}
			states = append(states, s)
		}

		hold, held := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			err := set.changes.with(context.Background(), path, func() error { close(held); <-hold; return nil })
			if err != nil {
				t.Error(err)
			}
		})
		<-held
		for i, op := range ops {
			wg.Go(func() {
				var err error
				if op == "write" {
					_, err = run(t, set.write(), writeArgs{"f.txt", "a=0\nb=0\nc=0\nwritten\n"})
				} else {
					_, err = run(t, set.edit(), editArgs{path, []Edit{{op + "=0", op + "=1"}}})
				}
				if err != nil {
					t.Errorf("round %d: %s: %v", round, op, err)
				}
			})
			for waiting() < i+2 {
				runtime.Gosched()
			}
		}
		wg.Go(func() {
			b, err := os.ReadFile(path)
			if err != nil || !slices.Contains(states, string(b)) {
				t.Errorf("round %d: read %q, %v", round, b, err)
			}
		})
		close(hold)
		wg.Wait()
		if got, _ := os.ReadFile(path); string(got) != states[len(states)-1] {
			t.Fatalf("round %d: %v left %q, want %q", round, ops, got, states[len(states)-1])
		}
	}
	if n := len(set.changes.lines); n != 0 {
		t.Error(fmt.Sprint(n, " queues are left"))
	}
}
