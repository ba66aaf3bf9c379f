package tui

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"tau/tui/text"
)

// guard calls f and turns a panic into one line that says what happened and
// where, so that one broken component does not take the program with it.
func guard(c Component, width int, f func() []string) (lines []string) {
	defer func() {
		if v := recover(); v != nil {
			msg := fmt.Sprintf("%T panicked: %v (%s)", c, v, panicSite())
			msg = text.ReplaceControls(text.StripSequences(msg))
			lines = []string{"\x1b[31m" + text.Truncate(msg, width, "…") + "\x1b[39m"}
		}
	}()
	return f()
}

// panicSite names the line that panicked. It is called while the stack of the
// panic is still there, from a deferred function.
func panicSite() string {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") && f.Function != "" {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "unknown"
		}
	}
}

// render renders a component; it never panics.
func render(c Component, width int) []string {
	if c == nil || width <= 0 {
		return nil
	}
	return guard(c, width, func() []string { return c.Render(width) })
}
