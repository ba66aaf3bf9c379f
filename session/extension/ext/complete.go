package ext

import (
	"encoding/json"
	"fmt"
)

// Item is a completion.
type Item struct {
	Value       string `json:"value"`
	Label       string `json:"label,omitempty"` // shown; Value if empty
	Description string `json:"description,omitempty"`
	Insert      string `json:"insert,omitempty"` // put in; Value if empty
}

// Typing is a text that is being edited: the caret is in Lines[Line], behind
// Before. Force is set if the user asked with Tab.
type Typing struct {
	Lines  []string `json:"lines"`
	Line   int      `json:"line"`
	Before string   `json:"before"`
	Force  bool     `json:"force"`
}

// Suggestions are items that go in place of Prefix, the end of what is before
// the caret.
type Suggestions struct {
	Items  []Item `json:"items"`
	Prefix string `json:"prefix"`
}

// Completes has f complete the arguments of a command that was registered
// before; typed is what stands behind its name.
func (e *Extension) Completes(name string, f func(c *Context, typed string) ([]Item, error)) {
	for i := range e.commands {
		if e.commands[i].Name == name {
			e.commands[i].Completes, e.commands[i].complete = true, f
		}
	}
}

// Autocomplete has f complete what is typed. It is asked behind the usual
// characters and the triggers, of one character each. Nil leaves it to others.
func (e *Extension) Autocomplete(triggers []string, f func(c *Context, t Typing) (*Suggestions, error)) {
	e.triggers, e.suggest = triggers, f
}

func (e *Extension) completion(c *Context, method string, params json.RawMessage) (any, error) {
	if method == "suggest" {
		var t Typing
		if err := json.Unmarshal(params, &t); err != nil {
			return nil, err
		}
		if e.suggest == nil {
			return nil, nil
		}
		s, err := e.suggest(c, t)
		if s == nil || err != nil {
			return nil, err
		}
		return s, nil
	}
	var p struct{ Name, Args string }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	for _, cmd := range e.commands {
		if cmd.Name == p.Name && cmd.complete != nil {
			return cmd.complete(c, p.Args)
		}
	}
	return nil, fmt.Errorf("nothing completes /%s", p.Name)
}
