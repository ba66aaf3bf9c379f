package term

import "golang.org/x/sys/unix"

// pending returns how many bytes wait to be read.
func pending(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}
