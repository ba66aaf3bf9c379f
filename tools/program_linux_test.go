//go:build linux

package tools

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a program has started ends with it, also what ignores signals.
func TestProgramEndsWithAllItStarted(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", `trap '' TERM; sleep 300 & echo $!; (trap '' TERM; exec sleep 301) & echo $!; wait; wait; sleep 302`)
	cmd.Stdout = w
	p, err := StartProgram(cmd)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(r)
	var pids []int
	for range 2 {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, n)
	}
	began := time.Now()
	p.End(20*time.Millisecond, 50*time.Millisecond)
	if d := time.Since(began); d > 3*time.Second {
		t.Errorf("the end took %v", d)
	}
	if p.ExitCode() != 128+int(syscall.SIGKILL) {
		t.Errorf("exit code %d", p.ExitCode())
	}
	for _, pid := range pids {
		gone := false
		for deadline := time.Now().Add(3 * time.Second); !gone && time.Now().Before(deadline); {
			st, ok := readStat(pid)
			gone = !ok || st.pid != pid
		}
		if !gone {
			t.Errorf("process %d is still there", pid)
		}
	}
}

func TestProgramThatEndsByItself(t *testing.T) {
	p, err := StartProgram(exec.Command("sh", "-c", "exit 3"))
	if err != nil {
		t.Fatal(err)
	}
	<-p.Ended()
	if p.ExitCode() != 3 {
		t.Errorf("exit code %d", p.ExitCode())
	}
	p.End(0, 0) // nothing to do
	if _, err := StartProgram(exec.Command("/does/not/exist")); err == nil {
		t.Error("a program that is not there was started")
	}
}
