//go:build unix && !linux && !darwin

package tools

import "os"

// Without a process table that can be read in a common way, a tree is the
// group of its shell.
const haveTable = false

func pipeName(*os.File) string { return "" }

func processes(string, string) []process { return nil }
