package tools

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is the processes of one command: a job object, which no child leaves. A
// child that is started before the shell is put into the job, within its first
// microseconds, is not in it.
type tree struct {
	mu  sync.Mutex
	job windows.Handle
}

func (t *tree) prepare(cmd *exec.Cmd, _ string, _ *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func (t *tree) started(cmd *exec.Cmd) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	// The processes end with tau, however that ends.
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var h windows.Handle
		h, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
		if err == nil {
			err = windows.AssignProcessToJobObject(job, h)
			_ = windows.CloseHandle(h)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	t.job = job
}

func (t *tree) ended() {}

func exitCode(st *os.ProcessState) int { return st.ExitCode() }

// signal ends the tree; Windows has no signal that asks console programs of
// another group politely.
func (t *tree) signal(bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
	}
}

func (t *tree) alive(bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job == 0 {
		return false
	}
	// JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of winnt.h.
	var info struct {
		TotalUserTime, TotalKernelTime, ThisPeriodUser, ThisPeriodKernel int64
		TotalPageFaults, TotalProcesses, ActiveProcesses, Terminated     uint32
	}
	const basicAccounting = 1
	err := windows.QueryInformationJobObject(t.job, basicAccounting, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	if err == nil && info.ActiveProcesses > 0 {
		return true
	}
	_ = windows.CloseHandle(t.job)
	t.job = 0
	return false
}

func endMarked(string) {}
