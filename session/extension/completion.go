package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// CompletionLimit is how long an extension may take to complete something. One
// that takes longer is not asked for suggestions again.
const CompletionLimit = 5 * time.Second

var errSlowCompletion = fmt.Errorf("it took more than %v and is not waited for", CompletionLimit)

// Typing is a text that is being edited. The caret is in Lines[Line], behind
// Before.
type Typing struct {
	Lines  []string `json:"lines"`
	Line   int      `json:"line"`
	Before string   `json:"before"`
}

// valid reports whether the caret is in the text.
func (t Typing) valid() bool {
	return t.Line >= 0 && t.Line < len(t.Lines) && strings.HasPrefix(t.Lines[t.Line], t.Before)
}

// Item is a completion. Value, Label and Description are pi's; the rest says
// how the program puts in what it has suggested by itself.
type Item struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	// Insert is put in place of the prefix, and of After bytes behind the caret;
	// empty: Value, as [Item.Fill] says. The caret stays Back bytes before its end.
	Insert string `json:"insert,omitempty"`
	After  int    `json:"after,omitempty"`
	Back   int    `json:"back,omitempty"`
	// Command is the name of a command: Enter sends it.
	Command bool `json:"command,omitempty"`
}

// Suggestions are completions for the text before the caret that Prefix is the
// end of.
type Suggestions struct {
	Items  []Item `json:"items"`
	Prefix string `json:"prefix"`
}

// Suggester is a UI that has completions of its own.
type Suggester interface {
	// Suggest returns them, nil for none. force is set if the user asked with Tab.
	Suggest(ctx context.Context, t Typing, force bool) *Suggestions
}

// suggests is what an extension has said of its completion. It is not changed.
type suggests struct {
	ext      *Extension
	triggers string
	applies  bool // it puts items in itself
}

// Fill says how an item that does not say so itself goes in, as pi does it: the
// name of a command gets its slash and a blank, a file behind @ a blank.
func (it Item) Fill(before, prefix string) Item {
	if it.Insert != "" {
		return it
	}
	it.Insert = it.Value
	folder := strings.HasSuffix(it.Label, "/")
	switch lead := strings.TrimSuffix(before, prefix); {
	case strings.HasPrefix(prefix, "/") && strings.TrimSpace(lead) == "" && !strings.Contains(prefix[1:], "/"):
		it.Insert, it.Command = "/"+strings.TrimPrefix(it.Value, "/")+" ", true
		return it
	case strings.HasPrefix(prefix, "@") && !folder:
		it.Insert += " "
	}
	if folder && strings.HasSuffix(it.Value, `"`) {
		it.Back = 1
	}
	return it
}

// put puts an item into a text.
func (t Typing) put(it Item, prefix string) (Typing, error) {
	if !t.valid() || !strings.HasSuffix(t.Before, prefix) {
		return t, errors.New("the completion does not fit the text")
	}
	it = it.Fill(t.Before, prefix)
	line := t.Lines[t.Line]
	after := line[len(t.Before):]
	cut := min(max(0, it.After), len(after))
	for cut < len(after) && !utf8.RuneStart(after[cut]) {
		cut++
	}
	head := t.Before[:len(t.Before)-len(prefix)]
	back := 0
	if it.Back > 0 && it.Back <= len(it.Insert) && utf8.RuneStart(it.Insert[len(it.Insert)-it.Back]) {
		back = it.Back
	}
	t.Lines = slices.Clone(t.Lines)
	t.Lines[t.Line] = head + it.Insert + after[cut:]
	t.Before = head + it.Insert[:len(it.Insert)-back]
	return t, nil
}

// suggesters are the extensions that complete, in the order they were loaded.
// Those that are too slow are left out.
func (r *Runner) suggesters() []*suggests {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*suggests
	for _, e := range r.exts {
		if e.suggests != nil && !e.slow.Load() {
			out = append(out, e.suggests)
		}
	}
	return out
}

// Autocompletes reports whether an extension completes what is typed.
func (r *Runner) Autocompletes() bool { return len(r.suggesters()) > 0 }

// Triggers are the characters besides the usual ones that extensions complete
// behind.
func (r *Runner) Triggers() string {
	s := ""
	for _, c := range r.suggesters() {
		s += c.triggers
	}
	return s
}

// Suggest returns completions. Extensions may add to, or replace, what the
// program (a [Suggester]) and the extensions loaded before them suggest. One that
// fails is told of once and passed over.
func (r *Runner) Suggest(ctx context.Context, t Typing, force bool) *Suggestions {
	return r.suggest(ctx, r.suggesters(), t, force)
}

func (r *Runner) suggest(ctx context.Context, list []*suggests, t Typing, force bool) *Suggestions {
	for i := len(list) - 1; i >= 0 && ctx.Err() == nil; i-- {
		raw, err := r.timely(ctx, list[i].ext, "autocomplete", MethodSuggest, struct {
			Typing
			Force bool `json:"force"`
		}{t, force})
		var s *Suggestions
		if err == nil && len(raw) > 0 {
			if err = json.Unmarshal(raw, &s); err != nil {
				r.reportOnce(list[i].ext, "autocomplete", fmt.Errorf("its suggestions cannot be read: %w", err))
			}
		}
		if err == nil && s != nil {
			return s
		}
	}
	if u, ok := r.ui().(Suggester); ok && ctx.Err() == nil {
		return u.Suggest(ctx, t, force)
	}
	return nil
}

// Apply returns the text with an item put in. Extensions have a say in it; ctx
// says how long.
func (r *Runner) Apply(ctx context.Context, t Typing, it Item, prefix string) (Typing, error) {
	return r.apply(ctx, r.suggesters(), t, it, prefix)
}

func (r *Runner) apply(ctx context.Context, list []*suggests, t Typing, it Item, prefix string) (Typing, error) {
	for i := len(list) - 1; i >= 0 && ctx.Err() == nil; i-- {
		if !list[i].applies {
			continue
		}
		raw, err := list[i].ext.call(ctx, 0, MethodApply, struct {
			Typing
			Item   Item   `json:"item"`
			Prefix string `json:"prefix"`
		}{t, it, prefix})
		var out Typing
		if err == nil {
			if err = json.Unmarshal(raw, &out); err == nil && !out.valid() {
				err = errors.New("the caret is outside of the text")
			}
		}
		if err == nil {
			return out, nil
		}
		r.reportOnce(list[i].ext, "autocomplete", err)
	}
	return t.put(it, prefix)
}

// timely asks an extension for completions. Failures other than the end of ctx
// are told of once; one that is too slow is not asked again by suggest.
func (r *Runner) timely(ctx context.Context, e *Extension, event, method string, params any) (json.RawMessage, error) {
	short, cancel := context.WithTimeout(ctx, CompletionLimit)
	defer cancel()
	raw, err := e.call(short, 0, method, params)
	if err == nil || ctx.Err() != nil {
		return raw, err
	}
	if short.Err() != nil {
		err = errSlowCompletion
		if method == MethodSuggest {
			e.slow.Store(true)
		}
	}
	r.reportOnce(e, event, err)
	return nil, err
}

// reportOnce tells of the first failure of its kind.
func (r *Runner) reportOnce(e *Extension, event string, err error) {
	r.mu.Lock()
	known := slices.Contains(e.told, event)
	if !known {
		e.told = append(e.told, event)
	}
	r.mu.Unlock()
	if !known {
		r.report(e, event, err)
	}
}

// Complete returns completions of a command's arguments; none if the extension
// does not complete them, fails, which is told of once, or takes too long.
func (r *Runner) Complete(ctx context.Context, c *Command, prefix string) []Item {
	if !c.Completes {
		return nil
	}
	event := "completions of /" + c.own
	raw, err := r.timely(ctx, c.ext, event, MethodComplete, commandCall{c.own, prefix})
	if err != nil || len(raw) == 0 {
		return nil
	}
	var items []Item
	if err := json.Unmarshal(raw, &items); err != nil {
		r.reportOnce(c.ext, event, fmt.Errorf("its completions cannot be read: %w", err))
		return nil
	}
	return items
}

// below are the extensions that complete and were loaded before e.
func (r *Runner) below(e *Extension) []*suggests {
	list := r.suggesters()
	if i := slices.IndexFunc(list, func(s *suggests) bool { return s.ext == e }); i >= 0 {
		return list[:i]
	}
	return nil
}

// completionMethods are what extensions that complete ask for.
func completionMethods(name string) method {
	switch name {
	case "registerAutocomplete":
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct {
			Triggers []string `json:"triggerCharacters"`
			Applies  bool     `json:"applies"`
		}) (any, error) {
			s := &suggests{ext: e, applies: p.Applies}
			for _, t := range p.Triggers {
				r, n := utf8.DecodeRuneInString(t)
				if n == len(t) && n > 0 && r != '/' && r != utf8.RuneError && !unicode.IsSpace(r) && !strings.ContainsRune(s.triggers, r) {
					s.triggers += t
				}
			}
			e.change(func() { e.suggests = s })
			return nil, nil
		})
	case "completion.next":
		return with(func(ctx context.Context, _ *Runner, e *Extension, p struct {
			Typing
			Force bool `json:"force"`
		}) (any, error) {
			if s := e.runner.suggest(ctx, e.runner.below(e), p.Typing, p.Force); s != nil {
				return s, nil
			}
			return nil, nil
		})
	case "completion.apply":
		return with(func(ctx context.Context, _ *Runner, e *Extension, p struct {
			Typing
			Item   Item   `json:"item"`
			Prefix string `json:"prefix"`
		}) (any, error) {
			return e.runner.apply(ctx, e.runner.below(e), p.Typing, p.Item, p.Prefix)
		})
	}
	return nil
}
