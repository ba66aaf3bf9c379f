// Package tui draws programs in a terminal.
//
// A program is a tree of [Component] values. A component renders itself to
// lines of at most the given width; everything else it may be able to do (take
// keys, hold the focus, say that nothing changed, render only a part) is one of
// the small optional interfaces of this package.
//
//	t, err := term.Open(term.Options{})
//	ui := tui.New(t, tui.Options{Mouse: true})
//	transcript := tui.NewList()
//	view := tui.NewScrollView(ui, transcript)
//	ui.SetViewport(view)
//	ui.SetRoot(tui.NewVStack(tui.Fill(view), tui.Fixed(editor), tui.Fixed(footer)))
//	ui.Focus(editor)
//	err = ui.Run(ctx)
//
// Package components has the parts for this; its example is a whole program with
// an editor, a list and an overlay.
//
// All components belong to one goroutine, the one that calls [UI.Run]. Other
// goroutines hand work to it with [UI.Post]; [UI.RequestRender] only sets a
// flag. There are no locks in components.
//
// # Frames
//
// A frame is at most one write (more only above 60 KiB, and for the data of
// pictures, which draws nothing), between the sequences
// that begin and end a synchronized update, and holds only what changed: of a row
// the part that differs, and rows that only moved are moved by the terminal.
// Frames are at least 16 ms apart, except that a key is answered at once; while
// one is being written, none is composed, so a slow terminal skips frames. When
// nothing happens, nothing is written and nothing wakes up.
//
// A frame costs what changed and what is in sight, however long the [List]
// behind it is. There are two renderers: on the alternate screen the program
// owns every row; on the main screen (Options.Inline) lines that are final flow
// into the terminal's scrollback and are never touched again.
//
// # Lines
//
// Lines are strings with SGR colours and OSC 8 links as their only escape
// sequences (see tui/text for measuring, wrapping and cutting them). Text that
// comes from elsewhere goes through text.Sanitize first; as a second defence
// the renderers drop all other sequences and control characters, and cut what
// is too wide. A component that panics shows as one line that says so.
//
// # Pictures
//
// With Options.Pictures, components show pictures where the terminal can (see
// tui/graphics): [Picture.Lines] are lines of cells that stand for the pixels and
// may be cut, indented and overlaid like text. A picture is sent once, a piece
// with each frame, and only the part of it that is in sight is shown.
//
//	pictures := tui.NewPictures(graphics.Detect(os.Getenv), decode)
//	ui := tui.New(t, tui.Options{Pictures: pictures})
//	picture := pictures.Picture(data)
//	lines := picture.Lines(40, 12) // in Render, if pictures.Shown()
package tui
