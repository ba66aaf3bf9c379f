package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"tau/ai"
	"tau/session"
)

// prompt runs a turn and answers when it is over.
func (s *server) prompt(m incoming) {
	var p struct {
		SessionID string    `json:"sessionId"`
		Prompt    []content `json:"prompt"`
	}
	c, blocks, err := func() (*conversation, []ai.Block, error) {
		if err := decode(m.Params, &p); err != nil {
			return nil, nil, err
		}
		c, err := s.find(p.SessionID)
		if err != nil {
			return nil, nil, err
		}
		blocks, err := said(p.Prompt)
		return c, blocks, err
	}()
	if err == nil && !c.claim() {
		err = failure(codeInvalid, "a prompt is under way in this session; cancel it or wait")
	}
	if err != nil {
		s.peer.reply(m.ID, nil, err)
		return
	}
	s.mu.Lock()
	s.asked[string(m.ID)] = c
	s.mu.Unlock()
	s.prompts.Go(func() {
		result, err := c.run(blocks)
		s.mu.Lock()
		delete(s.asked, string(m.ID))
		s.mu.Unlock()
		c.release()
		s.peer.reply(m.ID, result, err)
	})
}

func (c *conversation) claim() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		return false
	}
	c.busy, c.stopped = true, false
	return true
}

func (c *conversation) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
}

func (c *conversation) wasStopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped
}

// run is one turn.
func (c *conversation) run(blocks []ai.Block) (any, error) {
	if done, result, err := c.command(blocks); done {
		return result, err
	}
	before := c.session.Usage()
	if _, err := c.session.SendWith(blocks, session.SendOptions{Refuse: true}); err != nil {
		return nil, failure(codeInternal, "%s", err.Error())
	}
	if c.wasStopped() {
		c.session.Abort() // it was cancelled before it had begun
	}
	if err := c.session.Wait(context.Background()); err != nil {
		return nil, err
	}
	c.sendUsage()
	after := c.session.Usage()
	result := promptResult{Usage: &turnUsage{
		InputTokens: after.Input - before.Input, OutputTokens: after.Output - before.Output,
		CachedReadTokens: after.CacheRead - before.CacheRead, CachedWriteTokens: after.CacheWrite - before.CacheWrite,
	}}
	u := result.Usage
	u.TotalTokens = u.InputTokens + u.OutputTokens + u.CachedReadTokens + u.CachedWriteTokens
	var err error
	result.StopReason, err = c.stopReason()
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (c *conversation) stopReason() (string, error) {
	m := c.session.Last()
	switch {
	case c.wasStopped():
		return "cancelled", nil
	case m == nil:
		return "", failure(codeInternal, "there was no answer")
	case m.StopReason == ai.StopAborted:
		return "cancelled", nil
	case m.RawStopReason == "refusal":
		return "refusal", nil
	case m.StopReason == ai.StopLength:
		return "max_tokens", nil
	case m.StopReason == ai.StopError && m.Failure != nil && m.Failure.Class == ai.FailAuth:
		return "", failure(codeAuthRequired, "%s", m.ErrorMessage)
	case m.StopReason == ai.StopError:
		return "", failure(codeInternal, "%s", m.ErrorMessage)
	}
	return "end_turn", nil
}

// said turns a prompt into the content of a message.
func said(prompt []content) ([]ai.Block, error) {
	var text strings.Builder
	var images []ai.Block
	for i, b := range prompt {
		switch b.Type {
		case "text":
			text.WriteString(b.Text)
		case "image":
			if b.Data == "" {
				return nil, failure(codeParams, "prompt[%d] is an image without data", i)
			}
			images = append(images, &ai.Image{Data: b.Data, MimeType: b.MimeType})
		case "resource_link":
			text.WriteString(linked(b.URI))
		case "resource":
			if b.Resource == nil {
				return nil, failure(codeParams, "prompt[%d] is a resource without one", i)
			}
			if b.Resource.Text == "" && b.Resource.Blob != "" {
				if !strings.HasPrefix(b.Resource.MimeType, "image/") {
					return nil, failure(codeParams, "prompt[%d] is neither text nor an image", i)
				}
				images = append(images, &ai.Image{Data: b.Resource.Blob, MimeType: b.Resource.MimeType})
				continue
			}
			fmt.Fprintf(&text, "\n<file name=\"%s\">\n%s\n</file>\n", linked(b.Resource.URI), b.Resource.Text)
		default:
			return nil, failure(codeParams, "prompt[%d]: content of type %q is not taken", i, b.Type)
		}
	}
	if strings.TrimSpace(text.String()) == "" && len(images) == 0 {
		return nil, failure(codeParams, "the prompt is empty")
	}
	return append(ai.TextBlocks(text.String()), images...), nil
}

// linked is how a resource is called in a text: a file by its path, anything
// else by its address.
func linked(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = filepath.FromSlash(strings.TrimPrefix(path, "/"))
	}
	return path
}

// commands are what a prompt may begin with, after a slash: two of our own, and
// the user's templates and skills.
func (c *conversation) commands() []commandOffered {
	out := []commandOffered{
		{"compact", "Summarise the conversation to make room", &commandInput{"what to keep in mind"}},
		{"name", "Name this session", &commandInput{"the name"}},
	}
	for _, r := range c.app.Resources().Commands() {
		out = append(out, commandOffered{r.Name, cmp.Or(r.Description, r.Name), &commandInput{cmp.Or(r.Hint, "arguments")}})
	}
	return out
}

// command carries out a prompt that is one of the commands.
func (c *conversation) command(blocks []ai.Block) (done bool, result any, err error) {
	text, ok := blocks[0].(*ai.Text)
	if !ok || len(blocks) > 1 {
		return false, nil, nil
	}
	name, arg, _ := strings.Cut(strings.TrimSpace(text.Text), " ")
	arg = strings.TrimSpace(arg)
	end := promptResult{StopReason: "end_turn"}
	switch name {
	case "/compact":
		_, err := c.session.Compact(c.server.ctx, arg)
		if errors.Is(err, session.ErrCompactionCancelled) {
			return true, promptResult{StopReason: "cancelled"}, nil
		}
		if err != nil {
			c.updates.says(err.Error())
		} else {
			c.updates.says("The conversation was summarised.")
		}
		c.sendUsage()
		return true, end, nil
	case "/name":
		if arg == "" {
			c.updates.says("Give the name after /name.")
		} else {
			c.session.SetName(arg)
		}
		return true, end, nil
	}
	return false, nil, nil
}

// sendUsage tells how full the window is and what the session has cost, if the
// client does not know that yet.
func (c *conversation) sendUsage() {
	used, _ := c.session.ContextUsage()
	u := usageUpdate{Update: "usage_update", Used: used, Size: c.session.Model().ContextWindow}
	total := c.session.Usage().Cost.Total
	c.mu.Lock()
	known := c.told == u && c.paid == total
	c.told, c.paid = u, total
	c.mu.Unlock()
	if known {
		return
	}
	if total > 0 {
		u.Cost = &cost{total, "USD"}
	}
	c.updates.send(u)
}

var _ json.Marshaler = content{}
