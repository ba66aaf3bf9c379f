package interactive

import (
	"fmt"

	"tau/ai"
	"tau/cmd/tau/internal/headless"
	"tau/components"
	"tau/components/picker"
	"tau/tui/key"
)

// pickModel opens the list of models that can be used now: those of the cycle
// if there is a choice, or all.
func (p *program) pickModel(query string) {
	if p.picker != nil {
		return
	}
	all := p.app.Available()
	scoped, chosen := p.app.Scope()
	inScope := chosen && query == ""
	var box *picker.Picker
	byRef := map[string]*ai.Model{}
	for _, m := range all {
		byRef[m.Ref()] = m
	}
	for _, m := range scoped {
		byRef[m.Ref()] = m
	}
	items := func() []components.Item {
		models := all
		if inScope {
			models = scoped
		}
		var out []components.Item
		for _, m := range models {
			out = append(out, components.Item{Value: m.Ref(), Label: m.Ref(), Description: modelFacts(m)})
		}
		return out
	}
	title := func() string {
		switch {
		case !chosen:
			return "Model"
		case inScope:
			return "Model: those of the cycle (tab: all)"
		}
		return "Model: all (tab: those of the cycle)"
	}
	use := func(ref string) *ai.Model {
		p.closePicker()
		m := byRef[ref]
		p.setModel(m, p.app.ScopeLevel(m))
		return m
	}
	box = picker.New(picker.Options{
		Title: title(), Items: items(), Current: p.session.Model().Ref(), Query: query, Rows: p.pickerRows(12), Bindings: p.keys, Style: p.pickerStyle(),
		Hint:     "↵ use · " + p.keys.Hint("app.models.save") + " use from now on · esc close",
		OnSelect: func(it components.Item) { use(it.Value) },
		OnCancel: p.closePicker,
		OnKey: func(ev key.Event, ref string) bool {
			switch {
			case ev.Is("tab") && chosen:
				inScope = !inScope
				box.SetItems(title(), items())
			case p.keys.Matches(ev, "app.models.save") && ref != "":
				m := use(ref)
				p.saveSetting("/defaultProvider", m.Provider)
				p.saveSetting("/defaultModel", m.ID)
				p.hint(m.ID + " is the model to begin with from now on")
			default:
				return false
			}
			return true
		},
	})
	p.show(box)
}

func modelFacts(m *ai.Model) string {
	s := headless.Tokens(m.ContextWindow) + " context"
	if m.Cost.Input > 0 || m.Cost.Output > 0 {
		s += fmt.Sprintf(" · $%.4g in, $%.4g out", m.Cost.Input, m.Cost.Output)
	}
	if m.Reasoning {
		s += " · thinks"
	}
	if m.Sees() {
		s += " · sees"
	}
	return s
}

// cycleModel goes to the next of the models in the settings, or of those that
// can be used.
func (p *program) cycleModel(step int) {
	models := p.app.Scoped()
	if len(models) < 2 {
		p.hint("there is no other model")
		return
	}
	at := 0
	for i, m := range models {
		if m.Ref() == p.session.Model().Ref() {
			at = i
		}
	}
	m := models[(at+step+len(models))%len(models)]
	p.setModel(m, p.app.ScopeLevel(m))
	p.hint(m.Ref())
}

// pickThinking opens the list of thinking levels.
func (p *program) pickThinking() {
	if p.picker != nil {
		return
	}
	m := p.session.Model()
	var items []components.Item
	for _, l := range ai.ThinkingLevels() {
		if m.Thinks(l) {
			items = append(items, components.Item{Value: string(l), Description: levelHelp(l)})
		}
	}
	if len(items) < 2 {
		p.hint(m.ID + " has no thinking levels")
		return
	}
	p.show(picker.New(picker.Options{
		Title: "Thinking", Items: items, Current: string(p.session.Thinking()), Rows: p.pickerRows(10), Bindings: p.keys, Style: p.pickerStyle(),
		Hint:     "↵ use · " + p.keys.Hint("app.thinking.save") + " use from now on · esc close",
		OnSelect: func(it components.Item) { p.closePicker(); p.session.SetThinking(ai.ThinkingLevel(it.Value)) },
		OnCancel: p.closePicker,
		OnKey: func(ev key.Event, level string) bool {
			if !p.keys.Matches(ev, "app.thinking.save") || level == "" {
				return false
			}
			p.closePicker()
			p.session.SetThinking(ai.ThinkingLevel(level))
			p.saveSetting("/defaultThinkingLevel", level)
			p.hint(level + " is the level to begin with from now on")
			return true
		},
	}))
}

func levelHelp(l ai.ThinkingLevel) string {
	return map[ai.ThinkingLevel]string{
		"off": "answer at once", "minimal": "hardly at all", "low": "a little", "medium": "as much as most tasks need",
		"high": "for hard problems", "xhigh": "longer still", "max": "as long as it takes",
	}[l]
}
