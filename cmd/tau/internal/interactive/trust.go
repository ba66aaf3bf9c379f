package interactive

import (
	"fmt"
	"path/filepath"
	"strings"

	"tau/components"
	"tau/components/chat"
)

// askTrust is the command /trust, and the first question in a folder that
// brings files of its own. done is called when it is answered; it may be nil.
func (p *program) askTrust(done func()) {
	if done == nil {
		done = func() {}
	}
	d := p.app.Trust
	if len(d.Files) == 0 {
		p.hint("this folder brings nothing that needs trust")
		done()
		return
	}
	cwd := p.app.CWD
	items := []components.Item{
		{Value: "yes", Label: "Trust", Description: homeShort(cwd)},
		{Value: "parent", Label: "Trust the folder above", Description: homeShort(filepath.Dir(cwd)) + " and all below it"},
		{Value: "now", Label: "Trust for this time"},
		{Value: "no", Label: "Do not trust", Description: "the files are not read"},
		{Value: "not now", Label: "Not this time"},
	}
	title := "Trust what this folder brings?"
	if d.Changed {
		title = "Changed since you trusted it. Trust it again?"
	}
	p.script.notice(chat.Info, fmt.Sprintf("%s brings %s. Such files can run programs and tell the model what to do.", homeShort(cwd), strings.Join(d.Files, ", ")))
	answered := func(v string) {
		p.tell.unblock("trust")
		folder := map[string]string{"yes": cwd, "no": cwd, "parent": filepath.Dir(cwd)}[v]
		p.reloaded(p.app.SetTrust(v == "yes" || v == "parent" || v == "now", folder))
		done()
	}
	if p.picker != nil {
		return
	}
	p.tell.block("trust", "permission", title)
	p.pickOr(title, items, "not now", "", answered, func() { answered("not now") })
}

// readAgain is the command /reload.
func (p *program) readAgain(string) {
	if p.session.Busy() {
		p.hint("the agent is working; stop it first")
		return
	}
	s := p.session
	p.clearExtensions()
	go func() {
		err := p.app.ReloadExtensions(s)
		p.ui.Post(func() {
			p.reloaded(err)
			p.hint("read again")
		})
	}()
}

// reloaded takes over what the files say now.
func (p *program) reloaded(err error) {
	p.loadKeys()
	p.applySettings()
	p.setTheme(p.colors.theme(p.app))
	if err != nil {
		p.script.notice(chat.Failure, err.Error())
	}
	p.tellProblems()
	p.refreshRewrites()
	p.ui.RequestRender()
}

// tellProblems shows what is wrong with the user's files, once.
func (p *program) tellProblems() {
	for _, problem := range p.app.Problems {
		p.script.notice(chat.Warning, problem.Error())
	}
	p.app.Problems = nil
}
