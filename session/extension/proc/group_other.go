//go:build !unix

package proc

import "os/exec"

func group(*exec.Cmd) {}

func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // it may be gone
	}
}
