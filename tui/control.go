package tui

import "tau/tui/term"

// SetTitle sets the window title. Control characters become spaces.
func (u *UI) SetTitle(title string) { u.control(term.Title(title)) }

// Bell rings.
func (u *UI) Bell() { u.control("\a") }

// Notify tells the user something outside the window.
func (u *UI) Notify(way term.Notification, title, body string) {
	u.control(term.NotifySequence(way, title, body))
}

// SetProgress shows progress in the window's frame or task bar, where the
// terminal can, until it is called with term.NoProgress.
func (u *UI) SetProgress(p term.Progress, percent int) {
	if u.progress != nil {
		u.progress()
		u.progress = nil
	}
	u.control(u.term.ProgressSequence(p, percent))
	if p != term.NoProgress {
		// Terminals drop a state that is not confirmed.
		u.progress = u.After(progressEvery, func() {
			u.progress = nil
			u.SetProgress(p, percent)
		})
	}
}

// SetStatus tells the terminal what the program does, where it listens.
func (u *UI) SetStatus(s term.Status) {
	if seq := u.term.StatusSequence(s); seq != "" {
		u.control(seq)
	}
}

// QueryColors asks the terminal for its colours again; they go to
// Options.OnColor.
func (u *UI) QueryColors() { u.control(term.ColorQuery) }

// control sends a control string with the next frame.
func (u *UI) control(s string) {
	u.extra += s
	u.draws.dirty = true
	u.RequestRender()
}

// Copy puts s on the clipboard: that of this machine by Options.Clipboard, or
// else that of the terminal's machine by OSC 52.
func (u *UI) Copy(s string) {
	done := func(err error) {
		if u.opt.OnCopied != nil {
			u.opt.OnCopied(s, err)
		}
	}
	if u.opt.Clipboard == nil {
		u.control(term.CopySequence(s))
		done(nil)
		return
	}
	clip := u.opt.Clipboard
	go func() {
		err := clip(s)
		u.Post(func() {
			if err != nil {
				u.control(term.CopySequence(s))
			}
			done(err)
		})
	}()
}
