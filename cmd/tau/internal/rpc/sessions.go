package rpc

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tau/ai"
	"tau/session/store"
)

// cancelled is true in an answer if an extension said no.
type cancelled struct {
	Cancelled bool `json:"cancelled"`
}

func newSession(c *conn, cmd command) (any, error) {
	var a struct {
		Parent string `json:"parentSession"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	return c.newSession(c.ctx, a.Parent, nil)
}

func switchSession(c *conn, cmd command) (any, error) {
	var a struct {
		Path string `json:"sessionPath"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	if a.Path == "" {
		return nil, cmd.missing("sessionPath")
	}
	if path, err := filepath.Abs(a.Path); err == nil && path == c.session.Store().Path() {
		return cancelled{}, nil // it is open already
	}
	return c.switchTo(c.ctx, a.Path)
}

type forked struct {
	Text      *string `json:"text,omitempty"`
	Cancelled bool    `json:"cancelled"`
}

// errUnsaved words the store's error for a client.
var errUnsaved = errors.New("this session is not saved yet: send a message before you fork or clone it")

func fork(c *conn, cmd command) (any, error) {
	var a struct {
		EntryID string `json:"entryId"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	if a.EntryID == "" {
		return nil, cmd.missing("entryId")
	}
	return c.fork(c.ctx, a.EntryID)
}

func clone(c *conn, _ command) (any, error) {
	if c.session.MessageCount() == 0 {
		return nil, errUnsaved
	}
	if c.app.Runner(c.session).BeforeFork(c.ctx, c.session.Store().Leaf(), "at") {
		return cancelled{true}, nil
	}
	st, err := c.session.Clone(c.app.Library)
	if errors.Is(err, store.ErrUnsaved) {
		return nil, errUnsaved
	}
	if err != nil {
		return nil, err
	}
	c.replace(c.app.Adopt(st, c.session), "fork")
	return cancelled{}, nil
}

type forkMessage struct {
	EntryID string `json:"entryId"`
	Text    string `json:"text"`
}

type forkMessages struct {
	Messages []forkMessage `json:"messages"`
}

// getForkMessages lists what the user has said, in all branches.
func getForkMessages(c *conn, _ command) (any, error) {
	st := c.session.Store()
	out := forkMessages{[]forkMessage{}}
	for _, n := range st.Nodes() {
		if n.Type != "message" || n.Role != ai.RoleUser {
			continue
		}
		e, err := st.Entry(n.ID)
		if err != nil {
			return nil, err
		}
		if m, ok := e.(*store.MessageEntry); ok {
			if u, ok := m.Message.(*ai.UserMessage); ok {
				if text := ai.ContentText(u.Content); text != "" {
					out.Messages = append(out.Messages, forkMessage{n.ID, text})
				}
			}
		}
	}
	return out, nil
}

func setName(c *conn, cmd command) (any, error) {
	var a struct {
		Name string `json:"name"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	name := strings.TrimSpace(a.Name)
	if name == "" {
		return nil, errors.New("set_session_name: the name is empty")
	}
	c.session.SetName(name)
	return nil, nil
}

type exported struct {
	Path string `json:"path"`
}

func exportHTML(c *conn, cmd command) (any, error) {
	var a struct {
		Path string `json:"outputPath"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	if strings.HasSuffix(a.Path, ".jsonl") {
		return nil, fmt.Errorf("export_html: %s is the name of a session, not of a page", a.Path)
	}
	path, err := c.app.Export(c.session.Store(), a.Path, nil)
	if err != nil {
		return nil, err
	}
	return exported{path}, nil
}
