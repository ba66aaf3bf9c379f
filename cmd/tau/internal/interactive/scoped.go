package interactive

import (
	"fmt"
	"slices"

	"tau/ai"
	"tau/components"
	"tau/components/picker"
	"tau/tui/key"
)

// scopedModels is the list in which the models of the cycle are chosen and
// ordered.
type scopedModels struct {
	p   *program
	box *picker.Picker
	all []*ai.Model
	on  []string // refs, in the order of the cycle
}

// scopedMenu is the command /scoped-models.
func (p *program) scopedMenu(string) {
	if p.picker != nil {
		return
	}
	s := &scopedModels{p: p, all: p.app.Available()}
	if models, chosen := p.app.Scope(); chosen {
		for _, m := range models {
			s.on = append(s.on, m.Ref())
		}
	}
	hint := func(id string) string { return p.keys.Hint("app.models." + id) }
	s.box = picker.New(picker.Options{
		Title: s.title(), Items: s.items(), Rows: p.pickerRows(14), Bindings: p.keys, Style: p.pickerStyle(),
		Hint:  fmt.Sprintf("↵ on/off · %s all · %s none · %s provider · %s order · %s save · esc", hint("enableAll"), hint("clearAll"), hint("toggleProvider"), hint("reorderUp"), hint("save")),
		OnKey: s.key, OnSelect: func(it components.Item) { s.toggle(it.Value) }, OnCancel: p.closePicker,
	})
	p.show(s.box)
}

func (s *scopedModels) title() string {
	if len(s.on) == 0 {
		return "Models to cycle through: all"
	}
	return fmt.Sprintf("Models to cycle through: %d of %d", len(s.on), len(s.all))
}

// items lists the models that are on in their order, then the others.
func (s *scopedModels) items() []components.Item {
	var out []components.Item
	put := func(m *ai.Model, mark string) {
		out = append(out, components.Item{Value: m.Ref(), Label: mark + m.Ref(), Description: modelFacts(m)})
	}
	for _, ref := range s.on {
		for _, m := range s.all {
			if m.Ref() == ref {
				put(m, "✓ ")
			}
		}
	}
	for _, m := range s.all {
		if !slices.Contains(s.on, m.Ref()) {
			put(m, "  ")
		}
	}
	return out
}

// changed lets the choice hold for this run.
func (s *scopedModels) changed() {
	s.p.app.Options.Models = slices.Clone(s.on)
	s.box.SetItems(s.title(), s.items())
	s.p.ui.RequestRender()
}

func (s *scopedModels) toggle(ref string) {
	if i := slices.Index(s.on, ref); i >= 0 {
		s.on = slices.Delete(s.on, i, i+1)
	} else {
		s.on = append(s.on, ref)
	}
	s.changed()
}

func (s *scopedModels) key(ev key.Event, ref string) bool {
	is := func(id string) bool { return s.p.keys.Matches(ev, "app.models."+id) }
	i := slices.Index(s.on, ref)
	switch {
	case is("save"):
		list := s.on
		if list == nil {
			list = []string{}
		}
		s.p.saveSetting("/enabledModels", list)
		s.p.hint("saved")
	case is("enableAll"):
		s.on = nil
		for _, m := range s.all {
			s.on = append(s.on, m.Ref())
		}
		s.changed()
	case is("clearAll"):
		s.on = nil
		s.changed()
	case is("toggleProvider"):
		s.provider(ref)
	case is("reorderUp") && i > 0:
		s.on[i-1], s.on[i] = s.on[i], s.on[i-1]
		s.changed()
	case is("reorderDown") && i >= 0 && i < len(s.on)-1:
		s.on[i+1], s.on[i] = s.on[i], s.on[i+1]
		s.changed()
	case is("reorderUp"), is("reorderDown"):
	default:
		return false
	}
	return true
}

// provider switches all models of the provider of a model on, or off if they
// are.
func (s *scopedModels) provider(ref string) {
	at := slices.IndexFunc(s.all, func(m *ai.Model) bool { return m.Ref() == ref })
	if at < 0 {
		return
	}
	var theirs []string
	for _, m := range s.all {
		if m.Provider == s.all[at].Provider {
			theirs = append(theirs, m.Ref())
		}
	}
	missing := slices.DeleteFunc(slices.Clone(theirs), func(r string) bool { return slices.Contains(s.on, r) })
	if len(missing) > 0 {
		s.on = append(s.on, missing...)
	} else {
		s.on = slices.DeleteFunc(s.on, func(r string) bool { return slices.Contains(theirs, r) })
	}
	s.changed()
}
