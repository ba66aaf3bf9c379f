package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	"tau/tui/input"
	"tau/tui/key"
	"tau/tui/keymap"
	"tau/tui/term"
)

// ErrTerminated is returned by [UI.Run] after a signal asked the program to
// end.
var ErrTerminated = errors.New("terminated by a signal")

// Options configure a [UI]. The zero value draws on the alternate screen with
// the mouse off.
type Options struct {
	// Inline draws on the main screen: lines that scroll off are the
	// terminal's, the program owns what is below them. Otherwise the UI owns
	// the alternate screen.
	Inline bool
	// Mouse asks for the mouse on the alternate screen.
	Mouse bool
	// FakeCursor draws the cursor as a reversed cell and hides the
	// terminal's, which is still moved there for input methods.
	FakeCursor bool
	// Keys are the bindings of the viewport actions (tui.altScreen.*). nil
	// means the defaults.
	Keys *keymap.Map
	// WaitColors holds back the first frame until the terminal has told its
	// colours, but no longer than 100 ms, so that a theme can be chosen
	// before anything is seen. The Term must ask for colours.
	WaitColors bool
	// OnColor gets the terminal's colours, OnScheme its preference for dark
	// or light, when they arrive or change.
	OnColor  func(input.Color)
	OnScheme func(dark bool)
	// OnFocus is told when the window gains or loses the focus.
	OnFocus func(in bool)
	// OnExit returns lines that are printed to the user's screen after the
	// program has left its own. width is that of the terminal.
	OnExit func(width int) []string
	// Clipboard puts text on the clipboard of this machine. It runs in a
	// goroutine of its own. nil or an error leaves it to the terminal
	// (OSC 52).
	Clipboard func(string) error
	// OnCopied is told on the UI goroutine what became of [UI.Copy].
	OnCopied func(s string, err error)
	// CopyOnSelect copies what the mouse has selected when it is released.
	CopyOnSelect bool
	// Pictures are the pictures that components show. nil: there are none.
	Pictures *Pictures
	// OpenLink is called for a click on an OSC 8 link.
	OpenLink func(url string)
}

// PasteHandler is a component that takes pasted text. It reports whether it
// used it.
type PasteHandler interface {
	HandlePaste(text string) bool
}

// ReleaseHandler is a component that wants to be told of key releases, which
// other components never see.
type ReleaseHandler interface {
	WantsKeyRelease() bool
}

// ViewportBlocker is a component that wants the keys of the viewport (paging,
// search) for itself while it has the focus, such as a list.
type ViewportBlocker interface {
	BlocksViewport() bool
}

const (
	frameInterval = 16 * time.Millisecond
	colorWait     = 100 * time.Millisecond
	dyingTime     = 1500 * time.Millisecond
	resizeWait    = 60 * time.Millisecond
	progressEvery = time.Second
)

// UI runs components in a terminal. Make one with [New], give it a root and
// call [UI.Run].
//
// One goroutine, the one that calls Run, owns the UI and all its components.
// [UI.Post] and [UI.RequestRender] may be called from anywhere; every other
// method belongs to that goroutine (or to the time before Run).
type UI struct {
	opt  Options
	term *term.Term
	keys *keymap.Map
	box  mailbox

	root     Component
	focused  Component
	overlays []*Overlay
	orders   int
	before   []func(key.Event) bool
	after    []func(key.Event) bool
	onMouse  []func(MouseEvent) bool

	w, h     int
	draws    drawing
	timers   timerHeap
	seq      int
	running  bool
	quitting bool
	quitErr  error
	extra    string   // control strings for the next frame
	drawn    []func() // called when the next frame is handed over
	started  time.Time
	wakes    int // rounds of the loop; tests hold it against idleness
	mouse    mouseState
	cells    screenSelection
	view     *ScrollView
	parked   *inlineRenderer // while the alternate screen is used instead
	find     *search
	printed  bool
	progress func() // cancels the next confirmation
}

// drawing is the state of the frame clock.
type drawing struct {
	screen    screenRenderer
	inline    *inlineRenderer
	dirty     bool // a frame is wanted
	more      bool // it sends more of a picture
	now       bool // and not to wait for the interval
	last      time.Time
	slow      time.Duration // minimum interval on a slow terminal
	sent      time.Time
	waitUntil time.Time // for colours, or for the end of a resize
	held      bool      // waitUntil is for a resize
	rows      []string
}

// New returns a UI on a terminal.
func New(t *term.Term, opt Options) *UI {
	u := &UI{opt: opt, term: t, keys: opt.Keys}
	if u.keys == nil {
		u.keys = keymap.New(keymap.Defaults(keymap.Platform{}))
	}
	u.box.init()
	u.draws.screen.fake = opt.FakeCursor
	if opt.Inline {
		u.draws.inline = newInline(opt.FakeCursor)
	}
	u.usePictures(opt.Pictures)
	u.w, u.h = t.Size()
	return u
}

// Post runs f on the UI goroutine. It never blocks; functions run in the order
// they were posted. After Run has returned they are dropped.
func (u *UI) Post(f func()) { u.box.post(f) }

// PostSoon is Post for what changes the screen and can wait until the next
// frame, such as a piece of text that streams in: however many come between two
// frames, the UI wakes up once. A frame is drawn after f.
func (u *UI) PostSoon(f func()) { u.box.postSoon(f) }

// RequestRender asks for a frame. It may be called from any goroutine, any
// number of times.
func (u *UI) RequestRender() { u.box.render() }

// SetRoot sets the component that fills the screen. If it is no [Area], it is
// shown in a [ScrollView].
func (u *UI) SetRoot(c Component) {
	u.root = c
	if _, ok := c.(Area); !ok && c != nil {
		v := NewScrollView(u, c)
		u.root, u.view = v, v
	}
	u.RequestRender()
}

// SetViewport names the view that the viewport keys scroll and that is
// searched and selected from.
func (u *UI) SetViewport(v *ScrollView) { u.view = v }

// Viewport returns the view named by SetViewport.
func (u *UI) Viewport() *ScrollView { return u.view }

// Size returns columns and rows of the screen.
func (u *UI) Size() (width, height int) { return u.w, u.h }

// Keys returns the bindings of the UI.
func (u *UI) Keys() *keymap.Map { return u.keys }

// Quit ends Run, which returns err.
func (u *UI) Quit(err error) {
	if !u.quitting {
		u.quitting, u.quitErr = true, err
	}
}

// Run takes the terminal over and runs until Quit, until ctx ends (and returns
// its error), until a signal asks for the end ([ErrTerminated]) or until the
// terminal is gone ([term.ErrGone]). However it ends, including by a panic, the
// terminal is put back first.
func (u *UI) Run(ctx context.Context) (err error) {
	defer u.box.close()
	if err := u.enter(); err != nil {
		return err
	}
	u.running, u.started = true, time.Now()
	go u.watch()
	defer func() {
		if u.running { // a panic is on its way out
			u.term.Restore()
			_ = u.term.Stop()
		}
	}()
	u.loop(ctx)
	u.running = false
	if !u.term.Gone() {
		u.term.Drain(time.Second, 50*time.Millisecond)
	}
	u.leave(true, false)
	return u.quitErr
}

// enter takes the terminal over.
func (u *UI) enter() error {
	if err := u.term.Start(u.screenMode()); err != nil {
		return err
	}
	u.w, u.h = u.term.Size()
	u.draws.screen.reset()
	u.draws.slow = 0
	if u.draws.inline != nil {
		u.draws.inline.restart()
	}
	if u.opt.WaitColors && !u.printed {
		u.draws.waitUntil = time.Now().Add(colorWait)
	}
	u.printed = true
	u.askCell()
	u.draws.dirty, u.draws.now = true, true
	return nil
}

func (u *UI) screenMode() term.Screen {
	if u.draws.inline != nil {
		return term.Screen{}
	}
	return term.Screen{Alternate: true, Mouse: u.opt.Mouse}
}

// leave gives the terminal away: for good, or with the window wiped off the main
// screen.
func (u *UI) leave(final, wipe bool) {
	var last strings.Builder
	// The last frame may still be written from the memory of the next one.
	written := u.term.Settle()
	u.clearPictures()
	if r := u.draws.inline; r != nil {
		if final && written && !u.term.Gone() {
			// Nothing is held back any more.
			for _, f := range u.inlineFrame("", true) {
				last.Write(f)
			}
		}
		if wipe {
			last.WriteString(r.wipe())
		} else {
			last.WriteString(r.leave())
		}
		last.WriteString(showCursor)
		u.term.SetUploading(false)
	}
	if final && u.opt.OnExit != nil {
		u.hidePictures()
		for _, l := range u.opt.OnExit(u.w) {
			last.WriteString(prepare(l, max(u.w, 1), false, nil).out)
			last.WriteString("\r\n")
		}
	}
	_ = u.term.Stop(last.String())
	if u.draws.inline != nil {
		u.draws.inline.restart()
	}
}

// loop is the heart: everything that happens, happens here.
func (u *UI) loop(ctx context.Context) {
	clock := time.NewTimer(time.Hour)
	clock.Stop()
	defer clock.Stop()
	var armed time.Time   // what the clock is set to, zero if it is stopped
	var inputBy time.Time // when an undecided key is decided
	for !u.quitting {
		u.wakes++
		u.settle()
		u.runPosted()
		u.runTimers(time.Now())
		if u.quitting {
			return
		}
		u.draw(time.Now())

		u.box.sleep(u.draws.dirty)
		// To set a clock may wake a thread: one that is right is left alone.
		if next := u.nextWake(inputBy); next.IsZero() {
			clock.Stop()
			armed = next
		} else if !next.Equal(armed) {
			clock.Reset(time.Until(next))
			armed = next
		}
		// That a frame is written matters only to the next one: nobody has to wake
		// for it before.
		var wrote <-chan term.Written
		if u.draws.dirty {
			wrote = u.term.Wrote()
		}
		select {
		case <-ctx.Done():
			u.Quit(ctx.Err())
		case chunk, ok := <-u.term.Input():
			if !ok {
				u.term.SetGone()
				u.Quit(term.ErrGone)
				return
			}
			u.handle(u.term.Feed(chunk))
			inputBy = u.deadline()
		case <-clock.C:
			armed = time.Time{}
			if !inputBy.IsZero() && !time.Now().Before(inputBy) {
				u.handle(u.term.Timeout())
				inputBy = u.deadline()
			}
		case <-u.box.wake:
		case <-u.term.Resized():
			u.resized()
		case w := <-wrote:
			u.wrote(w)
		case <-u.term.Failed(): // the outcome says how
		}
	}
}

func (u *UI) deadline() time.Time {
	if d := u.term.Wait(); d > 0 {
		return time.Now().Add(d)
	}
	return time.Time{}
}

// nextWake returns when to wake up without any event; zero for never.
func (u *UI) nextWake(inputBy time.Time) time.Time {
	next := inputBy
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if u.draws.dirty && !u.term.Busy() {
		sooner(u.frameTime())
	}
	sooner(u.timers.next())
	return next
}

func (u *UI) resized() {
	w, h := u.term.Size()
	if w == u.w && h == u.h {
		return
	}
	if u.draws.inline != nil {
		u.draws.inline.resize(u.w, u.h, w, h)
	}
	u.w, u.h = w, h
	u.draws.dirty = true
	u.askCell() // the size of the font may be what has changed
	if u.draws.inline != nil {
		// While a window is dragged, nothing is painted: each painting leaves
		// a stale copy behind in terminals that wrap lines anew.
		u.draws.waitUntil = time.Now().Add(resizeWait)
		u.draws.held = true
	}
}

// watch takes the signals, on a goroutine of its own: a program that hangs must
// end all the same, with the terminal put back.
func (u *UI) watch() {
	var dying <-chan time.Time
	for {
		select {
		case <-u.box.done:
			return
		case <-dying:
			u.term.Restore()
			u.term.Die()
			return
		case s := <-u.term.Signals():
			switch s {
			case term.Terminate:
				u.Post(func() { u.Quit(ErrTerminated) })
				if dying == nil {
					dying = time.After(dyingTime)
				}
			case term.Stop:
				u.Post(func() { _ = u.Suspend() })
			case term.Continue:
				u.Post(u.refresh)
			}
		}
	}
}

// refresh takes the terminal over again: the process was stopped from outside,
// and a shell has used it meanwhile.
func (u *UI) refresh() {
	u.leave(false, false)
	if err := u.enter(); err != nil {
		u.Quit(err)
	}
}

// Suspend gives the terminal away and stops the process, like Ctrl+Z in other
// programs; it returns when the process runs again. Where there is no job
// control it does nothing and returns errors.ErrUnsupported.
func (u *UI) Suspend() error {
	u.leave(false, false)
	err := u.term.Suspend()
	if e := u.enter(); e != nil {
		u.Quit(e)
	}
	return err
}

// External gives the terminal to another program (an editor) while f runs, on
// the UI goroutine.
func (u *UI) External(f func() error) error {
	u.leave(false, true)
	err := f()
	if e := u.enter(); e != nil {
		u.Quit(e)
		return errors.Join(err, e)
	}
	return err
}

// Configure changes options while the program runs. Inline, Mouse and
// WaitColors count from the next time the terminal is taken over; see
// [UI.SetInline] for the first.
func (u *UI) Configure(change func(*Options)) {
	inline := u.opt.Inline
	change(&u.opt)
	u.opt.Inline = inline
	if u.opt.Keys != nil {
		u.keys = u.opt.Keys
	}
	u.draws.screen.fake = u.opt.FakeCursor
	u.draws.screen.repaint()
	if u.draws.inline != nil {
		u.draws.inline.setFake(u.opt.FakeCursor)
	}
	u.draws.dirty = true
	u.RequestRender()
}
