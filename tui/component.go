package tui

import "tau/tui/key"

// Component draws itself. Components are told apart by identity, so they are
// pointers.
//
// The result belongs to the component and is read-only for the caller. No line
// is wider than width columns. A component that has not changed returns the
// same slice (same first element, same length): this identity is how parents
// and renderers know in O(1) that there is nothing to do.
type Component interface {
	Render(width int) []string
}

// Invalidator drops whatever was cached from the theme or the terminal.
type Invalidator interface {
	Invalidate()
}

// KeyHandler takes keys. It reports whether the key was used; a key that was
// not goes on to the application.
type KeyHandler interface {
	HandleKey(ev key.Event) bool
}

// Focusable is told when it gains or loses the keyboard. A focused text field
// puts [CursorMarker] in front of its cursor cell.
type Focusable interface {
	SetFocused(focused bool)
}

// Versioned changes its version when its output may have changed, so that
// parents can skip Render.
type Versioned interface {
	Version() uint64
}

// Settler says how many of its leading lines will never change again
// (math.MaxInt: all of them).
type Settler interface {
	Settled(width int) int
}

// Ranger renders a part of itself. Renderers prefer it for tall content: a
// frame then costs the lines on screen, not the lines there are.
type Ranger interface {
	Height(width int) int
	// RenderRange returns the lines from (inclusive) to (exclusive).
	RenderRange(width, from, to int) []string
}

// CursorMarker is a private APC string of no width. The renderer removes it
// and puts the terminal's cursor at its place, so that input methods open
// their window there. Components do not draw the cursor cell themselves: with
// Options.FakeCursor the renderer draws it reversed.
const CursorMarker = "\x1b_tau:c\x07"
