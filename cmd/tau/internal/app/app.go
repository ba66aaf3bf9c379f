// Package app puts the parts together: settings, models, keys, tools and a
// session, as the command line and the files of the user say.
//
// Nothing here talks to the user. What is wrong but not fatal is collected in
// Problems and shown by the mode that runs.
package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

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
	"tau/session/library"
	"tau/session/resources"
	"tau/session/settings"
	"tau/session/trust"
	"tau/tools"
)

// App is a configured program.
type App struct {
	Options  cli.Options
	Version  string
	AgentDir string
	CWD      string
	Settings settings.Settings // the user's, and the project's over them
	User     settings.Settings // the user's alone
	Trust    trust.Decision    // about the project in the working folder
	Catalog  *catalog.Catalog
	Keys     *credentials.Resolver
	Library  library.Library
	Problems []error
	// Ask puts a question with a few answers to the user while a session is
	// opened; nil if nobody is there. Any answer that is not one of the choices
	// cancels.
	Ask func(question string, choices []string) string

	// BeforeToolCall is asked before each call of the sessions that are opened
	// from here on; see session.Options.
	BeforeToolCall func(ctx context.Context, c agent.ToolContext) (*agent.Block, error)

	// Front is the mode, as extensions see it.
	Front Front

	ext       extensions
	fatal     []error // extensions of the command line that cannot be loaded
	registry  ai.Registry
	resources atomic.Pointer[resources.Set]
	trusted   map[string]bool       // what the user said in this run, by folder
	live      *livePrompt           // of the session that was built last
	tools     map[string]*tools.Set // by working folder
	servers   servers
}

// New reads the user's files. Only a folder that cannot be worked in is an
// error.
func New(o cli.Options, version string) (*App, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("the working folder is gone: %w", err)
	}
	return NewIn(cwd, o, version)
}

// NewIn is New for another folder than that of the process.
func NewIn(cwd string, o cli.Options, version string) (*App, error) {
	var err error
	a := &App{Options: o, Version: version, CWD: library.RealCWD(cwd), AgentDir: agentDir()}
	a.readFiles()
	a.readyScripts()
	a.Keys = &credentials.Resolver{Store: credentials.NewStore(filepath.Join(a.AgentDir, "auth.json")), APIKey: o.APIKey}
	a.Keys.Configured = func(provider string) credentials.Config {
		p := a.Catalog.Provider(provider)
		return credentials.Config{APIKey: p.APIKey, Headers: p.Headers, AuthHeader: p.AuthHeader}
	}
	a.Keys.Flow = func(provider string) *credentials.Flow {
		f, _ := a.Flow(provider) // said when one signs in
		return f
	}
	a.Catalog, err = catalog.Open(catalog.Options{
		Path: filepath.Join(a.AgentDir, "models.json"), Store: a.modelStore(), HasCredentials: a.Keys.Has,
	})
	if err != nil {
		a.Problems = append(a.Problems, err)
	}
	if a.Catalog != nil {
		for _, w := range a.Catalog.Warnings() {
			a.Problems = append(a.Problems, errors.New(w))
		}
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
	a.registry.Register(responses.CodexAPI, func() ai.StreamFunc { return responses.Codex })
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

// Close ends what the tools have left running.
func (a *App) Close() {
	for _, set := range a.tools {
		set.Close()
	}
	a.ext.mu.Lock()
	left := slices.Collect(maps.Values(a.ext.runners))
	if a.ext.loaded != nil {
		left = append(left, a.ext.loaded)
	}
	a.ext.runners, a.ext.loaded = nil, nil
	a.ext.mu.Unlock()
	for _, r := range left {
		r.Close()
	}
	a.closeServers()
}
