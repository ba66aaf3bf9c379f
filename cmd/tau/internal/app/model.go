package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"tau/ai"
	"tau/ai/catalog"
	"tau/ai/demo"
	"tau/session/extension"
	"tau/session/store"
)

// chooseModel finds the model to begin with: that of the command line, of the
// session, of the settings, the first provider that has a key, and at last the
// demo.
func (a *App) chooseModel(st *store.Store) (m *ai.Model, level ai.ThinkingLevel, notes []string, err error) {
	m, level, err = a.modelOfFlags()
	if err != nil {
		return nil, "", nil, err
	}
	saved, _ := st.State()
	if m == nil && saved.ModelID != "" {
		if m = a.lookUp(saved.Provider, saved.ModelID); m == nil || a.Ready(m) != nil {
			notes = append(notes, fmt.Sprintf("Could not restore model %s/%s: %s.", saved.Provider, saved.ModelID, a.why(m)))
			m = nil
		} else if saved.Thinking != "" && level == "" {
			level = saved.Thinking
		}
	}
	if m == nil && len(a.Options.Models) > 0 {
		if all := a.scope(); len(all) > 0 {
			m = all[0]
			level = cmp.Or(level, a.ScopeLevel(m))
		} else {
			notes = append(notes, "No model that can be used matches --models.")
		}
	}
	if m == nil {
		var note string
		if m, note = a.defaultModel(); note != "" {
			notes = append(notes, note)
		}
	}
	if t := ai.ThinkingLevel(a.Options.Thinking); t.Valid() {
		level = t
	} else if t != "" {
		notes = append(notes, fmt.Sprintf("--thinking %s is not a level; there are off, minimal, low, medium, high, xhigh and max.", t))
	}
	if level == "" {
		level = a.defaultThinking(m)
	}
	return m, level, notes, nil
}

func (a *App) modelOfFlags() (*ai.Model, ai.ThinkingLevel, error) {
	o := a.Options
	if o.Script != "" {
		return demo.Model(), "", nil
	}
	if len(o.Models) > 0 {
		var why error
		for _, pattern := range o.Models {
			m, level, err := a.FindModel(pattern)
			if err == nil {
				err = a.Ready(m)
			}
			if err == nil {
				return m, level, nil
			}
			why = errors.Join(why, fmt.Errorf("--models %s: %w", pattern, err))
		}
		return nil, "", why
	}
	if o.Model == "" {
		return nil, "", nil
	}
	pattern := o.Model
	if o.Provider != "" {
		pattern = o.Provider + "/" + o.Model
	}
	m, level, err := a.FindModel(pattern)
	if err != nil {
		return nil, "", err
	}
	if err := a.Ready(m); err != nil {
		return nil, "", err
	}
	return m, level, nil
}

// FindModel turns what the user typed into a model and a thinking level, which
// may be empty.
func (a *App) FindModel(pattern string) (*ai.Model, ai.ThinkingLevel, error) {
	if pattern == "demo" || pattern == demo.Model().Ref() {
		return demo.Model(), "", nil
	}
	m, level, err := a.Catalog.Find(pattern)
	if err != nil {
		return nil, "", err
	}
	return m, level, nil
}

func (a *App) lookUp(provider, id string) *ai.Model {
	if provider == demo.Model().Provider {
		return demo.Model()
	}
	m, ok := a.Catalog.Model(provider, id)
	if !ok {
		return nil
	}
	return m
}

// Ready returns an error that says why the model cannot be used now, or nil.
func (a *App) Ready(m *ai.Model) error {
	if isDemo(m) || m.API == extension.VirtualAPI {
		return nil
	}
	if err := a.usable(m); err != nil {
		return err
	}
	if !a.Keys.Has(m.Provider) {
		return fmt.Errorf("there is no key for %s; set its environment variable or add it to auth.json", m.Provider)
	}
	return nil
}

// usable returns an error that says why nobody speaks to the model, or nil.
func (a *App) usable(m *ai.Model) error {
	if a.streamOf(m) != nil {
		return nil
	}
	return catalog.Usable(m)
}

func (a *App) why(m *ai.Model) string {
	if m == nil {
		return "it is not known any more"
	}
	if err := a.Ready(m); err != nil {
		return err.Error()
	}
	return "it cannot be used"
}

func (a *App) defaultModel() (m *ai.Model, note string) {
	s := a.Settings
	if s.DefaultModel != "" || s.DefaultProvider != "" {
		var err error
		switch {
		case s.DefaultModel == "":
			if m = a.Catalog.Default(s.DefaultProvider); m == nil {
				err = errors.New("the provider is not known")
			}
		case s.DefaultProvider == "":
			m, _, err = a.FindModel(s.DefaultModel)
		default:
			m, _, err = a.FindModel(s.DefaultProvider + "/" + s.DefaultModel)
		}
		if err == nil {
			err = a.Ready(m)
		}
		if err == nil {
			return m, ""
		}
		note = fmt.Sprintf("The default model of settings.json cannot be used: %v.", err)
	}
	for _, p := range a.Catalog.Providers() {
		if !a.Keys.Has(p.ID) {
			continue
		}
		if m := a.Catalog.Default(p.ID); m != nil && a.usable(m) == nil {
			return m, note
		}
		for _, m := range a.Catalog.Models(p.ID) {
			if a.usable(m) == nil {
				return m, note
			}
		}
	}
	return demo.Model(), note
}

func (a *App) defaultThinking(m *ai.Model) ai.ThinkingLevel {
	for _, l := range []string{a.Settings.ModelThinkingLevels[m.Ref()], a.Settings.DefaultThinkingLevel} {
		if l := ai.ThinkingLevel(l); l.Valid() {
			return l
		}
	}
	return ai.ThinkingMedium
}

// Available returns the models that can be used now.
func (a *App) Available() []*ai.Model {
	var out []*ai.Model
	for _, p := range a.Catalog.Providers() {
		keyed := a.Keys.Has(p.ID) || p.ID == demo.Model().Provider
		for _, m := range a.Catalog.Models(p.ID) {
			if (keyed || m.API == extension.VirtualAPI) && a.usable(m) == nil {
				out = append(out, m)
			}
		}
	}
	return out
}

// Scoped returns the models to cycle through, see Scope.
func (a *App) Scoped() []*ai.Model {
	models, _ := a.Scope()
	return models
}

// Scope returns the models to cycle through: those that --models or
// enabledModels of the settings name, else all that can be used. chosen says
// which of the two.
func (a *App) Scope() (models []*ai.Model, chosen bool) {
	if out := a.scope(); len(out) > 0 {
		return out, true
	}
	return a.Available(), false
}

// Model returns the model with exactly this provider and id, or nil.
func (a *App) Model(provider, id string) *ai.Model { return a.lookUp(provider, id) }

// scope are the models that --models or enabledModels choose, in that order.
func (a *App) scope() []*ai.Model {
	patterns := a.Options.Models
	if len(patterns) == 0 {
		patterns = a.Settings.EnabledModels
	}
	var out []*ai.Model
	for _, p := range patterns {
		for _, m := range a.matching(p) {
			if !slices.ContainsFunc(out, func(o *ai.Model) bool { return o.Ref() == m.Ref() }) {
				out = append(out, m)
			}
		}
	}
	return out
}

// matching are the models, of those that can be used now, that a pattern means:
// with * or ? all whose id or provider/id fits, else those with that id, or one.
func (a *App) matching(pattern string) []*ai.Model {
	if !strings.ContainsAny(pattern, "*?[") {
		var same []*ai.Model // an id may be that of several providers
		for _, m := range a.Available() {
			if m.ID == pattern {
				same = append(same, m)
			}
		}
		if len(same) > 0 {
			return same
		}
		if m, _, err := a.FindModel(pattern); err == nil && a.Ready(m) == nil {
			return []*ai.Model{m}
		}
		return nil
	}
	glob, _, _ := strings.Cut(strings.ToLower(pattern), ":")
	var out []*ai.Model
	for _, m := range a.Available() {
		for _, name := range []string{m.Ref(), m.ID} {
			if ok, err := doublestar.Match(glob, strings.ToLower(name)); ok && err == nil {
				out = append(out, m)
				break
			}
		}
	}
	return out
}

// ScopeLevel is the thinking level that the patterns of the scope give a
// model, or empty.
func (a *App) ScopeLevel(m *ai.Model) ai.ThinkingLevel {
	patterns := a.Options.Models
	if len(patterns) == 0 {
		patterns = a.Settings.EnabledModels
	}
	for _, p := range patterns {
		i := strings.LastIndexByte(p, ':')
		if i < 0 {
			continue
		}
		level := ai.ThinkingLevel(p[i+1:])
		if level.Valid() && slices.ContainsFunc(a.matching(p[:i]), func(o *ai.Model) bool { return o.Ref() == m.Ref() }) {
			return level
		}
	}
	return ""
}
