package interactive

import (
	"context"
	"strconv"
	"strings"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/ai/openjson"
	"tau/components/chat"
	"tau/session/message"
)

// shellRun is a command that the user is running with ! or !!.
type shellRun struct {
	id     string
	card   *chat.Card
	output []byte // the end of what it has written
	dirty  bool   // not on the card yet
}

// shellTail is how much of the output of a running command is kept for its
// card.
const shellTail = 32 << 10

// shellCommand takes the command out of a message that begins with ! or !!,
// which keeps it from the model.
func shellCommand(text string) (command string, exclude, ok bool) {
	rest, ok := strings.CutPrefix(text, "!")
	if !ok {
		return "", false, false
	}
	rest, exclude = strings.CutPrefix(rest, "!")
	rest = strings.TrimSpace(rest)
	return rest, exclude, rest != ""
}

// shell runs a command of the user's own. One runs at a time.
func (p *program) shell(text string) bool {
	command, exclude, ok := shellCommand(text)
	if !ok {
		return false
	}
	if p.run != nil {
		p.hint("a command is running; " + p.keys.Hint("app.interrupt") + " stops it")
		p.editor.SetText(text)
		return true
	}
	p.follow()
	p.run = &shellRun{id: time.Now().Format(time.RFC3339Nano), card: p.script.shellCard(command, exclude)}
	p.startWorking()
	s, id := p.session, p.run.id
	go func() {
		if _, err := s.RunShell(context.Background(), id, command, exclude); err != nil {
			p.ui.Post(func() {
				p.endShell(id, nil)
				p.script.notice(chat.Failure, err.Error())
				p.ui.RequestRender()
			})
		}
	}()
	p.ui.RequestRender()
	return true
}

// shellOutput takes what the command has written. It goes to the card with the
// next movement of the spinner.
func (p *program) shellOutput(id, delta string) {
	r := p.run
	if r == nil || r.id != id {
		return
	}
	r.output = append(r.output, delta...)
	if len(r.output) > 2*shellTail {
		r.output = append(r.output[:0], r.output[len(r.output)-shellTail:]...)
	}
	r.dirty = true
}

// showShell puts the output on the card.
func (p *program) showShell() {
	if r := p.run; r != nil && r.dirty {
		r.dirty = false
		r.card.Update(&agent.Result{Content: ai.TextBlocks(strings.ToValidUTF8(string(r.output), "\ufffd"))})
	}
}

// endShell fills the card of a command that is over; m is nil if it did not
// run.
func (p *program) endShell(id string, m *message.Bash) {
	r := p.run
	if r == nil || r.id != id {
		return
	}
	p.run = nil
	took := p.script.now().Sub(r.card.Began())
	if m == nil {
		m = &message.Bash{Cancelled: true}
	}
	finishShell(r.card, m, took)
	p.script.shell = nil
	if !p.session.Busy() {
		p.stopWorking()
	}
	p.relabel()
}

// shellCard appends the card of a command that begins now.
func (t *transcript) shellCard(command string, exclude bool) *chat.Card {
	c := newShellCard(t.look, command, exclude)
	c.Start(t.now())
	t.adoptShell(c)
	return c
}

// adoptShell appends a card that is running.
func (t *transcript) adoptShell(c *chat.Card) {
	b := chat.NewBatch(t.look)
	b.Add(c)
	t.add(b)
	t.shell = b
}

func newShellCard(look *chat.Look, command string, exclude bool) *chat.Card {
	c := chat.NewCard(look, "bash", "")
	c.SetNote("yours")
	if exclude {
		c.SetNote("yours, not sent")
	}
	args, _ := openjson.Encode(map[string]string{"command": command})
	c.SetArgs(args)
	return c
}

// finishShell shows what a command has left. A negative time is not shown.
func finishShell(c *chat.Card, m *message.Bash, took time.Duration) {
	text := m.Output
	if m.Truncated && m.FullOutputPath != "" {
		text += "\n[the beginning is cut; all of it is in " + m.FullOutputPath + "]"
	}
	failed := m.Cancelled || m.ExitCode != nil && *m.ExitCode != 0
	switch {
	case m.Cancelled:
		text += "\n[cancelled]"
	case failed:
		text = strings.TrimRight(text, "\n") + "\n[exit status " + strconv.Itoa(*m.ExitCode) + "]"
	}
	c.Finish(&agent.Result{Content: ai.TextBlocks(strings.TrimLeft(text, "\n")), IsError: failed}, took)
}
