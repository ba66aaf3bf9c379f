//go:build !unix

package js

import (
	"os"
	"os/exec"
)

func group(*exec.Cmd) {}

func signalGroup(p *os.Process, _ string) error { return p.Kill() }

func signalName(*os.ProcessState) string { return "SIGTERM" }
