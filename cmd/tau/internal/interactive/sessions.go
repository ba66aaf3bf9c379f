package interactive

import (
	"fmt"
	"time"

	"tau/ai"
	"tau/cmd/tau/internal/headless"
	"tau/components"
	"tau/components/chat"
	"tau/session/store"
)

func tokens(n int64) string { return headless.Tokens(n) }

// open leaves the conversation for another one.
func (p *program) open(path string) {
	s, notes, err := p.app.Open(path)
	if err != nil {
		p.script.notice(chat.Failure, err.Error())
		return
	}
	p.replace(s)
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
		next, content, err := p.session.Fork(p.app.Library, id)
		if err != nil {
			p.script.notice(chat.Failure, err.Error())
			return
		}
		p.adopt(next)
		p.editor.SetText(ai.ContentText(content))
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

func (p *program) adopt(st *store.Store) { p.replace(p.app.Adopt(st, p.session)) }
