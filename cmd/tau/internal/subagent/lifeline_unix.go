//go:build unix

package subagent

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// lifelineVariable holds the number of the file that ends with the caller.
const lifelineVariable = "TAU_LIFELINE"

// lifeline gives a process a pipe that nobody writes to, and of which only this
// program holds the other end: however the program ends, the process hears of
// it. started is called when the process is there, over when it is gone.
func lifeline(cmd *exec.Cmd) (started, over func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, r)
	cmd.Env = append(cmd.Env, lifelineVariable+"="+strconv.Itoa(2+len(cmd.ExtraFiles)))
	return func() { r.Close() }, func() { w.Close() }, nil
}

// FollowCaller ends this process, in good order, when the one that started it as
// a sub-agent has gone. In any other process it does nothing.
func FollowCaller() {
	n, err := strconv.Atoi(os.Getenv(lifelineVariable))
	if err != nil || n < 3 {
		return
	}
	_ = os.Unsetenv(lifelineVariable) // it is not for what is started from here
	syscall.CloseOnExec(n)
	f := os.NewFile(uintptr(n), "lifeline")
	go func() { // as long as the process
		_, _ = f.Read(make([]byte, 1))
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}()
}
