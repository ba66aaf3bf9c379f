// Package app puts the parts together: settings, models, keys, tools and a
// session, as the command line and the files of the user say.
//
// Nothing here talks to the user. What is wrong but not fatal is collected in
// Problems and shown by the mode that runs.
package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/ai/anthropic"
	"tau/ai/bedrock"
	"tau/ai/catalog"
	"tau/ai/credentials"
	"tau/ai/demo"
	"tau/ai/google"
	"tau/ai/mistral"
	"tau/ai/openai"
	"tau/ai/responses"
	"tau/cmd/tau/internal/cli"
	"tau/session"
	"tau/session/compaction"
	"tau/session/library"
	"tau/session/prompt"
	"tau/session/settings"
	"tau/session/store"
	"tau/tools"
)

// App is a configured program.
type App struct {
	Options  cli.Options
	Version  string
	AgentDir string
	CWD      string
	Settings settings.Settings
	Catalog  *catalog.Catalog
	Keys     *credentials.Resolver
	Library  library.Library
	Problems []error

	registry ai.Registry
	tools    *tools.Set
}

// New reads the user's files. Only a folder that cannot be worked in is an
// error.
func New(o cli.Options, version string) (*App, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("the working folder is gone: %w", err)
	}
	a := &App{Options: o, Version: version, CWD: library.RealCWD(cwd), AgentDir: agentDir()}
	a.Settings, _ = a.loadSettings()
	a.Keys = &credentials.Resolver{Store: credentials.NewStore(filepath.Join(a.AgentDir, "auth.json")), APIKey: o.APIKey}
	a.Keys.Configured = func(provider string) credentials.Config {
		p := a.Catalog.Provider(provider)
		return credentials.Config{APIKey: p.APIKey, Headers: p.Headers, AuthHeader: p.AuthHeader}
	}
	a.Catalog, err = catalog.Open(catalog.Options{Path: filepath.Join(a.AgentDir, "models.json"), HasCredentials: a.Keys.Has})
	if err != nil {
		a.Problems = append(a.Problems, err)
	}
	a.Library = a.library()
	play := demo.New(demo.DefaultPace)
	if o.Script != "" {
		if play, err = demo.Script(o.Script); err != nil {
			return nil, err
		}
	}
	a.registry.Register("anthropic-messages", func() ai.StreamFunc { return anthropic.Stream })
	a.registry.Register(openai.CompletionsAPI, func() ai.StreamFunc { return openai.Completions })
	a.registry.Register(responses.API, func() ai.StreamFunc { return responses.Stream })
	a.registry.Register(responses.AzureAPI, func() ai.StreamFunc { return responses.Azure })
	a.registry.Register(google.API, func() ai.StreamFunc { return google.Stream })
	a.registry.Register(google.VertexAPI, func() ai.StreamFunc { return google.Vertex })
	a.registry.Register(bedrock.API, func() ai.StreamFunc { return bedrock.Stream })
	a.registry.Register(mistral.API, func() ai.StreamFunc { return mistral.Stream })
	a.registry.Register(demo.API, func() ai.StreamFunc { return play })
	return a, nil
}

func agentDir() string {
	if dir := os.Getenv("TAU_AGENT_DIR"); dir != "" {
		return expandHome(dir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, ".tau", "agent")
}

func expandHome(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, path[1:])
		}
	}
	return path
}

func (a *App) loadSettings() (settings.Settings, []settings.Problem) {
	s, problems := settings.Load(a.SettingsPath())
	for _, p := range problems {
		a.Problems = append(a.Problems, p)
	}
	return s, problems
}

// SettingsPath is the user's settings.json.
func (a *App) SettingsPath() string { return filepath.Join(a.AgentDir, "settings.json") }

func (a *App) library() library.Library {
	for _, dir := range []string{a.Options.SessionDir, os.Getenv("TAU_SESSION_DIR"), a.Settings.SessionDir} {
		if dir != "" {
			dir = expandHome(dir)
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(a.CWD, dir)
			}
			return library.Library{Base: dir, Flat: true}
		}
	}
	return library.Library{Base: filepath.Join(a.AgentDir, "sessions")}
}

// Start opens the conversation that the options ask for and returns a session
// with its model. notes are for the user.
func (a *App) Start() (s *session.Session, notes []string, err error) {
	st, notes, err := a.open()
	if err != nil {
		return nil, nil, err
	}
	s, more, err := a.session(st)
	if err != nil {
		_ = st.Close()
		return nil, nil, err
	}
	if a.Options.Name != "" {
		s.SetName(a.Options.Name)
	}
	return s, append(notes, more...), nil
}

// Fresh begins a new conversation with the model and level of the old one.
func (a *App) Fresh(old *session.Session) (*session.Session, error) {
	st := a.create("")
	return a.build(st, old.Model(), old.Thinking()), nil
}

// Open opens the session in a file, with the model it had.
func (a *App) Open(path string) (*session.Session, []string, error) {
	st, notes, err := a.load(library.Ref{Path: path})
	if err != nil {
		return nil, nil, err
	}
	s, more, err := a.session(st)
	if err != nil {
		_ = st.Close()
		return nil, nil, err
	}
	return s, append(notes, more...), nil
}

// Adopt makes a session of a store, with the model and level of another.
func (a *App) Adopt(st *store.Store, like *session.Session) *session.Session {
	return a.build(st, like.Model(), like.Thinking())
}

func (a *App) create(id string) *store.Store {
	h := store.Header{CWD: a.CWD, ID: id}
	if h.ID == "" {
		h.ID = store.NewSessionID()
	}
	if a.Options.NoSession {
		return store.Create("", h)
	}
	return store.Create(a.Library.NewPath(a.CWD, h.ID, time.Now()), h)
}

func (a *App) open() (*store.Store, []string, error) {
	o := a.Options
	var ref library.Ref
	var err error
	switch {
	case o.NoSession:
		return a.create(""), nil, nil
	case o.Continue:
		if ref, err = a.Library.Recent(a.CWD); errors.Is(err, library.ErrNone) {
			return a.create(""), []string{"There is no session in this folder yet; this is a new one."}, nil
		}
	case o.SessionID != "":
		if !library.ValidID(o.SessionID) {
			return nil, nil, fmt.Errorf("--session-id %q: an id has letters, digits, dots, dashes and underscores, and begins and ends with a letter or digit", o.SessionID)
		}
		if ref, err = a.Library.Find(a.CWD, o.SessionID); err != nil || ref.ID != o.SessionID {
			return a.create(o.SessionID), nil, nil
		}
	case o.Session != "":
		if strings.ContainsAny(o.Session, `/\`) || strings.HasSuffix(o.Session, ".jsonl") {
			ref.Path = expandHome(o.Session)
		} else {
			ref, err = a.Library.Find(a.CWD, o.Session)
		}
	default:
		return a.create(""), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return a.load(ref)
}

func (a *App) load(ref library.Ref) (*store.Store, []string, error) {
	st, err := store.Open(ref.Path)
	if err != nil {
		return nil, nil, err
	}
	if err := st.Acquire(); err != nil {
		_ = st.Close()
		return nil, nil, err
	}
	notes := st.Problems()
	if cwd := st.Header().CWD; cwd != "" && library.RealCWD(cwd) != a.CWD {
		if info, err := os.Stat(cwd); err == nil && info.IsDir() {
			a.CWD = library.RealCWD(cwd)
			notes = append(notes, "This session works in "+cwd+".")
		} else {
			notes = append(notes, fmt.Sprintf("The folder of this session, %s, is gone; it goes on in %s.", cwd, a.CWD))
		}
	}
	return st, notes, nil
}

func (a *App) session(st *store.Store) (*session.Session, []string, error) {
	m, level, notes, err := a.chooseModel(st)
	if err != nil {
		return nil, nil, err
	}
	return a.build(st, m, level), notes, nil
}

func (a *App) build(st *store.Store, m *ai.Model, level ai.ThinkingLevel) *session.Session {
	if a.tools == nil {
		a.tools = tools.New(tools.Options{
			CWD: a.CWD, ShellPath: a.Settings.ShellPath, CommandPrefix: a.Settings.ShellCommandPrefix,
		})
	}
	active := a.activeTools(m)
	in := a.promptInput(active)
	retry := session.DefaultRetry()
	r := a.Settings.Retry
	if !settings.Or(r.Enabled, true) {
		retry.Max = 0
	} else {
		retry.Max = settings.Or(r.MaxRetries, retry.Max)
	}
	retry.Base = time.Duration(settings.Or(r.BaseDelayMs, retry.Base.Milliseconds())) * time.Millisecond
	retry.Cap = time.Duration(settings.Or(r.MaxAgentDelayMs, retry.Cap.Milliseconds())) * time.Millisecond
	s := session.New(session.Options{
		Store: st, CWD: a.CWD, Model: m, Thinking: level, Stream: a.registry.Stream, Tools: active, APIKey: a.auth,
		Prompt: func([]*agent.Tool) ai.Sections { return prompt.Build(in) }, Retry: retry, Request: a.request(),
		Compaction:   compaction.FromSettings(a.Settings.Compaction),
		SteeringMode: agent.QueueMode(a.Settings.SteeringMode), FollowUpMode: agent.QueueMode(a.Settings.FollowUpMode),
	})
	return s
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
	if isDemo(m) {
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

// activeTools applies the settings and flags to the tools there are.
func (a *App) activeTools(m *ai.Model) []*agent.Tool {
	all := a.tools.All()
	names := []string{"read", "bash", "edit", "write"}
	if isDemo(m) {
		// The demo has no other way to show what the search tools do.
		names = nil
		for _, t := range all {
			names = append(names, t.Name)
		}
	}
	names = selection(names, a.Settings.DefaultTools)
	names = selection(names, a.Options.Tools)
	if a.Options.NoTools {
		names = nil
	}
	var out []*agent.Tool
	for _, t := range all {
		if slices.Contains(names, t.Name) && !slices.Contains(a.Options.ExcludeTools, t.Name) {
			out = append(out, t)
		}
	}
	for _, n := range slices.Concat(a.Options.Tools, a.Options.ExcludeTools) {
		n = strings.TrimLeft(n, "+-")
		if !slices.ContainsFunc(all, func(t *agent.Tool) bool { return t.Name == n }) {
			a.Problems = append(a.Problems, fmt.Errorf("there is no tool %q", n))
		}
	}
	return out
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

// promptInput reads the files that go into the system prompt.
func (a *App) promptInput(active []*agent.Tool) prompt.Input {
	in := prompt.Input{Tools: active, CWD: a.CWD}
	system, add, err := prompt.SystemFiles(a.AgentDir)
	if err != nil {
		a.Problems = append(a.Problems, err)
	}
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

func textOrFile(s string) string {
	if s != "" && len(s) < 4096 && !strings.Contains(s, "\n") {
		if b, err := os.ReadFile(expandHome(s)); err == nil {
			return string(b)
		}
	}
	return s
}

// Close ends what the tools have left running.
func (a *App) Close() {
	if a.tools != nil {
		a.tools.Close()
	}
}
