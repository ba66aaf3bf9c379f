package interactive

import (
	"strings"

	"tau/ai"
	"tau/components"
)

// completer offers the slash commands and their arguments.
type completer struct{ p *program }

// Complete implements components.Completer.
func (c *completer) Complete(r components.CompletionRequest, done func(*components.Suggestions)) func() {
	none := func() {}
	before := r.Before()
	trimmed := strings.TrimLeft(before, " ")
	if r.Line != 0 || !strings.HasPrefix(trimmed, "/") {
		done(nil)
		return none
	}
	name, arg, has := strings.Cut(trimmed[1:], " ")
	if !has {
		done(c.names(name))
		return none
	}
	done(c.arguments(name, arg))
	return none
}

func (c *completer) names(typed string) *components.Suggestions {
	all := commands()
	var items []components.Completion
	for _, i := range components.Fuzzy(typed, len(all), func(i int) string { return all[i].name }) {
		cmd := all[i]
		items = append(items, components.Completion{
			Value: "/" + cmd.name, Label: strings.TrimSpace("/" + cmd.name + " " + cmd.argument), Description: cmd.help,
			Insert: "/" + cmd.name + " ", Command: true,
		})
	}
	if len(items) == 0 {
		return nil
	}
	return &components.Suggestions{Prefix: "/" + typed, Items: items}
}

func (c *completer) arguments(name, typed string) *components.Suggestions {
	var values []string
	switch name {
	case "model":
		for _, m := range c.p.app.Available() {
			values = append(values, m.Ref())
		}
	case "thinking":
		for _, l := range ai.ThinkingLevels() {
			if c.p.session.Model().Thinks(l) {
				values = append(values, string(l))
			}
		}
	case "theme":
		values = c.p.themeNames()
	default:
		return nil
	}
	var items []components.Completion
	for _, i := range components.Fuzzy(typed, len(values), func(i int) string { return values[i] }) {
		items = append(items, components.Completion{Value: values[i]})
	}
	if len(items) == 0 {
		return nil
	}
	return &components.Suggestions{Prefix: typed, Items: items}
}
