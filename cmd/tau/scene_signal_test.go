package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// C-88: the program is asked to end while a command runs. It ends soon, with
// the terminal put back, the command gone and the session whole.
func TestSceneSignals(t *testing.T) {
	for _, c := range []struct{ signal, command string }{{"TERM", "sleep 62.5"}, {"HUP", "sleep 63.5"}} {
		t.Run("C-88 SIG"+c.signal, func(t *testing.T) {
			s := newScene(t)
			s.start(100, 30, "")
			s.keys("run "+c.command, "Enter")
			s.see("⠋ bash", c.command)
			for s.processes(c.command) == 0 {
				time.Sleep(10 * time.Millisecond)
			}
			shell := strings.TrimSpace(s.tmux("display-message", "-p", "#{pane_pid}"))
			pid, err := exec.Command("pgrep", "-P", shell).Output()
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if out, err := exec.Command("kill", "-"+c.signal, strings.Fields(string(pid))[0]).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			s.gone("╰")
			for s.processes(c.command) > 0 && time.Since(start) < 5*time.Second {
				time.Sleep(20 * time.Millisecond)
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("the end took %v", took)
			}
			s.keys("stty -a | tr ' ' '\\n' | grep -x -e icanon -e echo | sort | tr '\\n' +", "Enter")
			s.see("echo+icanon+")
			s.keys("clear", "Enter")
			s.gone("icanon+")
			s.keys("tau -c", "Enter")
			s.see(c.command)
			s.keys("run echo still-$((40+2))", "Enter")
			s.see("still-42")
			s.quit()
		})
	}
}
