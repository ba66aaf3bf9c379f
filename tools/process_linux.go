package tools

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

const haveTable = true

func pipeName(f *os.File) string {
	st, err := f.Stat()
	if err != nil {
		return ""
	}
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("pipe:[%d]", s.Ino)
}

// processes reads /proc. Processes of other users show neither environment nor
// files, and could not be ended either.
func processes(mark, pipe string) []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, _ := dir.Readdirnames(-1)
	dir.Close()
	var out []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		p, ok := readStat(pid)
		if !ok {
			continue
		}
		if p.ours = holds(name, pipe); !p.ours && mark != "" {
			env, _ := os.ReadFile("/proc/" + name + "/environ")
			p.ours = bytes.Contains(env, []byte(mark))
		}
		out = append(out, p)
	}
	return out
}

// readStat reads proc_pid_stat(5): pid (name) state ppid pgrp session … with the
// start time as field 22; the name may hold blanks and brackets. Zombies are not processes any more.
func readStat(pid int) (process, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 20 || f[0][0] == 'Z' || f[0][0] == 'X' {
		return process{}, false
	}
	p := process{pid: pid}
	p.parent, _ = strconv.Atoi(string(f[1]))
	p.group, _ = strconv.Atoi(string(f[2]))
	p.session, _ = strconv.Atoi(string(f[3]))
	p.start, _ = strconv.ParseInt(string(f[19]), 10, 64)
	return p, true
}

func holds(pid, pipe string) bool {
	if pipe == "" || pid == strconv.Itoa(os.Getpid()) {
		return false
	}
	for _, fd := range []string{"1", "2"} {
		if to, err := os.Readlink("/proc/" + pid + "/fd/" + fd); err == nil && to == pipe {
			return true
		}
	}
	return false
}
