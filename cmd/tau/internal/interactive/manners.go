package interactive

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"tau/cmd/tau/internal/app"
	"tau/components/chat"
	"tau/tui/term"
)

// longTurn is how long a turn has to take for its end to be told to somebody
// who looks elsewhere.
const longTurn = 10 * time.Second

// onFocus is told when the window gains or loses the focus.
func (p *program) onFocus(in bool) { p.away = !in }

// notify tells the user in another window that a turn is over.
func (p *program) notify(took time.Duration) {
	switch cmp.Or(p.app.Settings.Notifications, "unfocused") {
	case "off":
		return
	case "unfocused":
		if !p.away || took < longTurn {
			return
		}
	}
	p.ui.Notify(term.NotificationFor(os.Getenv), "tau", fmt.Sprintf("done after %s: %s", elapsed(took), p.place()))
}

func (p *program) place() string {
	if n := p.session.Store().Name(); n != "" {
		return oneLine(n)
	}
	return homeShort(p.session.CWD())
}

// progress tells the terminal whether the agent works.
func (p *program) progress(working bool) {
	on := working && p.app.Settings.Terminal.ShowProgress
	if on == p.progressing {
		return
	}
	p.progressing = on
	if on {
		p.ui.SetProgress(term.Indeterminate, 0)
	} else {
		p.ui.SetProgress(term.NoProgress, 0)
	}
}

// caught is deferred around the program: a crash is written down, and told in
// one line. The terminal is already as it was.
func caught(a *app.App, status *int) {
	v := recover()
	if v == nil {
		return
	}
	*status = 2
	where := a.CrashPath()
	if err := a.RecordCrash(v, debug.Stack()); err != nil {
		where = err.Error()
	}
	fmt.Fprintf(os.Stderr, "tau: this is a bug, the program had to stop: %v\nThe session is saved: tau --continue. What happened is in %s.\n", v, where)
}

// tellCrash shows the crash that ended an earlier run.
func (p *program) tellCrash() {
	if c, ok := p.app.LastCrash(); ok {
		first, _, _ := strings.Cut(c.Message, "\n")
		p.script.notice(chat.Warning, fmt.Sprintf("tau crashed on %s: %s\nThe report is in %s.", c.Time.Local().Format("2 January 15:04"), first, homeShort(p.app.CrashPath())))
	}
}
