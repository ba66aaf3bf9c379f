package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tau/ai"
	"tau/session"
)

// Bind gives the extensions the session they belong to. Providers that they
// have registered are there from now on.
func (r *Runner) Bind(s *session.Session) {
	r.mu.Lock()
	r.session = s
	r.mu.Unlock()
	r.Providers()
}

// Providers registers the providers that extensions have asked for while they
// were loaded.
func (r *Runner) Providers() {
	r.mu.Lock()
	calls := r.providers
	r.providers, r.bound = nil, true
	r.mu.Unlock()
	for _, c := range calls {
		if err := c.do(); err != nil {
			r.report(c.ext, "register", err)
		}
	}
}

type providerCall struct {
	ext *Extension
	do  func() error
}

// whenBound does something when the program knows its extensions.
func (r *Runner) whenBound(e *Extension, do func() error) error {
	r.mu.Lock()
	if !r.bound {
		r.providers = append(r.providers, providerCall{e, do})
		r.mu.Unlock()
		return nil
	}
	r.mu.Unlock()
	return do()
}

// Start tells the extensions that the session has begun: reason is startup,
// reload, new, resume or fork.
func (r *Runner) Start(ctx context.Context, reason, previous string) {
	ev := map[string]any{"type": "session_start", "reason": reason}
	if previous != "" {
		ev["previousSessionFile"] = previous
	}
	r.emit(ctx, "session_start", ev, nil)
}

// Shutdown tells the extensions that the session is over: reason is quit,
// reload, new, resume or fork. They are closed with Close.
func (r *Runner) Shutdown(ctx context.Context, reason, target string) {
	ev := map[string]any{"type": "session_shutdown", "reason": reason}
	if target != "" {
		ev["targetSessionFile"] = target
	}
	r.emit(ctx, "session_shutdown", ev, nil)
}

// Found are files of resources that extensions bring along.
type Found struct {
	Skills  []string `json:"skillPaths"`
	Prompts []string `json:"promptPaths"`
	Themes  []string `json:"themePaths"`
}

// Discover asks for resources; reason is startup or reload.
func (r *Runner) Discover(ctx context.Context, reason string) Found {
	var all Found
	r.emit(ctx, "resources_discover", map[string]any{"type": "resources_discover", "cwd": r.o.CWD, "reason": reason}, func(raw json.RawMessage, err error) bool {
		var f Found
		if err == nil && json.Unmarshal(raw, &f) == nil {
			all.Skills, all.Prompts, all.Themes = append(all.Skills, f.Skills...), append(all.Prompts, f.Prompts...), append(all.Themes, f.Themes...)
		}
		return true
	})
	return all
}

// ProjectTrust asks whether what the project brings may be used. decided is
// false if no extension wants to say.
func (r *Runner) ProjectTrust(ctx context.Context) (trusted, remember, decided bool) {
	r.emit(ctx, "project_trust", map[string]any{"type": "project_trust", "cwd": r.o.CWD}, func(raw json.RawMessage, err error) bool {
		var a struct {
			Trusted  string `json:"trusted"`
			Remember bool   `json:"remember"`
		}
		if err != nil || json.Unmarshal(raw, &a) != nil || a.Trusted != "yes" && a.Trusted != "no" {
			return true
		}
		trusted, remember, decided = a.Trusted == "yes", a.Remember, true
		return false
	})
	return trusted, remember, decided
}

func (r *Runner) cancelled(ctx context.Context, event string, ev map[string]any) bool {
	cancelled := false
	ev["type"] = event
	r.emit(ctx, event, ev, func(raw json.RawMessage, err error) bool {
		var a struct {
			Cancel bool `json:"cancel"`
		}
		if err == nil && json.Unmarshal(raw, &a) == nil && a.Cancel {
			cancelled = true
		}
		return !cancelled
	})
	return cancelled
}

// BeforeSwitch reports whether an extension keeps the user from leaving the
// session; reason is new or resume.
func (r *Runner) BeforeSwitch(ctx context.Context, reason, target string) bool {
	ev := map[string]any{"reason": reason}
	if target != "" {
		ev["targetSessionFile"] = target
	}
	return r.cancelled(ctx, "session_before_switch", ev)
}

// BeforeFork reports whether an extension keeps the user from forking; position
// is before or at.
func (r *Runner) BeforeFork(ctx context.Context, entryID, position string) bool {
	return r.cancelled(ctx, "session_before_fork", map[string]any{"entryId": entryID, "position": position})
}

// CacheWarming asks whether the provider's prompt cache is worth being kept warm;
// the last handler that says so decides. action is what would be done.
func (r *Runner) CacheWarming(ctx context.Context, warmCost, missCost, probability float64, action string) string {
	ev := map[string]any{"type": "cache_warming_decision", "warmCost": warmCost, "missCost": missCost, "continuationProbability": probability, "action": action}
	r.emit(ctx, "cache_warming_decision", ev, func(raw json.RawMessage, err error) bool {
		var a struct {
			Action string `json:"action"`
		}
		if err == nil && json.Unmarshal(raw, &a) == nil && (a.Action == "warm" || a.Action == "stop") {
			action = a.Action
		}
		return true
	})
	return action
}

// Input is what the user typed.
type Input struct {
	Content  []ai.Block
	Source   string // interactive, rpc or extension
	Delivery string // steer, followUp, or empty if the agent is idle
}

// Input lets extensions change what the user typed. handled is true if one of
// them has dealt with it.
func (r *Runner) Input(ctx context.Context, in Input) (content []ai.Block, handled bool) {
	content = in.Content
	for _, s := range (*r.subs.Load())["input"] {
		ev := map[string]any{"type": "input", "text": ai.ContentText(content), "source": in.Source}
		var images []ai.Block
		for _, b := range content {
			if _, ok := b.(*ai.Image); ok {
				images = append(images, b)
			}
		}
		if images != nil {
			ev["images"] = images
		}
		if in.Delivery != "" {
			ev["streamingBehavior"] = in.Delivery
		}
		raw, err := json.Marshal(ev)
		if err != nil {
			return content, false
		}
		out, err := r.call(ctx, s.ext, MethodEvent, EventCall{"input", s.handler, raw})
		var a eventAnswer
		var result struct {
			Action string          `json:"action"`
			Text   string          `json:"text"`
			Images json.RawMessage `json:"images"`
		}
		if err == nil && len(out) > 0 {
			err = json.Unmarshal(out, &a)
		}
		if err == nil && len(a.Result) > 0 {
			err = json.Unmarshal(a.Result, &result)
		}
		if err == nil && result.Images != nil {
			images, err = blocks(result.Images)
		}
		if err != nil {
			r.report(s.ext, "input", err)
			continue
		}
		switch result.Action {
		case "handled":
			return content, true
		case "transform":
			content = append(ai.TextBlocks(result.Text), images...)
		}
	}
	return content, false
}

// Commands returns the commands in the order they were registered. Names that
// several extensions want are told apart by :2, :3 and so on.
func (r *Runner) Commands() []*Command {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*Command
	for _, e := range r.exts {
		for _, c := range e.commands {
			named := *c
			named.own = c.Name
			for n := 2; slices.ContainsFunc(out, func(o *Command) bool { return o.Name == named.Name }); n++ {
				named.Name = fmt.Sprintf("%s:%d", c.Name, n)
			}
			out = append(out, &named)
		}
	}
	return out
}

// Command finds the command that a line "/name arguments" calls.
func (r *Runner) Command(line string) (c *Command, args string, ok bool) {
	name, found := strings.CutPrefix(line, "/")
	if !found {
		return nil, "", false
	}
	if i := strings.IndexAny(name, " \n\t"); i >= 0 {
		name, args = name[:i], strings.TrimLeft(name[i:], " \n\t")
	}
	for _, c := range r.Commands() {
		if c.Name == name {
			return c, args, true
		}
	}
	return nil, "", false
}

// Run runs a command and waits for it. A failure is told of with OnError, and
// returned.
func (r *Runner) Run(ctx context.Context, c *Command, args string) error {
	_, err := c.ext.call(ctx, 0, MethodCommand, commandCall{c.own, args})
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrGone) {
		r.report(c.ext, "command", err)
	}
	return err
}

// Shortcuts returns the keys that extensions want; of two that want the same
// the last wins.
func (r *Runner) Shortcuts() []Shortcut {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Shortcut
	for _, e := range r.exts {
		for _, s := range e.shortcuts {
			out = slices.DeleteFunc(out, func(o Shortcut) bool { return o.Key == s.Key })
			out = append(out, s)
		}
	}
	return out
}

// Press runs what a shortcut stands for.
func (r *Runner) Press(ctx context.Context, s Shortcut) {
	if _, err := s.ext.call(ctx, 0, MethodShortcut, map[string]string{"key": s.Key}); err != nil && ctx.Err() == nil {
		r.report(s.ext, "shortcut", err)
	}
}

// Flags returns the flags of the command line that extensions understand.
func (r *Runner) Flags() []Flag {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Flag
	for _, e := range r.exts {
		out = append(out, e.flags...)
	}
	return out
}

// SetFlags sets the values of the command line.
func (r *Runner) SetFlags(values map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.Flags = values
}

// Replaced has what extensions of a session that is over still ask for done in
// the session that took its place.
func (r *Runner) Replaced(by *Runner) { r.next.Store(by) }

func (r *Runner) current() *Runner {
	for {
		n := r.next.Load()
		if n == nil {
			return r
		}
		r = n
	}
}
