package components

import (
	"time"

	"tau/tui/key"
	"tau/tui/text"
)

// spinnerFrames and spinnerInterval are the usual dots at their usual pace.
var spinnerFrames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

const spinnerInterval = 80 * time.Millisecond

// Loader shows that something is going on: a spinner and a message. It ticks
// only between Start and Stop.
type Loader struct {
	ticker   Ticker
	onChange func()
	onCancel func()
	bindings Bindings
	message  string
	frames   []string
	interval time.Duration
	spin     Style
	text     Style

	frame   int
	running bool
	cancel  func()
	version uint64
	width   int
	lines   []string
}

// NewLoader returns a stopped loader. onChange is called after each step of
// the spinner; it may be nil.
func NewLoader(ticker Ticker, message string, onChange func()) *Loader {
	return &Loader{ticker: ticker, onChange: onChange, message: message, frames: spinnerFrames, interval: spinnerInterval}
}

// SetFrames replaces the spinner. One frame or none stands still.
func (l *Loader) SetFrames(frames []string, interval time.Duration) {
	l.frames, l.interval, l.frame = frames, max(interval, 16*time.Millisecond), 0
	l.Invalidate()
}

// SetStyle sets the styles of the spinner and the message.
func (l *Loader) SetStyle(spinner, message Style) { l.spin, l.text = spinner, message; l.Invalidate() }

// SetMessage changes the message.
func (l *Loader) SetMessage(message string) {
	if message != l.message {
		l.message = message
		l.Invalidate()
	}
}

// Start begins to tick.
func (l *Loader) Start() {
	if !l.running {
		l.running = true
		l.schedule()
	}
}

// OnCancel makes the loader take the key that cancels (tui.select.cancel) while
// it runs. bindings nil means the defaults.
func (l *Loader) OnCancel(bindings Bindings, f func()) {
	if bindings == nil {
		bindings = DefaultBindings()
	}
	l.bindings, l.onCancel = bindings, f
}

// HandleKey implements tui.KeyHandler.
func (l *Loader) HandleKey(ev key.Event) bool {
	if !l.running || l.onCancel == nil || !l.bindings.Matches(ev, "tui.select.cancel") {
		return false
	}
	l.onCancel()
	return true
}

// Stop ends ticking.
func (l *Loader) Stop() {
	l.running = false
	if l.cancel != nil {
		l.cancel()
		l.cancel = nil
	}
}

// Running reports whether the loader ticks.
func (l *Loader) Running() bool { return l.running }

// Frame returns the spinner's picture of this moment, for use in other places
// such as the editor's border.
func (l *Loader) Frame() string {
	if len(l.frames) == 0 {
		return ""
	}
	return l.frames[l.frame%len(l.frames)]
}

func (l *Loader) schedule() {
	if l.ticker == nil || len(l.frames) < 2 {
		return
	}
	l.cancel = l.ticker.After(l.interval, func() {
		if !l.running {
			return
		}
		l.frame = (l.frame + 1) % len(l.frames)
		l.Invalidate()
		l.schedule()
		if l.onChange != nil {
			l.onChange()
		}
	})
}

// Invalidate makes the next Render build its lines anew.
func (l *Loader) Invalidate() { l.width = 0; l.version++ }

// Version counts changes.
func (l *Loader) Version() uint64 { return l.version }

// Render implements tui.Component: a blank line and the message.
func (l *Loader) Render(width int) []string {
	width = max(1, width)
	if l.width == width {
		return l.lines
	}
	l.width = width
	line := l.text.apply(oneLine(l.message))
	if f := l.Frame(); f != "" {
		line = l.spin.apply(f) + " " + line
	}
	l.lines = []string{"", text.Truncate(line, width, "…")}
	return l.lines
}
