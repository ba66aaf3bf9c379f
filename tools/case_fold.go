//go:build darwin || windows

package tools

import "strings"

// caseKey returns the name by which a file is told apart from others. The
// usual file systems here do not tell case apart; taking two names for one file
// where they do costs only a little waiting.
func caseKey(path string) string { return strings.ToLower(path) }
