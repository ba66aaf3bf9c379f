package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"tau/ai"
	"tau/cmd/tau/internal/app"
	"tau/session"
	"tau/session/extension"
	"tau/session/store"
)

// extensionError is the record of something that went wrong in an extension.
type extensionError struct {
	Type string `json:"type"` // extension_error
	extension.Failure
}

// front tells the program how extensions reach the client.
func (c *conn) front() {
	c.app.Front = app.Front{
		Mode: "rpc", UI: c.ui,
		OnError: func(f extension.Failure) { c.out.Record(extensionError{"extension_error", f}) },
		Output:  func(_, text string) { fmt.Fprint(c.errs, text) },
		NewSession: func(ctx context.Context, parent string, setup []json.RawMessage) (bool, error) {
			defer c.alone()()
			r, err := c.newSession(ctx, parent, setup)
			return r.Cancelled, err
		},
		Fork: func(ctx context.Context, id, position string) (bool, error) {
			defer c.alone()()
			if position == "at" {
				return c.cloneAt(ctx, id)
			}
			r, err := c.fork(ctx, id)
			return r.Cancelled, err
		},
		Switch: func(ctx context.Context, path string) (bool, error) {
			defer c.alone()()
			r, err := c.switchTo(ctx, path)
			return r.Cancelled, err
		},
		Reload: func(ctx context.Context) error {
			defer c.alone()()
			return c.reload()
		},
		Shutdown: func() {
			s := c.current()
			go func() {
				// A tool that asks for the end is answered before it comes.
				_ = s.Wait(c.ctx)
				c.quitting.Do(func() { close(c.quit) })
			}()
		},
		Submit: func(text string, d session.Delivery) {
			s := c.current()
			c.lasting.Go(func() {
				content, handled := c.app.Intercept(c.ctx, s, ai.TextBlocks(text), "extension", "")
				if handled {
					return
				}
				if _, err := s.SendWith(content, session.SendOptions{Delivery: d}); err != nil {
					c.out.Record(extensionError{"extension_error", extension.Failure{Event: "sendUserMessage", Err: err.Error()}})
				}
			})
		},
	}
}

// newSession begins another session, unless an extension says no.
func (c *conn) newSession(ctx context.Context, parent string, setup []json.RawMessage) (cancelled, error) {
	old := c.session
	if c.app.Runner(old).BeforeSwitch(ctx, "new", "") {
		return cancelled{true}, nil
	}
	s, err := c.app.Child(old, parent)
	if err != nil {
		return cancelled{}, err
	}
	for _, line := range setup {
		e, err := store.DecodeEntry(line)
		if err != nil {
			return cancelled{}, fmt.Errorf("read what the new session begins with: %w", err)
		}
		if _, err := s.Store().Append(e); err != nil {
			return cancelled{}, err
		}
	}
	c.replace(s, "new")
	return cancelled{}, nil
}

func (c *conn) switchTo(ctx context.Context, path string) (cancelled, error) {
	if c.app.Runner(c.session).BeforeSwitch(ctx, "resume", path) {
		return cancelled{true}, nil
	}
	s, notes, err := c.app.Open(path)
	if err != nil {
		return cancelled{}, err
	}
	c.notes(notes)
	c.replace(s, "resume")
	return cancelled{}, nil
}

func (c *conn) fork(ctx context.Context, id string) (forked, error) {
	if c.app.Runner(c.session).BeforeFork(ctx, id, "before") {
		return forked{Cancelled: true}, nil
	}
	st, content, err := c.session.Fork(c.app.Library, id)
	if errors.Is(err, store.ErrUnsaved) {
		return forked{}, errUnsaved
	}
	if err != nil {
		return forked{}, err
	}
	c.replace(c.app.Adopt(st, c.session), "fork")
	text := ai.ContentText(content)
	return forked{Text: &text}, nil
}

// cloneAt makes a session of the path to an entry, that included.
func (c *conn) cloneAt(ctx context.Context, id string) (bool, error) {
	if c.app.Runner(c.session).BeforeFork(ctx, id, "at") {
		return true, nil
	}
	st, err := c.session.CloneAt(c.app.Library, id)
	if err != nil {
		return false, err
	}
	c.replace(c.app.Adopt(st, c.session), "fork")
	return false, nil
}

// reload reads files and extensions again; the session goes on.
func (c *conn) reload() error {
	err := c.app.ReloadExtensions(c.session)
	c.notes(nil)
	return err
}

// alone keeps commands from being carried out meanwhile.
func (c *conn) alone() (over func()) {
	c.busy.Lock()
	return c.busy.Unlock
}

func (c *conn) current() *session.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}
