//go:build unix

package tools

import (
	"io/fs"
	"os"
	"sync"
	"syscall"
)

func links(st fs.FileInfo) uint64 {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// keepOwner gives the new file the owner of the old one, where we may.
func keepOwner(f File, st fs.FileInfo) {
	c, ok := f.(interface{ Chown(uid, gid int) error })
	if !ok {
		return
	}
	if s, ok := st.Sys().(*syscall.Stat_t); ok && (int(s.Uid) != os.Geteuid() || int(s.Gid) != os.Getegid()) {
		_ = c.Chown(int(s.Uid), int(s.Gid))
	}
}

// umask reads the process's mask, which cannot be read without setting it.
var umask = sync.OnceValue(func() os.FileMode {
	m := syscall.Umask(0o022)
	syscall.Umask(m)
	return os.FileMode(m)
})
