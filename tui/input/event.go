package input

import "fmt"

// An Event is one of key.Event and the types of this file.
type Event any

// Paste is text that was pasted: valid UTF-8 with LF line ends, without
// control characters except LF and tab.
type Paste struct{ Text string }

// Focus says that the terminal window gained or lost the focus.
type Focus struct{ In bool }

// MouseAction is what the mouse did.
type MouseAction uint8

// The mouse actions. Motion is sent while a button is held, and without one
// where the terminal reports all motion.
const (
	MousePress MouseAction = iota
	MouseRelease
	MouseMotion
	MouseWheel
)

// Button is a mouse button; NoButton for motion without one, and for releases
// in the legacy encoding, which do not say what was released.
type Button uint8

// The buttons.
const (
	NoButton Button = iota
	Left
	Middle
	Right
	Back
	Forward
)

// Mouse is one mouse report. X and Y are cells from the top left, from 0. DX
// and DY are the steps of a wheel: DY is -1 for up, DX is -1 for left.
type Mouse struct {
	Action           MouseAction
	Button           Button
	X, Y             int
	DX, DY           int
	Shift, Alt, Ctrl bool
}

// RGB is a colour with 8 bits a channel.
type RGB struct{ R, G, B uint8 }

func (c RGB) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// The slots of colour replies beyond the palette's 0 to 255.
const (
	Foreground = -1
	Background = -2
)

// Color answers a colour query (OSC 10, 11, 4). Slot is a palette index,
// [Foreground] or [Background].
type Color struct {
	Slot int
	RGB  RGB
}

// Scheme reports the light or dark preference (mode 2031).
type Scheme struct{ Dark bool }

// CellSize answers CSI 16 t: pixels of one cell.
type CellSize struct{ Width, Height int }

// DeviceAttributes answers CSI c (DA1). Every terminal answers it, so it is
// the fence behind other queries.
type DeviceAttributes struct{ Params []int }

// ModeReport answers CSI ? mode $ p (DECRQM): 0 unknown, 1 set, 2 reset, 3
// and 4 fixed.
type ModeReport struct{ Mode, Value int }

// KittyFlags answers CSI ? u: the flags of the Kitty keyboard protocol.
type KittyFlags struct{ Flags int }

// StatusReply answers OSC 7501 ; ?: the terminal takes reports of what the
// program does.
type StatusReply struct{}

// CursorPosition answers CSI 6 n. Row and column count from 1.
type CursorPosition struct{ Row, Col int }

// Unknown is a complete sequence nobody knows, or one that was cut short.
type Unknown struct{ Raw string }
