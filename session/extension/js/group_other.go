//go:build !unix

package js

import (
	"os"
	"os/exec"
)

func group(*exec.Cmd) {}

func signalGroup(p *os.Process, _ string) error { return p.Kill() }

// signalProcess ends a process, whatever the signal.
func signalProcess(pid int, name string) error {
	p, err := os.FindProcess(pid)
	if err != nil || name == "" {
		return err
	}
	return p.Kill()
}

func signalName(*os.ProcessState) string { return "SIGTERM" }
