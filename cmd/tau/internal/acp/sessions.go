package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"tau/cmd/tau/internal/app"
	"tau/session"
	"tau/session/finder"
	"tau/session/store"
)

// conversation is one session of a connection.
type conversation struct {
	server  *server
	id      string
	app     *app.App
	session *session.Session
	unwatch []func()
	updates *translator

	mu      sync.Mutex
	asking  bool            // before commands and changes
	allowed map[string]bool // tools that need not ask any more
	busy    bool            // a prompt is under way
	stopped bool            // it was cancelled
	told    usageUpdate     // what the client was told last
	paid    float64         // and what it had cost by then
}

// begin makes an App for the folder. Its session is opened by open.
func (s *server) begin(p sessionParams, open func(a *app.App) (*session.Session, []string, error)) (*conversation, error) {
	if !filepath.IsAbs(p.CWD) {
		return nil, failure(codeParams, "cwd must be an absolute path, and is %q", p.CWD)
	}
	if st, err := os.Stat(p.CWD); err != nil || !st.IsDir() {
		return nil, failure(codeParams, "cwd %s is no folder", p.CWD)
	}
	a, err := app.NewIn(p.CWD, s.Options, s.Version)
	if err != nil {
		return nil, err
	}
	c := &conversation{server: s, app: a, asking: s.Ask, allowed: map[string]bool{}}
	a.BeforeToolCall = c.beforeToolCall
	if len(p.McpServers) > 0 {
		object, err := clientServers(p.McpServers)
		if err != nil {
			a.Close()
			return nil, failure(codeParams, "mcpServers: %v", err)
		}
		a.AddServers(object)
	}
	ses, notes, err := open(a)
	if err != nil {
		a.Close()
		return nil, err
	}
	for _, problem := range a.Problems {
		s.say(problem)
	}
	for _, n := range notes {
		s.say(errors.New(n))
	}
	c.session, c.id = ses, ses.Store().Header().ID
	c.updates = newTranslator(c.id, a.CWD, s.peer)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[c.id] != nil {
		_ = ses.Close()
		a.Close()
		return nil, failure(codeParams, "the session %s is open already", c.id)
	}
	s.sessions[c.id] = c
	c.unwatch = []func(){ses.Watch(c.updates.event), ses.Subscribe(c.note)}
	ses.Throttle(s.peer.out.Wait)
	return c, nil
}

// note is told of events without the session's lock.
func (c *conversation) note(ev session.Event) {
	switch ev.Type {
	case session.SaveFailed:
		c.server.say(ev.Err)
	case session.ModelChanged, session.ThinkingChanged:
		c.updates.send(optionsUpdate{"config_option_update", c.options()})
	case "turn_end":
		c.sendUsage()
	}
}

func (s *server) newSession(params json.RawMessage) (any, error) {
	var p sessionParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	c, err := s.begin(p, (*app.App).Start)
	if err != nil {
		return nil, err
	}
	r := c.result()
	r.SessionID = c.id
	return r, nil
}

// load opens a session and tells all that was said in it.
func (s *server) load(params json.RawMessage) (any, error) {
	c, err := s.reopen(params)
	if err != nil {
		return nil, err
	}
	if err := c.updates.history(s.ctx, c.session.Store()); err != nil {
		return nil, err
	}
	return c.result(), nil
}

// resume opens a session for a client that knows what was said.
func (s *server) resume(params json.RawMessage) (any, error) {
	c, err := s.reopen(params)
	if err != nil {
		return nil, err
	}
	return c.result(), nil
}

func (s *server) reopen(params json.RawMessage) (*conversation, error) {
	var p sessionParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	if c, err := s.find(p.SessionID); err == nil {
		return c, nil
	}
	return s.begin(p, func(a *app.App) (*session.Session, []string, error) {
		ref, err := a.Library.Find(a.CWD, p.SessionID)
		if err != nil || ref.ID != p.SessionID {
			return nil, nil, failure(codeNotFound, "there is no session %q", p.SessionID)
		}
		ses, notes, err := a.Open(ref.Path)
		if errors.Is(err, store.ErrLocked) {
			return nil, nil, failure(codeInternal, "the session %s is open in another process", p.SessionID)
		}
		return ses, notes, err
	})
}

// offer tells the client what it can do with a session that was just opened.
func (s *server) offer(r sessionResult, params json.RawMessage) {
	id := r.SessionID
	if id == "" {
		var p sessionParams
		if json.Unmarshal(params, &p) != nil {
			return
		}
		id = p.SessionID
	}
	if c, err := s.find(id); err == nil {
		c.updates.send(commandsUpdate{"available_commands_update", c.commands()})
	}
}

// pageSize is how many sessions are listed at once.
const pageSize = 100

// list names the sessions of a folder, or of all, the newest first. The cursor
// is how many were listed already.
func (s *server) list(params json.RawMessage) (any, error) {
	var p struct {
		CWD    string `json:"cwd"`
		Cursor string `json:"cursor"`
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	from := 0
	if p.Cursor != "" {
		n, err := strconv.Atoi(p.Cursor)
		if err != nil || n < 0 {
			return nil, failure(codeParams, "the cursor %q is none of ours", p.Cursor)
		}
		from = n
	}
	a, err := app.NewIn(cmp.Or(p.CWD, os.TempDir()), s.Options, s.Version)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	rows := map[string]finder.Session{}
	err = finder.List(s.ctx, a.Library, p.CWD, func(row finder.Session) { rows[row.Path] = row })
	if err != nil {
		return nil, err
	}
	var all []finder.Session
	for _, row := range rows {
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b finder.Session) int {
		return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(a.Path, b.Path))
	})
	out := sessionList{Sessions: []sessionInfo{}}
	for i := from; i < len(all) && len(out.Sessions) < pageSize; i++ {
		row := all[i]
		info := sessionInfo{SessionID: row.ID, CWD: row.CWD, Title: cmp.Or(row.Name, row.First)}
		if !row.Modified.IsZero() {
			info.UpdatedAt = row.Modified.UTC().Format(time.RFC3339)
		}
		out.Sessions = append(out.Sessions, info)
	}
	if next := from + len(out.Sessions); next < len(all) {
		out.NextCursor = strconv.Itoa(next)
	}
	return out, nil
}

func (s *server) closeSession(params json.RawMessage) (any, error) {
	var p sessionParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	c, err := s.find(p.SessionID)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	delete(s.sessions, c.id)
	s.mu.Unlock()
	return nil, c.close()
}

func (s *server) closeAll() {
	s.mu.Lock()
	all := s.sessions
	s.sessions = map[string]*conversation{}
	s.mu.Unlock()
	var ending sync.WaitGroup
	for _, c := range all {
		ending.Go(func() {
			if err := c.close(); err != nil {
				s.say(err)
			}
		})
	}
	ending.Wait()
}

func (c *conversation) cancel() {
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	c.session.Abort()
}

// close aborts what is under way and ends what it has left running.
func (c *conversation) close() error {
	c.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), endWait)
	defer cancel()
	_ = c.session.Wait(ctx) // Close waits once more
	for _, f := range c.unwatch {
		f()
	}
	err := c.session.Close()
	c.app.Close()
	return err
}
