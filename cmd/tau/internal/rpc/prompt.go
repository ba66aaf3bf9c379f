package rpc

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"tau/agent"
	"tau/ai"
	"tau/session"
	"tau/session/settings"
)

// message is what is said to the agent.
type message struct {
	Message *string `json:"message"`
	Images  []struct {
		Type     string `json:"type"`
		Data     string `json:"data"`
		MimeType string `json:"mimeType"`
	} `json:"images"`
	StreamingBehavior string `json:"streamingBehavior"`
}

func (cmd command) message() (m message, content []ai.Block, err error) {
	if err := cmd.args(&m); err != nil {
		return m, nil, err
	}
	if m.Message == nil {
		return m, nil, cmd.missing("message")
	}
	content = ai.TextBlocks(*m.Message)
	for i, img := range m.Images {
		if img.Type != "" && img.Type != "image" || !strings.HasPrefix(img.MimeType, "image/") {
			return m, nil, fmt.Errorf("%s: images[%d] must be {type: \"image\", data, mimeType}", cmd.typ, i)
		}
		if _, err := base64.StdEncoding.DecodeString(img.Data); err != nil || img.Data == "" {
			return m, nil, fmt.Errorf("%s: the data of images[%d] is not base64", cmd.typ, i)
		}
		content = append(content, &ai.Image{Data: img.Data, MimeType: img.MimeType})
	}
	return m, content, nil
}

type disposition struct {
	Disposition session.Disposition `json:"disposition"`
}

var errProcessing = errors.New("the agent is already at work: give streamingBehavior (\"steer\" or \"followUp\") to queue the message")

// prompt starts a run, or queues the message if the client says how. The answer
// comes before the events of the run.
func (c *conn) prompt(cmd command) {
	m, content, err := cmd.message()
	if err != nil {
		c.fail(cmd, err)
		return
	}
	o := session.SendOptions{Refuse: true}
	switch m.StreamingBehavior {
	case "":
	case "steer":
		o.Refuse = false
	case "followUp":
		o.Refuse, o.Delivery = false, session.FollowUp
	default:
		c.fail(cmd, fmt.Errorf("prompt: streamingBehavior is %q; there are steer and followUp", m.StreamingBehavior))
		return
	}
	if c.own(cmd, content) {
		return
	}
	c.send(cmd, content, o)
}

func (c *conn) steer(cmd command) { c.hold(cmd, session.Steer) }

func (c *conn) followUp(cmd command) { c.hold(cmd, session.FollowUp) }

// hold queues a message; if the agent is idle it goes along with the next
// prompt.
func (c *conn) hold(cmd command, d session.Delivery) {
	_, content, err := cmd.message()
	if err != nil {
		c.fail(cmd, err)
		return
	}
	c.send(cmd, content, session.SendOptions{Delivery: d, Hold: true})
}

func (c *conn) send(cmd command, content []ai.Block, o session.SendOptions) {
	s := c.session
	if c.app.Runner(s).Empty() {
		c.sendTo(s, cmd, content, o)
		return
	}
	delivery := ""
	switch {
	case !s.Busy():
	case o.Delivery == session.FollowUp:
		delivery = "followUp"
	case !o.Refuse:
		delivery = "steer"
	}
	c.lasting.Go(func() {
		content, handled := c.app.Intercept(c.ctx, s, content, "rpc", delivery)
		if handled {
			c.ok(cmd, disposition{"handled"})
			return
		}
		c.sendTo(s, cmd, content, o)
	})
}

func (c *conn) sendTo(s *session.Session, cmd command, content []ai.Block, o session.SendOptions) {
	o.Accepted = func(d session.Disposition) { c.ok(cmd, disposition{d}) }
	if _, err := s.SendWith(content, o); err != nil {
		if errors.Is(err, session.ErrBusy) {
			err = errProcessing
		}
		c.fail(cmd, err)
	}
}

// abort answers when nothing is under way any more. Queued messages stay
// queued.
func abort(c *conn, s *session.Session, _ command) (any, error) {
	s.Abort()
	return nil, s.Wait(context.Background())
}

type queues struct {
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}

func clearQueue(c *conn, _ command) (any, error) {
	steering, followUp := c.session.TakeQueue()
	return queues{some(steering), some(followUp)}, nil
}

// some makes a list that is nil an empty one, which JSON tells from null.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (c *conn) abortRetry(cmd command) { c.session.AbortRetry(func() { c.ok(cmd, nil) }) }

// enabled reads the member of the commands that switch something.
func (cmd command) enabled() (bool, error) {
	var a struct {
		Enabled *bool `json:"enabled"`
	}
	if err := cmd.args(&a); err != nil {
		return false, err
	}
	if a.Enabled == nil {
		return false, cmd.missing("enabled")
	}
	return *a.Enabled, nil
}

// remember writes a choice to the user's settings, as pi does. The choice holds
// even if that fails.
func (c *conn) remember(field string, value any) {
	if err := settings.Set(c.app.SettingsPath(), field, value); err != nil {
		fmt.Fprintln(c.errs, "tau:", err)
	}
}

func setAutoRetry(c *conn, cmd command) (any, error) {
	on, err := cmd.enabled()
	if err == nil {
		c.session.SetAutoRetry(on)
		c.remember("/retry/enabled", on)
	}
	return nil, err
}

func setAutoCompaction(c *conn, cmd command) (any, error) {
	on, err := cmd.enabled()
	if err == nil {
		c.session.SetAutoCompaction(on)
		c.remember("/compaction/enabled", on)
	}
	return nil, err
}

func (cmd command) mode() (agent.QueueMode, error) {
	var a struct {
		Mode agent.QueueMode `json:"mode"`
	}
	if err := cmd.args(&a); err != nil {
		return "", err
	}
	if a.Mode != agent.All && a.Mode != agent.OneAtATime {
		return "", fmt.Errorf("%s: mode is %q; there are %s and %s", cmd.typ, a.Mode, agent.All, agent.OneAtATime)
	}
	return a.Mode, nil
}

func setSteeringMode(c *conn, cmd command) (any, error) {
	m, err := cmd.mode()
	if err == nil {
		c.session.SetSteeringMode(m)
		c.remember("/steeringMode", m)
	}
	return nil, err
}

func setFollowUpMode(c *conn, cmd command) (any, error) {
	m, err := cmd.mode()
	if err == nil {
		c.session.SetFollowUpMode(m)
		c.remember("/followUpMode", m)
	}
	return nil, err
}

func compact(c *conn, s *session.Session, cmd command) (any, error) {
	var a struct {
		Instructions string `json:"customInstructions"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	return s.Compact(c.ctx, a.Instructions)
}
