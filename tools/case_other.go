//go:build !darwin && !windows

package tools

// caseKey returns the name by which a file is told apart from others.
func caseKey(path string) string { return path }
