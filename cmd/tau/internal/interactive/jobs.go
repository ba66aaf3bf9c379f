package interactive

import (
	"fmt"
	"time"

	"tau/components"
	"tau/components/chat"
	"tau/components/picker"
	"tau/tools"
	"tau/tui/key"
)

// backgroundable reports whether a command runs that could go on in the
// background.
func (p *program) backgroundable() bool {
	for _, b := range p.script.active {
		for _, c := range b.Cards() {
			if c.Name() == "bash" && c.Running() {
				return true
			}
		}
	}
	return false
}

// toBackground moves the commands that run to the background.
func (p *program) toBackground() bool {
	moved := 0
	for _, b := range p.script.active {
		for _, c := range b.Cards() {
			if c.Name() != "bash" || !c.Running() {
				continue
			}
			if _, err := p.app.Background(c.ID()); err == nil {
				moved++
			}
		}
	}
	if moved > 0 {
		p.hint("it runs on in the background; /jobs lists it")
	}
	return moved > 0
}

// jobs is the command /jobs.
func (p *program) jobs(string) {
	if p.picker != nil {
		return
	}
	a := p.app
	go func() { // looking at processes takes a moment
		list := a.Jobs()
		p.ui.Post(func() { p.showJobs(list) })
	}()
}

func (p *program) showJobs(list []tools.Job) {
	if p.picker != nil {
		return
	}
	if len(list) == 0 {
		p.hint("nothing runs in the background")
		return
	}
	byID := map[string]tools.Job{}
	var items []components.Item
	for _, j := range list {
		byID[j.ID] = j
		items = append(items, components.Item{Value: j.ID, Label: j.ID + "  " + oneLine(j.Command), Description: jobFacts(j)})
	}
	p.show(picker.New(picker.Options{
		Title: "Background jobs", Items: items, Rows: p.pickerRows(10), Bindings: p.keys, Style: p.pickerStyle(),
		Hint: "↵ where its output is · ctrl+d end it · esc close",
		OnKey: func(ev key.Event, id string) bool {
			if !p.keys.Matches(ev, "app.session.delete") || id == "" {
				return false
			}
			p.closePicker()
			p.hint("ending " + id + "…")
			a := p.app
			go func() {
				err := a.KillJob(id)
				p.ui.Post(func() {
					p.hint(id + " has ended")
					if err != nil {
						p.hint(err.Error())
					}
					p.ui.RequestRender()
				})
			}()
			return true
		},
		OnSelect: func(it components.Item) {
			p.closePicker()
			j := byID[it.Value]
			text := fmt.Sprintf("%s, %s\n%s", j.ID, jobFacts(j), j.Command)
			if j.LogPath != "" {
				text += "\nIts output: " + j.LogPath
			}
			p.script.notice(chat.Info, text)
		},
		OnCancel: p.closePicker,
	}))
	p.ui.RequestRender()
}

func jobFacts(j tools.Job) string {
	if j.State == tools.JobRunning {
		return fmt.Sprintf("running since %s · pid %d", j.Started.Format(time.TimeOnly), j.PID)
	}
	if j.ExitCode != nil {
		return fmt.Sprintf("%s · status %d", j.State, *j.ExitCode)
	}
	return string(j.State)
}
