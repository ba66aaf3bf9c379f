// Package key names keys and reads them from the bytes a terminal sends.
package key

// ID names a key with its modifiers, such as "ctrl+p", "shift+enter",
// "pageUp" or "é". Modifiers come in the order shift, ctrl, alt, super.
type ID string

// Action is what happened to a key.
type Action uint8

// The actions. Terminals without the Kitty protocol only report presses.
const (
	Press Action = iota
	Repeat
	Release
)

// Event is one key. Pastes, mouse reports and terminal replies are other
// types of input and never look like keys.
type Event struct {
	ID     ID
	Text   string // what the key types; empty for keys that type nothing
	Action Action
}
