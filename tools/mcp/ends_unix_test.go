//go:build unix

package mcp

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestServersThatCannotBeReached(t *testing.T) {
	missing := Server{Name: "missing", Command: "/does/not/exist", Exposure: Direct, Timeout: 5 * time.Second}
	unset := Server{Name: "unset", Command: "true", Env: map[string]string{"A": "${NOT_SET_ANYWHERE}"}, Exposure: Direct, Timeout: 5 * time.Second}
	mute := local("mute", "mute", Direct)
	mute.Timeout = 600 * time.Millisecond
	pids := t.TempDir() + "/pids"
	mute.Env["PIDS"] = pids
	h := newHub(t, missing, unset, local("dead", "dead", Direct), mute, local("garbage", "garbage", Direct), local("endless", "endless", Direct), local("old", "old", Direct))
	b := h.Toolbox(nil, nil)
	began := time.Now()
	h.WaitConnected(t.Context())
	if d := time.Since(began); d > 15*time.Second {
		t.Errorf("it took %v to know what there is", d)
	}
	want := map[string]string{
		"missing": "no such file", "unset": "NOT_SET_ANYWHERE is not set", "dead": "status 3: cannot open the database",
		"mute": "did not answer within 600ms", "garbage": "", "endless": "",
	}
	for _, st := range h.Status() {
		text, bad := want[st.Name]
		switch {
		case !bad && st.State != Connected:
			t.Errorf("%s is %s: %s", st.Name, st.State, st.Err)
		case bad && (st.State != Failed || !strings.Contains(st.Err, text)):
			t.Errorf("%s is %s: %s", st.Name, st.State, st.Err)
		}
	}
	if got, _, err := call(t, find(t, b, "mcp__old__do_it"), `{}`); got != "done the old way" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	var one, two int
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), &one, &two); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{one, two} {
		until(t, "the mute server and its child have ended", func() bool { return !running(pid) })
	}
}

// running reports whether a process is there and no zombie.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(b), ") Z ")
}

func TestHubEndsItsServers(t *testing.T) {
	mute := local("mute", "mute", Direct)
	pids := t.TempDir() + "/pids"
	mute.Env["PIDS"] = pids
	h := newHub(t, mute, local("test", "good", Direct))
	until(t, "the server runs", func() bool { b, _ := os.ReadFile(pids); return len(b) > 0 })
	began := time.Now()
	h.Close()
	if d := time.Since(began); d > 4*time.Second {
		t.Errorf("the end took %v", d)
	}
	var one, two int
	text, _ := os.ReadFile(pids)
	if _, err := fmt.Sscan(string(text), &one, &two); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{one, two} {
		until(t, "all processes have ended", func() bool { return !running(pid) })
	}
}
