package interactive

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"tau/ai"
	"tau/cmd/tau/internal/headless"
	"tau/components"
	"tau/components/chat"
	"tau/session/finder"
	"tau/session/library"
	"tau/session/store"
)

func tokens(n int64) string { return headless.Tokens(n) }

// resume is the command /resume: the sessions of this folder, or with "all" of
// all folders, and whatever else is typed is searched for in their texts.
func (p *program) resume(arg string) {
	if p.session.Busy() {
		p.hint("the agent is working; stop it first")
		return
	}
	cwd := p.session.CWD()
	if rest, ok := strings.CutPrefix(arg+" ", "all "); ok {
		cwd, arg = "", strings.TrimSpace(rest)
	}
	p.hint("looking for sessions…")
	lib := p.app.Library
	go func() {
		rows, err := sessionRows(lib, cwd, arg)
		p.ui.Post(func() {
			p.hint("")
			switch {
			case err != nil:
				p.script.notice(chat.Warning, err.Error())
			case len(rows) == 0:
				p.script.notice(chat.Info, "There is no other session"+map[bool]string{true: " in this folder. /resume all looks everywhere."}[cwd != ""])
			default:
				p.pickSession(rows)
			}
			p.ui.RequestRender()
		})
	}()
}

// sessionRows lists sessions by activity; with a query only those that hold it.
func sessionRows(lib library.Library, cwd, query string) ([]finder.Session, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	q, err := finder.Parse(query)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	var mu sync.Mutex
	byPath := map[string]finder.Session{}
	err = finder.List(ctx, lib, cwd, func(s finder.Session) {
		mu.Lock()
		defer mu.Unlock()
		byPath[s.Path] = s
	})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	keep := byPath
	if !q.Empty() {
		paths, err := finder.Paths(lib, cwd)
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		keep = map[string]finder.Session{}
		err = finder.Search(ctx, paths, q, func(r finder.Result) {
			if s, ok := byPath[r.Path]; ok {
				keep[r.Path] = s
			}
		})
		if err != nil {
			return nil, fmt.Errorf("search sessions: %w", err)
		}
	}
	rows := make([]finder.Session, 0, len(keep))
	for _, s := range keep {
		rows = append(rows, s)
	}
	finder.Recent(rows)
	return finder.Threads(rows), nil
}

func (p *program) pickSession(rows []finder.Session) {
	var items []components.Item
	current := p.session.Store().Path()
	for _, r := range rows {
		if r.Path == current {
			continue
		}
		label := r.Name
		if label == "" {
			label = r.First
		}
		if label == "" {
			label = r.ID
		}
		facts := ago(r.Modified)
		if r.Messages > 0 {
			facts += fmt.Sprintf(" · %d messages", r.Messages)
		}
		if r.CWD != p.session.CWD() {
			facts += " · " + homeShort(r.CWD)
		}
		items = append(items, components.Item{Value: r.Path, Label: strings.Repeat("  ", r.Depth) + oneLine(label), Description: facts})
	}
	if len(items) == 0 {
		p.script.notice(chat.Info, "There is no other session in this folder. /resume all looks everywhere.")
		return
	}
	p.pick("Sessions", items, "", "", p.open)
}

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
