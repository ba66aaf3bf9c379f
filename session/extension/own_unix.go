//go:build unix

package extension

import (
	"os/exec"
	"syscall"
)

// own gives a command a process group, and ends all of that with it.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
