// Package graphics speaks the protocols by which terminals show pictures.
//
// [Detect] says which one a terminal has. For Kitty's, [Upload] sends a PNG in
// pieces, [Place] shows a part of it, [Remove] and [Free] take it away. For
// iTerm2's, [Inline] is a picture in one sequence. All functions return
// sequences and keep no state; none of the sequences moves the cursor for good
// or makes the terminal answer.
package graphics

import "strings"

// Protocol is a way to put pictures on a terminal.
type Protocol uint8

// The protocols.
const (
	None Protocol = iota
	// Kitty keeps pictures apart from text: they are sent once and placed by
	// number (sw.kovidgoyal.net/kitty/graphics-protocol).
	Kitty
	// ITerm2 draws a picture into cells, like text
	// (iterm2.com/documentation-images.html).
	ITerm2
)

// Detect finds the protocol from the environment. TAU_IMAGE_PROTOCOL (kitty,
// iterm2, none) comes first. Multiplexers get none: they do not pass pictures
// on, or draw over them.
func Detect(getenv func(string) string) Protocol {
	switch strings.ToLower(getenv("TAU_IMAGE_PROTOCOL")) {
	case "kitty":
		return Kitty
	case "iterm2":
		return ITerm2
	case "none", "false", "0":
		return None
	}
	name := getenv("TERM")
	if getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "" || strings.HasPrefix(name, "tmux") || strings.HasPrefix(name, "screen") {
		return None
	}
	program := strings.ToLower(getenv("TERM_PROGRAM"))
	switch {
	case getenv("KITTY_WINDOW_ID") != "", name == "xterm-kitty",
		getenv("GHOSTTY_RESOURCES_DIR") != "", name == "xterm-ghostty", program == "ghostty",
		getenv("WEZTERM_PANE") != "", program == "wezterm",
		program == "warpterminal":
		return Kitty
	case getenv("ITERM_SESSION_ID") != "", program == "iterm.app", program == "mintty":
		return ITerm2
	}
	return None
}
