package interactive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tau/ai"
	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/headless"
	"tau/components"
	"tau/components/chat"
	"tau/session"
	"tau/session/extension"
	"tau/session/store"
)

func tokens(n int64) string { return headless.Tokens(n) }

// open leaves the conversation for another one. What cannot be gone on with
// here can be forked.
func (p *program) open(path string) {
	p.unless(func(ctx context.Context, r *extension.Runner) bool { return r.BeforeSwitch(ctx, "resume", path) }, "session_before_switch", func() { p.openNow(path) })
}

func (p *program) openNow(path string) {
	s, notes, err := p.app.Open(path)
	if errors.Is(err, store.ErrLocked) || errors.Is(err, app.ErrFolderGone) {
		why := "It is open in another process"
		if errors.Is(err, app.ErrFolderGone) {
			why = "Its folder is gone"
		}
		p.pick(why, []components.Item{{Value: "fork", Label: "Go on in a copy"}, {Value: "cancel", Label: "Leave it"}}, "fork", "", func(v string) {
			if v == "fork" {
				p.opened(p.app.OpenFork(path))
			}
		})
		return
	}
	p.opened(s, notes, err)
}

func (p *program) opened(s *session.Session, notes []string, err error) {
	if err != nil {
		p.script.notice(chat.Failure, err.Error())
		return
	}
	p.replace(s, "resume")
	for _, n := range notes {
		p.script.notice(chat.Info, n)
	}
}

func ago(t time.Time) string {
	d := max(0, time.Since(t))
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}

// fork is the command /fork: a new session that begins before one of the
// user's messages.
func (p *program) fork(string) {
	if p.session.Busy() {
		p.hint("the agent is working; stop it first")
		return
	}
	st := p.session.Store()
	var items []components.Item
	for _, n := range st.PathTo("") {
		if n.Type != "message" {
			continue
		}
		e, err := st.Entry(n.ID)
		if err != nil {
			continue
		}
		if u, ok := store.AsMessage(e).(*ai.UserMessage); ok {
			items = append(items, components.Item{Value: n.ID, Label: oneLine(ai.ContentText(u.Content))})
		}
	}
	if len(items) == 0 {
		p.hint("there is no message to fork from")
		return
	}
	p.pick("Fork before", items, items[len(items)-1].Value, "", func(id string) {
		p.unless(func(ctx context.Context, r *extension.Runner) bool { return r.BeforeFork(ctx, id, "before") }, "session_before_fork", func() {
			next, content, err := p.session.Fork(p.app.Library, id)
			if err != nil {
				p.script.notice(chat.Failure, err.Error())
				return
			}
			p.adopt(next)
			p.editor.SetText(ai.ContentText(content))
		})
	})
}

// clone is the command /clone: the active path in a session of its own.
func (p *program) clone(string) {
	if p.session.Busy() {
		p.hint("the agent is working; stop it first")
		return
	}
	next, err := p.session.Clone(p.app.Library)
	if err != nil {
		p.script.notice(chat.Failure, err.Error())
		return
	}
	p.adopt(next)
}

func (p *program) adopt(st *store.Store) { p.replace(p.app.Adopt(st, p.session), "fork") }

// export is the command /export.
func (p *program) export(name string) {
	st, look := p.session.Store(), p.look.Theme
	p.writing.Go(func() { // a long session takes a while
		path, err := p.app.Export(st, name, look)
		p.ui.Post(func() {
			if err != nil {
				p.script.notice(chat.Failure, err.Error())
			} else {
				p.script.notice(chat.Info, "Written to "+homeShort(path))
			}
			p.ui.RequestRender()
		})
	})
}

// importSession is the command /import: a copy of the file becomes one of the
// sessions, and is opened.
func (p *program) importSession(name string) {
	if p.session.Busy() {
		p.hint("the agent is working; stop it first")
		return
	}
	if name == "" {
		p.hint("/import needs the name of a session file")
		return
	}
	ref, err := p.app.Import(name)
	if err != nil {
		p.script.notice(chat.Failure, err.Error())
		return
	}
	p.open(ref.Path)
}
