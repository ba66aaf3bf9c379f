//go:build unix

package js

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group gives a command a process group, which ends with it.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func signalGroup(p *os.Process, name string) error {
	sig := unix.SignalNum(name)
	if sig == 0 {
		sig = syscall.SIGTERM
	}
	return syscall.Kill(-p.Pid, sig)
}

// signalProcess is kill(2).
func signalProcess(pid int, name string) error {
	var sig syscall.Signal
	if name != "" {
		if sig = unix.SignalNum(name); sig == 0 {
			return fmt.Errorf("there is no signal %s", name)
		}
	}
	if err := syscall.Kill(pid, sig); err != nil {
		return os.NewSyscallError("kill", err)
	}
	return nil
}

func signalName(st *os.ProcessState) string {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return unix.SignalName(ws.Signal())
	}
	return "SIGTERM"
}
