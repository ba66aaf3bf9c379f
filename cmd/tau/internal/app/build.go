package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/ai/demo"
	"tau/cmd/tau/internal/subagent"
	"tau/session"
	"tau/session/compaction"
	"tau/session/extension"
	"tau/session/prompt"
	"tau/session/settings"
	"tau/session/store"
	"tau/tools"
)

func (a *App) session(st *store.Store) (*session.Session, []string, error) {
	if _, err := a.prepare(); err != nil {
		return nil, nil, err
	}
	m, level, notes, err := a.chooseModel(st)
	if err != nil {
		return nil, nil, err
	}
	return a.build(st, m, level), notes, nil
}

func (a *App) build(st *store.Store, m *ai.Model, level ai.ThinkingLevel) *session.Session {
	ext, err := a.prepare()
	if err != nil {
		// What was fatal at the start is a pity later.
		a.Problems = append(a.Problems, err)
		ext = extension.NewRunner(a.runnerOptions())
	}
	var self caller
	active := a.activeTools(m, ext, &self)
	live := a.livePrompt(active)
	link := a.link(active)
	retry := session.DefaultRetry()
	r := a.Settings.Retry
	retry.Off = !settings.Or(r.Enabled, true)
	retry.Max = settings.Or(r.MaxRetries, retry.Max)
	retry.Base = time.Duration(settings.Or(r.BaseDelayMs, retry.Base.Milliseconds())) * time.Millisecond
	retry.Cap = time.Duration(settings.Or(r.MaxAgentDelayMs, retry.Cap.Milliseconds())) * time.Millisecond
	s := session.New(session.Options{
		Store: st, CWD: a.CWD, Model: m, Thinking: level, Stream: a.stream, Tools: link.tools(), APIKey: a.auth, Ready: link.ready,
		Prompt: func(tools []*agent.Tool) ai.Sections { return live.sections(tools, link.section()) },
		Expand: a.expand, BlockImages: a.Settings.Images.BlockImages, Retry: retry, Request: a.request(),
		Compaction: compaction.FromSettings(a.Settings.Compaction), SummaryModel: a.summaryModel(),
		BranchReserve: settings.Or(a.Settings.BranchSummary.ReserveTokens, 0),
		SteeringMode:  agent.QueueMode(a.Settings.SteeringMode), FollowUpMode: agent.QueueMode(a.Settings.FollowUpMode),
		Shell: a.shell(), BeforeToolCall: a.BeforeToolCall, Hooks: hooks(ext),
	})
	a.bind(s, ext)
	link.bind(s)
	self.Store(s)
	return s
}

// hooks are those of the extensions, if there are any: a session without pays
// nothing.
func hooks(r *extension.Runner) session.Hooks {
	if r.Empty() {
		return nil
	}
	return r
}

// stream asks a model.
func (a *App) stream(ctx context.Context, m *ai.Model, req ai.Request, o ai.Options) iter.Seq[ai.Event] {
	if s := a.streamOf(m); s != nil {
		return s(ctx, m, req, o)
	}
	return a.registry.Stream(ctx, m, req, o)
}

// shell runs the commands that the user types, in the folder of the session.
func (a *App) shell() session.ShellFunc {
	set := a.toolSet()
	return func(ctx context.Context, command string, delta func(string)) (session.ShellResult, error) {
		out, err := set.Run(ctx, command, delta)
		return session.ShellResult{
			Output: out.Text, ExitCode: out.ExitCode, Cancelled: out.Cancelled, Truncated: out.Truncated, FullOutputPath: out.FullOutputPath,
		}, err
	}
}

// summaryModel is the model of the setting compaction.model, or nil.
func (a *App) summaryModel() *ai.Model {
	ref := a.Settings.Compaction.Model
	if ref == "" {
		return nil
	}
	m, _, err := a.FindModel(ref)
	if err == nil {
		err = a.Ready(m)
	}
	if err != nil {
		a.Problems = append(a.Problems, fmt.Errorf("the setting compaction.model: %w", err))
		return nil
	}
	return m
}

func (a *App) request() ai.Options {
	var o ai.Options
	if len(a.Settings.ThinkingBudgets) > 0 {
		o.Budgets = map[ai.ThinkingLevel]int64{}
		for l, n := range a.Settings.ThinkingBudgets {
			o.Budgets[ai.ThinkingLevel(l)] = n
		}
	}
	if os.Getenv("TAU_CACHE_RETENTION") == "long" {
		o.Cache = ai.CacheLong
	}
	var ms float64
	if raw := a.Settings.HTTPIdleTimeoutMs; len(raw) > 0 && json.Unmarshal(raw, &ms) == nil && ms > 0 {
		o.IdleTimeout = time.Duration(ms) * time.Millisecond
	} else if string(raw) == `"disabled"` {
		o.IdleTimeout = -1
	}
	return o
}

// isDemo reports whether a model needs no key.
func isDemo(m *ai.Model) bool { return m.API == demo.API }

// auth finds the credentials for a request.
func (a *App) auth(ctx context.Context, m *ai.Model) (agent.Auth, error) {
	if isDemo(m) || m.API == extension.VirtualAPI {
		return agent.Auth{}, nil
	}
	got, err := a.Keys.Resolve(ctx, m.Provider)
	if err != nil {
		return agent.Auth{}, &ai.Failure{Class: ai.FailAuth, Message: err.Error()}
	}
	headers := got.Headers
	if len(m.Headers) > 0 {
		own, err := a.Keys.Expand(ctx, m.Headers, got.Env)
		if err != nil {
			return agent.Auth{}, &ai.Failure{Class: ai.FailAuth, Message: err.Error()}
		}
		headers = own
		for k, v := range got.Headers {
			headers[k] = v
		}
	}
	return agent.Auth{Key: got.Key, Headers: headers, Env: got.Env}, nil
}

// toolSet returns the tools that work in the folder of the session.
func (a *App) toolSet() *tools.Set {
	if a.tools[a.CWD] == nil {
		if a.tools == nil {
			a.tools = map[string]*tools.Set{}
		}
		a.tools[a.CWD] = tools.New(tools.Options{
			CWD: a.CWD, ShellPath: a.Settings.ShellPath, CommandPrefix: a.Settings.ShellCommandPrefix,
			LeaveRunning: a.Settings.LeaveBackgroundJobs,
		})
	}
	return a.tools[a.CWD]
}

// activeTools applies the settings and flags to the tools there are.
func (a *App) activeTools(m *ai.Model, r *extension.Runner, self *caller) []*agent.Tool {
	builtin := a.toolSet().All()
	all := r.Tools(builtin)
	names := []string{"read", "bash", "edit", "write"}
	if isDemo(m) {
		// The demo has no other way to show what the search tools do.
		names = nil
		for _, t := range builtin {
			names = append(names, t.Name)
		}
	}
	names = selection(names, a.Settings.DefaultTools)
	if a.Options.NoBuiltinTools {
		names = nil
	}
	names = append(names, r.Added()...)
	names = selection(names, a.Options.Tools)
	if a.Options.NoTools {
		names = nil
	}
	var out []*agent.Tool
	for _, t := range all {
		if named(names, t.Name) && !named(a.Options.ExcludeTools, t.Name) {
			out = append(out, t)
		}
	}
	if named(names, subagent.Name) && !named(a.Options.ExcludeTools, subagent.Name) && subagent.Offered() {
		out = append(out, a.subagents(self))
	}
	for _, n := range slices.Concat(a.Options.Tools, a.Options.ExcludeTools) {
		n = strings.TrimLeft(n, "+-")
		if ofServers(n) || n == subagent.Name {
			continue // known without being there
		}
		if !slices.ContainsFunc(all, func(t *agent.Tool) bool { return named([]string{n}, t.Name) }) {
			a.Problems = append(a.Problems, fmt.Errorf("there is no tool %q", n))
		}
	}
	return out
}

// named reports whether one of the names, in which * stands for anything, is
// that of a tool.
func named(names []string, tool string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		ok, err := path.Match(n, tool)
		return ok && err == nil
	})
}

// selection applies a list of names, which replaces, or of +name and -name,
// which adds and removes.
func selection(names, change []string) []string {
	if len(change) == 0 {
		return names
	}
	plain := slices.ContainsFunc(change, func(s string) bool { return !strings.HasPrefix(s, "+") && !strings.HasPrefix(s, "-") })
	out := slices.Clone(names)
	if plain {
		out = nil
	}
	for _, c := range change {
		switch {
		case strings.HasPrefix(c, "-"):
			out = slices.DeleteFunc(out, func(s string) bool { return s == c[1:] })
		case !slices.Contains(out, strings.TrimPrefix(c, "+")):
			out = append(out, strings.TrimPrefix(c, "+"))
		}
	}
	return out
}

// livePrompt is the prompt of a session with the tools.
func (a *App) livePrompt(active []*agent.Tool) *livePrompt {
	a.live = &livePrompt{tools: active}
	in := a.promptInput(active)
	a.live.in.Store(&in)
	return a.live
}

// expand puts a template or skill in place of a message that calls it.
func (a *App) expand(text string) (string, error) { return a.Resources().Expand(text) }

// promptInput reads the files that go into the system prompt.
func (a *App) promptInput(active []*agent.Tool) prompt.Input {
	in := prompt.Input{Tools: active, CWD: a.CWD}
	if slices.ContainsFunc(active, func(t *agent.Tool) bool { return t.Name == "read" || t.Name == "bash" }) {
		in.Skills = a.Resources().Prompt()
	}
	system, add := a.systemFiles()
	if in.Custom = textOrFile(a.Options.System); in.Custom == "" {
		in.Custom = system
	}
	if len(a.Options.AppendSystem) > 0 {
		for _, t := range a.Options.AppendSystem {
			in.Append = append(in.Append, textOrFile(t))
		}
	} else if add != "" {
		in.Append = []string{add}
	}
	if !a.Options.NoContext {
		files, problems := prompt.ContextFiles(a.AgentDir, a.CWD)
		in.Files = files
		a.Problems = append(a.Problems, problems...)
	}
	return in
}

// systemFiles reads SYSTEM.md and APPEND_SYSTEM.md, each of the project if it is
// there and the project is trusted, else of the user.
func (a *App) systemFiles() (system, add string) {
	dirs := []string{a.AgentDir}
	if a.Trust.Trusted {
		dirs = []string{filepath.Join(a.CWD, ProjectDir), a.AgentDir}
	}
	for _, dir := range dirs {
		s, more, err := prompt.SystemFiles(dir)
		if err != nil {
			a.Problems = append(a.Problems, err)
		}
		system, add = cmp.Or(system, s), cmp.Or(add, more)
	}
	return system, add
}

func textOrFile(s string) string {
	if s != "" && len(s) < 4096 && !strings.Contains(s, "\n") {
		if b, err := os.ReadFile(expandHome(s)); err == nil {
			return string(b)
		}
	}
	return s
}
