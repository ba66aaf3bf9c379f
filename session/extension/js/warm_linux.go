package js

import (
	"golang.org/x/sys/unix"
	"modernc.org/libc"
)

// What an engine with a small extension uses, in pieces of what the library's
// allocator keeps for reuse.
const (
	warmBlocks = 7
	warmBlock  = 60 << 10
)

// warm has the system provide the memory that an engine is about to use, in a
// few calls: on a virtual machine the hundred faults on first use take as long
// as half of what the engine does. Where that cannot be done nothing is lost.
func warm() {
	tls := libc.NewTLS()
	defer tls.Close()
	var blocks [warmBlocks]uintptr
	for i := range blocks {
		if blocks[i] = libc.Xmalloc(tls, warmBlock); blocks[i] == 0 {
			break
		}
		from := (blocks[i] + 4095) &^ 4095
		to := (blocks[i] + warmBlock) &^ 4095
		// Linux 5.14 and later; the block is not used, so that it may fail.
		_, _, _ = unix.RawSyscall(unix.SYS_MADVISE, from, to-from, unix.MADV_POPULATE_WRITE)
	}
	for _, b := range blocks {
		if b != 0 {
			libc.Xfree(tls, b)
		}
	}
}
