package interactive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"tau/ai"
	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/headless"
	"tau/components"
	"tau/components/chat"
	"tau/session"
	"tau/session/settings"
	"tau/session/store"
	"tau/tui"
	"tau/tui/keymap"
	"tau/tui/term"
	"tau/tui/text"
)

// program is the running application. Everything in it belongs to the UI
// goroutine.
type program struct {
	app     *app.App
	session *session.Session
	ui      *tui.UI
	keys    *keymap.Map
	look    *chat.Look

	list     *tui.List
	view     *tui.ScrollView
	script   *transcript
	editor   *components.Editor
	screen   *tui.VStack
	status   status
	footer   *footer
	queue    *queueView
	picker   *tui.Overlay
	colors   terminalColors
	quitHint time.Time
	lastEsc  time.Time
	run      *shellRun // a command of the user's own
	stashed  []string  // messages put aside
	// conflicts are keys that the user gave to more than one action.
	conflicts []keymap.Conflict
	away      bool // the window does not have the focus
	// progressing is set while the terminal shows that the agent works.
	progressing bool
	// cancelTask stops a navigation that writes a summary.
	cancelTask func()
	signing    *guide         // through a sign-in that goes on
	cancel     func()         // ends the subscription to the session
	failed     error          // the session could not be saved
	writing    sync.WaitGroup // files that are not to be left half written
	inline     bool           // drawn on the main screen
	ext        extras         // what extensions have put on the screen
	rewrites   rewrites
	tell       reporter
	calm       calm
	welcome    *welcome
}

// Run opens the agent and returns the program's exit status.
func Run(a *app.App) (status int) {
	defer caught(a, &status)
	collect := app.CollectLater()
	a.Ask = askOnTerminal
	a.Front.Mode, a.Front.Late = "tui", true
	s, notes, err := a.Start()
	a.Ask = nil // the screen is the UI's from here on
	if err != nil {
		fmt.Fprintln(os.Stderr, "tau:", err)
		return 1
	}
	first, err := headless.Prompts(nil, a.Options.Files, a.Options.Messages, a.Attach)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tau:", err)
		return 1
	}
	t, err := term.Open(term.Options{Colors: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, "tau: cannot use this terminal:", err)
		return 1
	}
	p := newProgram(a, s, t)
	p.ui.After(totalsAfter, collect)
	p.calm = newCalm(func() bool { return p.picker == nil && a.Runner(p.session).Empty() })
	defer p.calm.end()
	p.begin(notes, first)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if !a.Options.Offline {
		go a.FindLocal(ctx)
	}
	err = p.ui.Run(ctx)
	if p.colors.stop != nil {
		p.colors.stop()
	}
	p.cancel()
	p.writing.Wait()
	a.End(p.session, "quit", nil)
	closeErr := p.session.Close()
	if status := exitStatus(err); status != 0 {
		return status
	}
	return exitStatus(closeErr)
}

// exitStatus is the status of a program whose screen ended with err, which is
// told if nothing else has been.
func exitStatus(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, tui.ErrTerminated):
		return 143
	case errors.Is(err, term.ErrGone):
		return 129
	}
	fmt.Fprintln(os.Stderr, "tau:", err)
	return 1
}

// begin says what there is to say at the start, asks about the project if that
// is needed, and sends what the command line asks.
func (p *program) begin(notes []string, first [][]ai.Block) {
	p.tellCrash()
	p.tellProblems()
	p.checkThemes()
	for _, n := range notes {
		p.script.notice(chat.Info, n)
	}
	start := func() {
		for _, prompt := range first {
			p.send(prompt, session.FollowUp)
		}
		if p.app.Options.Resume {
			p.resume("")
		}
	}
	load := func() {
		p.loadExtensions(func() {
			if p.app.Trust.Ask {
				p.askTrust(start)
			} else {
				start()
			}
		})
	}
	if len(first) > 0 {
		load()
	} else {
		// The terminal needs a processor to show the frame.
		p.ui.AfterFrame(func() { p.ui.After(frameShown, load) })
	}
}

// frameShown is about what a terminal takes to show a frame.
const frameShown = 20 * time.Millisecond

// askOnTerminal asks before the UI has the screen.
func askOnTerminal(question string, choices []string) string {
	fmt.Printf("%s\n[%s] ", text.Sanitize(question), strings.Join(choices, "/"))
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return ""
	}
	line = strings.ToLower(strings.TrimSpace(line))
	for _, c := range choices {
		if line != "" && strings.HasPrefix(c, line) {
			return c
		}
	}
	return ""
}

func newProgram(a *app.App, s *session.Session, t *term.Term) *program {
	p := &program{app: a, keys: newKeys(), list: &tui.List{Gap: 1}}
	p.ext.jobs, p.ext.ready = make(chan func()), make(chan struct{})
	if !a.Pending() {
		close(p.ext.ready)
	}
	p.front()
	p.inline = wantsInline(a)
	p.loadKeys()
	p.look = &chat.Look{CWD: a.CWD, HideThinking: a.Settings.HideThinkingBlock, Hyperlinks: hyperlinks(os.Getenv)}
	p.look.Tool, p.look.DrawsTool, p.look.Custom = p.drawTool, p.drawsTool, p.drawCustom
	p.look.Rewriting, p.look.Rewrite = func(kind string) int { return p.rewrites.by[kind] }, p.rewrite
	p.look.Pictures, p.look.ImageCols = pictures(a.Settings.Terminal, os.Getenv), a.Settings.Terminal.ImageWidthCells
	p.setTheme(p.colors.theme(a))
	p.ui = tui.New(t, tui.Options{
		Inline: p.inline, Mouse: true, Keys: p.keys, WaitColors: true, FakeCursor: !a.Settings.ShowHardwareCursor,
		OnColor: p.onColor, OnScheme: p.onScheme, OnExit: p.onExit, CopyOnSelect: true, Clipboard: clipboard,
		OnCopied: p.onCopied, OpenLink: app.OpenLink, OnFocus: p.onFocus,
		Pictures: p.look.Pictures,
	})
	p.tell = reporter{send: p.ui.SetStatus, name: func() string { return p.session.Store().Name() }}
	p.view = tui.NewScrollView(p.ui, p.list)
	p.view.EndLabel = " ↓ latest "
	p.ui.SetViewport(p.view)
	p.buildScreen()
	p.attach(s)
	p.applySettings()
	return p
}

// attach shows a session: its history, and from now on its events.
func (p *program) attach(s *session.Session) {
	if p.cancel != nil {
		p.cancel()
	}
	p.session = s
	p.run = nil // it ends with the session it belongs to
	p.list.Clear()
	p.refreshRewrites()
	p.script = newTranscript(p.look, p.list)
	p.header()
	if said(s.Store()) {
		p.script.history(s.Store())
	}
	p.status = status{}
	p.queue.set(nil, nil)
	p.footer.session = s
	p.footer.refresh()
	p.prompts(s.Store())
	// PostSoon only hands over, so no goroutine of its own has to wake for each
	// piece of an answer.
	p.cancel = s.Watch(func(ev session.Event) { p.ui.PostSoon(func() { p.onEvent(s, ev) }) })
	// What was spent before is added up when the screen is there.
	p.ui.After(totalsAfter, func() {
		go func() {
			if s.CountTotals() == nil {
				p.ui.Post(p.footer.refresh)
				p.ui.RequestRender()
			}
		}()
	})
	p.title()
	p.relabel()
	p.tell.reset()
	p.ui.RequestRender()
}

// totalsAfter is how long a session is open before all of it is read for what
// it has cost.
const totalsAfter = 400 * time.Millisecond

// worthSaying is the loss of prompt cache, in tokens, that is told.
const worthSaying = 5000

func (p *program) onEvent(s *session.Session, ev session.Event) {
	if s != p.session {
		return // of a session that was left
	}
	p.tell.handle(ev)
	p.calm.event(ev.Type == "message_update", time.Now())
	switch ev.Type {
	case session.QueueUpdate:
		p.queue.set(ev.Steering, ev.FollowUp)
		p.relabel()
	case session.RetryStart:
		p.status.retry = &ev.Retry
		p.status.until = time.Now().Add(ev.Retry.Delay)
		p.relabel()
	case session.RetryEnd:
		p.status.retry = nil
		if !ev.Retry.Success && ev.Retry.Final != "" && ev.Retry.Final != "cancelled" {
			p.script.notice(chat.Failure, "Given up: "+ev.Retry.Final)
		}
	case session.ModelChanged, session.ThinkingChanged, session.InfoChanged:
		p.footer.refresh()
		p.title()
		p.relabel()
	case session.CompactionStart, session.CompactionEnd:
		p.onCompaction(ev)
	case session.ShellUpdate:
		p.shellOutput(ev.ShellID, ev.Delta)
		return // drawn with the next movement of the spinner
	case session.ShellEnd:
		p.endShell(ev.ShellID, ev.Shell)
	case session.CacheLost:
		if ev.Cache.Tokens >= worthSaying && settings.Or(p.app.Settings.ShowCacheMissNotices, true) {
			p.script.notice(chat.Info, fmt.Sprintf("The provider's prompt cache did not match (%s): %s tokens were read again at the full price.", ev.Cache.Cause, tokens(ev.Cache.Tokens)))
		}
	case session.SaveFailed:
		p.failed = ev.Err
		p.script.notice(chat.Failure, "This session is not being saved: "+ev.Err.Error()+"\nWhat is not on disk stays in memory and is written as soon as that works.")
	case session.Saved:
		p.failed = nil
		p.script.notice(chat.Success, "The session is saved again.")
	case session.Settled:
		p.script.settle()
		if p.run == nil {
			p.stopWorking()
		}
	case session.EntryAppended:
		if e, ok := ev.Entry.(*store.CustomEntry); ok {
			p.script.entry(e)
		}
	case session.Navigated, session.SummaryRetryScheduled, session.SummaryRetryStart, session.SummaryRetryEnd:
	default:
		if p.status.retry != nil && ev.Type != "agent_end" && ev.Type != "turn_end" {
			p.status.retry = nil
		}
		p.script.apply(ev.Agent)
		switch ev.Type {
		case "message_end":
			p.footer.refresh()
		case "agent_start":
			p.startWorking()
		}
	}
	p.ui.RequestRender()
}

// header is what a new conversation begins with.
func (p *program) header() {
	w := &welcome{p: p, look: p.look, version: p.app.Version, demo: p.session.Model().API == "demo", keys: p.keys}
	quiet := raw(p.app.Settings.QuietStartup, "false")
	if p.app.Options.Verbose {
		quiet = "false"
	}
	w.hidden = quiet == "header"
	if quiet == "false" {
		w.loaded = p.app.Loaded()
	}
	p.list.Append(w)
	p.welcome = w
}

// onExit returns what stays on the user's screen: the end of the conversation
// and how to go on with it.
func (p *program) onExit(width int) []string {
	var out []string
	if !p.inline && p.app.Settings.FullscreenExitOutput != "resume-hint" {
		out = tail(p.list, width, exitLines)
	}
	st := p.session.Store()
	if st.Saved() {
		out = append(out, "", "To go on with this session: tau --session "+shortID(st.Header().ID))
	}
	return out
}

// exitLines is how much of the conversation is printed when the program ends.
const exitLines = 500

// tail renders nodes from the end until there are n lines.
func tail(l *tui.List, width, n int) []string {
	var parts [][]string
	total := 0
	for i := l.Len() - 1; i >= 0 && total < n; i-- {
		if lines := l.At(i).Component().Render(width); len(lines) > 0 {
			parts = append(parts, lines)
			total += len(lines) + 1
		}
	}
	var out []string
	for i := len(parts) - 1; i >= 0; i-- {
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, parts[i]...)
	}
	if cut := len(out) - n; cut > 0 {
		out = out[cut:]
	}
	return out
}

// shortID is the part of a session's id that is enough to find it. UUIDv7 ids
// of one minute share their beginning, so it is not a short part.
func shortID(id string) string {
	if len(id) == 36 {
		return id[:18]
	}
	return id
}

func (p *program) title() {
	name := p.session.Store().Name()
	parts := []string{"tau"}
	if name != "" {
		parts = append(parts, name)
	}
	dir := strings.TrimRight(p.session.CWD(), "/")
	parts = append(parts, dir[strings.LastIndexByte(dir, '/')+1:])
	p.ui.SetTitle(strings.Join(parts, " - "))
}

// send hands a message to the session.
func (p *program) send(content []ai.Block, d session.Delivery) {
	if _, err := p.session.Send(content, d); err != nil {
		p.script.notice(chat.Failure, err.Error())
	}
}
