package interactive

import (
	"context"
	"slices"
	"strings"

	"tau/components"
	"tau/session/extension"
)

// extArguments completes arguments of an extension's command.
func (p *program) extArguments(r *extension.Runner, c *extension.Command) func(string, func([]components.Completion)) func() {
	return func(typed string, done func([]components.Completion)) func() {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			var items []components.Completion
			for _, it := range r.Complete(ctx, c, typed) {
				items = append(items, components.Completion{Value: it.Value, Label: it.Label, Description: it.Description})
			}
			p.ui.Post(func() {
				if ctx.Err() == nil {
					done(items)
					p.ui.RequestRender()
				}
			})
		}()
		return cancel
	}
}

// extCompleter asks extensions, off the goroutine of the screen, if there are
// any that complete; else the program answers at once.
type extCompleter struct {
	p   *program
	own components.Completer
}

// Complete implements components.Completer.
func (c *extCompleter) Complete(r components.CompletionRequest, done func(*components.Suggestions)) func() {
	p := c.p
	run := p.app.Runner(p.session)
	if !run.Autocompletes() {
		return c.own.Complete(r, done)
	}
	ctx, cancel := context.WithCancel(context.Background())
	typing := typingOf(r)
	go func() {
		found := run.Suggest(ctx, typing, r.Forced)
		p.ui.Post(func() {
			if ctx.Err() == nil {
				done(p.suggestions(run, found, typing.Before))
				p.ui.RequestRender()
			}
		})
	}()
	return cancel
}

func typingOf(r components.CompletionRequest) extension.Typing {
	return extension.Typing{Lines: slices.Clone(r.Lines), Line: r.Line, Before: r.Before()}
}

// suggestions makes what extensions have found something for the editor.
func (p *program) suggestions(run *extension.Runner, found *extension.Suggestions, before string) *components.Suggestions {
	if found == nil || len(found.Items) == 0 {
		return nil
	}
	s := &components.Suggestions{Prefix: found.Prefix}
	for _, it := range found.Items {
		f := it.Fill(before, found.Prefix)
		s.Items = append(s.Items, components.Completion{
			Value: it.Value, Label: it.Label, Description: it.Description, Insert: f.Insert, After: f.After, Back: f.Back, Command: f.Command,
		})
	}
	s.Apply = func(r components.CompletionRequest, chosen components.Completion) (lines []string, line, col int, ok bool) {
		i := slices.Index(s.Items, chosen)
		if i < 0 {
			return nil, 0, 0, false
		}
		var out extension.Typing
		var err error
		p.lent(func() {
			ctx, cancel := context.WithTimeout(context.Background(), extension.RenderLimit)
			defer cancel()
			out, err = run.Apply(ctx, typingOf(r), found.Items[i], found.Prefix) // as the extension gave it
		})
		return out.Lines, out.Line, len(out.Before), err == nil
	}
	return s
}

// Suggest implements extension.Suggester with what the program offers by itself.
func (s screen) Suggest(ctx context.Context, t extension.Typing, force bool) *extension.Suggestions {
	if t.Line < 0 || t.Line >= len(t.Lines) || !strings.HasPrefix(t.Lines[t.Line], t.Before) {
		return nil
	}
	answer := make(chan *components.Suggestions, 1)
	s.p.ui.Post(func() {
		if ctx.Err() != nil {
			return
		}
		r := components.CompletionRequest{Lines: t.Lines, Line: t.Line, Col: len(t.Before), Forced: force}
		cancel := s.p.ownCompleter().Complete(r, func(found *components.Suggestions) { answer <- found })
		if cancel != nil {
			context.AfterFunc(ctx, cancel)
		}
	})
	select {
	case found := <-answer:
		return asItems(found)
	case <-ctx.Done():
		return nil
	}
}

// asItems makes completions of the editor what extensions know: the value of a
// file is what is inserted, with its mark.
func asItems(found *components.Suggestions) *extension.Suggestions {
	if found == nil {
		return nil
	}
	out := &extension.Suggestions{Items: []extension.Item{}, Prefix: found.Prefix}
	for _, c := range found.Items {
		it := extension.Item{Value: c.Value, Label: c.Label, Description: c.Description, Insert: c.Insert, After: c.After, Back: c.Back, Command: c.Command}
		if it.Insert == "" {
			it.Insert = c.Value
		} else if !c.Command {
			it.Value = strings.TrimSuffix(c.Insert, " ")
		}
		if it.Label == "" {
			it.Label = c.Value
		}
		out.Items = append(out.Items, it)
	}
	return out
}
