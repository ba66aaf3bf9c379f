package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// marked returns the processes that have a text in their environment.
func marked(text string) (pids []string) {
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, e := range entries {
		if b, err := os.ReadFile(e); err == nil && bytes.Contains(b, []byte(text)) {
			pids = append(pids, strings.Split(e, "/")[2])
		}
	}
	return pids
}

// However the program ends, its sub-agents end, with the commands they run.
func TestSubagentsEndWithTheProgram(t *testing.T) {
	for _, kill := range []bool{true, false} {
		mark := fmt.Sprintf("TAU_TEST_MARK=%d-%v", time.Now().UnixNano(), kill)
		t.Setenv("TAU_TEST_MARK", strings.TrimPrefix(mark, "TAU_TEST_MARK="))
		d := drive(t, `{"paceMs":0,"turns":[{"toolCalls":[{"name":"subagent","arguments":{"agent":"worker","task":"run `+"`sleep 287`"+`"}}]},{"text":"done"}]}`,
			"-p", "--mode", "json", "-t", "+subagent", "go")
		d.in.Close()
		go func() { // what is not read holds the program up
			for {
				if _, err := d.read.ReadString('\n'); err != nil {
					return
				}
			}
		}()
		sleeping := func() bool {
			for _, pid := range marked(mark) {
				if b, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.HasPrefix(string(b), "sleep\x00287") {
					return true
				}
			}
			return false
		}
		wait := func(what string, ok func() bool) {
			t.Helper()
			for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("it did not come to be that %s: %v", what, marked(mark))
				}
			}
		}
		wait("the sub-agent's command runs", sleeping)
		if kill {
			_ = d.cmd.Process.Kill()
		} else {
			_ = d.cmd.Process.Signal(os.Interrupt)
		}
		_ = d.cmd.Wait()
		wait("all have ended", func() bool { return len(marked(mark)) == 0 })
	}
}
