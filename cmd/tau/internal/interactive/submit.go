package interactive

import (
	"strings"
	"time"

	"tau/ai"
	"tau/components/chat"
	"tau/session"
)

// submit is what Enter does: a command runs, a message starts the agent or
// steers it.
func (p *program) submit(text string) { p.deliver(text, session.Steer) }

// followUp is what Alt+Enter does.
func (p *program) followUp() {
	text := strings.TrimSpace(p.editor.ExpandedText())
	if text == "" {
		return
	}
	p.editor.AddToHistory(text)
	p.editor.Clear()
	p.deliver(text, session.FollowUp)
}

func (p *program) deliver(text string, d session.Delivery) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.editor.AddToHistory(text)
	if p.shell(text) || p.extCommand(text) || p.command(text) {
		return
	}
	// What was just asked belongs in sight.
	p.follow()
	p.intercept(text, d, func(content []ai.Block) {
		if _, err := p.session.Send(content, d); err != nil {
			p.script.notice(chat.Failure, err.Error())
			p.editor.SetText(text)
			return
		}
		p.startWorking()
		p.ui.RequestRender()
	})
}

// interrupt is what Esc does while the agent works: what was queued goes back
// into the editor, then the run is stopped. Nothing is sent, nothing is lost.
func (p *program) interrupt() {
	p.dequeue()
	p.session.Abort()
}

// dequeue takes the queued messages back into the editor, in front of what is
// there.
func (p *program) dequeue() {
	steering, followUp := p.session.TakeQueue()
	texts := append(steering, followUp...)
	if len(texts) == 0 {
		return
	}
	if rest := p.editor.ExpandedText(); strings.TrimSpace(rest) != "" {
		texts = append(texts, rest)
	}
	p.editor.SetText(strings.Join(texts, "\n\n"))
	p.queue.set(nil, nil)
	p.relabel()
}

// doublePress is how soon after the first Ctrl+C the second one quits.
const doublePress = 2 * time.Second

// clear is what Ctrl+C does: it empties the editor, and twice ends the program.
func (p *program) clear() {
	now := time.Now()
	if !p.editor.IsEmpty() {
		p.editor.AddToHistory(p.editor.ExpandedText())
		p.editor.SetText("")
		p.quitHint = now
		return
	}
	if now.Sub(p.quitHint) < doublePress {
		p.ui.Quit(nil)
		return
	}
	p.quitHint = now
	p.hint(p.keys.Hint("app.clear") + " again to quit")
}
