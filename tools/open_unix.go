//go:build unix

package tools

import "syscall"

// nonblock keeps the opening and reading of what only looks like a regular
// file, such as some files of /proc, from blocking.
const nonblock = syscall.O_NONBLOCK
