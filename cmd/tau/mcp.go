package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/session/settings"
	"tau/tools/mcp"
	"tau/tui/text"
)

const mcpUsage = `mcp: say what to do
  tau mcp add <name> [flags] -- command [argument …]   a server that is a program
  tau mcp add <name> [flags] --url <address>           a server that is a service
      -l, --local              in .tau/mcp.json of this folder, not in your own
      --env NAME=value         for a program; may be repeated. ${NAME} stands for a variable of tau's own
      --cwd folder             where the program runs
      --header NAME=value      for a service; may be repeated
      --bearer-token-env-var NAME    the variable that holds a service's token
      --oauth-client-id id, --oauth-client-secret secret, --oauth-callback-port port,
      --oauth-client-name name, --oauth-client-registration auto|cimd|dcr, --oauth-scope "a b"
      --exposure direct|deferred|hidden    tools declared at once, when searched for, or not at all
      --description text, --timeout seconds
  tau mcp remove <name> [-l]
  tau mcp list [--json]        connect to all and say how it went; status 1 if one is not well
  tau mcp login <name> [-l] [--timeout seconds] [--no-browser]
  tau mcp logout <name> [-l]`

// mcpArgs are the arguments of "tau mcp".
type mcpArgs struct {
	what, name      string
	command         []string
	local, json     bool
	url, cwd        string
	env, headers    []string
	bearer          string
	id, secret      string
	port            int
	client, reg     string
	scope           string
	exposure, about string
	timeout         int
	noBrowser       bool
}

func parseMCP(args []string) (mcpArgs, error) {
	var a mcpArgs
	bad := func(err error) (mcpArgs, error) {
		return a, fmt.Errorf("mcp: %w\n%s", err, strings.TrimPrefix(mcpUsage, "mcp: say what to do\n"))
	}
	if len(args) == 0 {
		return a, errors.New(mcpUsage)
	}
	fs := pflag.NewFlagSet("mcp", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	switch a.what = args[0]; a.what {
	case "add":
		fs.StringVar(&a.url, "url", "", "")
		fs.StringVar(&a.cwd, "cwd", "", "")
		fs.StringArrayVar(&a.env, "env", nil, "")
		fs.StringArrayVar(&a.headers, "header", nil, "")
		fs.StringVar(&a.bearer, "bearer-token-env-var", "", "")
		fs.StringVar(&a.id, "oauth-client-id", "", "")
		fs.StringVar(&a.secret, "oauth-client-secret", "", "")
		fs.IntVar(&a.port, "oauth-callback-port", 0, "")
		fs.StringVar(&a.client, "oauth-client-name", "", "")
		fs.StringVar(&a.reg, "oauth-client-registration", "", "")
		fs.StringVar(&a.scope, "oauth-scope", "", "")
		fs.StringVar(&a.exposure, "exposure", "", "")
		fs.StringVar(&a.about, "description", "", "")
		fs.IntVar(&a.timeout, "timeout", 0, "")
		fs.BoolVarP(&a.local, "local", "l", false, "")
	case "remove", "logout":
		fs.BoolVarP(&a.local, "local", "l", false, "")
	case "login":
		fs.BoolVarP(&a.local, "local", "l", false, "")
		fs.IntVar(&a.timeout, "timeout", 300, "")
		fs.BoolVar(&a.noBrowser, "no-browser", false, "")
	case "list":
		fs.BoolVar(&a.json, "json", false, "")
	default:
		return a, errors.New(mcpUsage)
	}
	if err := fs.Parse(args[1:]); err != nil {
		return bad(err)
	}
	rest := fs.Args()
	if dash := fs.ArgsLenAtDash(); dash >= 0 {
		rest, a.command = rest[:dash], rest[dash:]
	}
	if a.what == "list" {
		if len(rest) > 0 {
			return bad(errors.New("list takes no names"))
		}
		return a, nil
	}
	if len(rest) == 0 || rest[0] == "" {
		return bad(errors.New("give a name"))
	}
	if a.what == "add" && len(a.command) == 0 {
		a.command, rest = rest[1:], rest[:1] // without the two dashes
	}
	if len(rest) != 1 {
		return bad(fmt.Errorf("%q is one name too many", rest[1]))
	}
	a.name = rest[0]
	if a.what == "add" && (len(a.command) == 0) == (a.url == "") {
		return bad(errors.New("give either a command after -- or --url"))
	}
	if a.timeout < 0 || a.timeout > 86400 {
		return bad(errors.New("--timeout is in seconds, at most a day"))
	}
	return a, nil
}

// servers is "tau mcp".
func servers(args []string) int {
	o, err := parseMCP(args)
	if err != nil {
		return fail(2, err)
	}
	a, err := app.New(cli.Options{Mode: "text"}, version)
	if err != nil {
		return fail(1, err)
	}
	defer a.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	path := a.UserServers()
	if o.local {
		path = a.ProjectServers()
	}
	switch o.what {
	case "add":
		err = addServer(a, o, path)
	case "remove":
		var was bool
		if was, err = settings.Remove(path, settings.Pointer("mcpServers", o.name)); err == nil && !was {
			err = fmt.Errorf("there is no server %q in %s", o.name, path)
		}
		if err == nil {
			a.KeepTrust()
			fmt.Println("removed from", path)
		}
	case "list":
		return listServers(ctx, a, o.json)
	default:
		err = signServer(ctx, a, o)
	}
	if err != nil {
		return fail(1, errors.New(text.Sanitize(err.Error())))
	}
	return 0
}

func addServer(a *app.App, o mcpArgs, path string) error {
	entry, err := o.entry()
	if err != nil {
		return err
	}
	// What is written must be what is read.
	b, err := json.Marshal(map[string]any{o.name: entry})
	if err != nil {
		return err
	}
	scope := mcp.User
	if o.local {
		scope = mcp.Project
	}
	if _, problems := mcp.Entries(b, scope); len(problems) > 0 {
		return problems[0]
	}
	have, _ := mcp.Load(mcp.File{Path: path, Scope: scope})
	for _, s := range have {
		if s.Name == o.name {
			return fmt.Errorf("there is a server %q in %s already; tau mcp remove %s", o.name, path, o.name)
		}
	}
	if err := settings.Set(path, settings.Pointer("mcpServers", o.name), entry); err != nil {
		return err
	}
	fmt.Println("added to", path)
	if o.local && !a.KeepTrust() {
		fmt.Println("it is used once this folder is trusted: /trust in the agent, or --approve")
	}
	return nil
}

// entry is the server as mcp.json has it.
func (o mcpArgs) entry() (map[string]any, error) {
	e := map[string]any{}
	put := func(m map[string]any, key string, value any, there bool) {
		if there {
			m[key] = value
		}
	}
	pairs := func(list []string, what string) (map[string]string, error) {
		m := map[string]string{}
		for _, kv := range list {
			k, v, ok := strings.Cut(kv, "=")
			if !ok || k == "" {
				return nil, fmt.Errorf("%s %q: it must be NAME=value", what, kv)
			}
			m[k] = v
		}
		return m, nil
	}
	env, err := pairs(o.env, "--env")
	if err != nil {
		return nil, err
	}
	headers, err := pairs(o.headers, "--header")
	if err != nil {
		return nil, err
	}
	if o.bearer != "" {
		headers["Authorization"] = "Bearer ${" + o.bearer + "}"
	}
	oauth := map[string]any{}
	put(oauth, "clientId", o.id, o.id != "")
	put(oauth, "clientSecret", o.secret, o.secret != "")
	put(oauth, "callbackPort", o.port, o.port != 0)
	put(oauth, "clientName", o.client, o.client != "")
	put(oauth, "clientRegistration", o.reg, o.reg != "")
	put(oauth, "scope", o.scope, o.scope != "")
	if o.url != "" && (len(env) > 0 || o.cwd != "") || o.url == "" && (len(headers) > 0 || len(oauth) > 0) {
		return nil, errors.New("--env and --cwd are for programs, --header, --bearer-token-env-var and --oauth-… for services")
	}
	if o.url == "" {
		e["command"] = o.command[0]
		put(e, "args", o.command[1:], len(o.command) > 1)
	}
	put(e, "url", o.url, o.url != "")
	put(e, "env", env, len(env) > 0)
	put(e, "cwd", o.cwd, o.cwd != "")
	put(e, "headers", headers, len(headers) > 0)
	put(e, "oauth", oauth, len(oauth) > 0)
	put(e, "exposure", o.exposure, o.exposure != "")
	put(e, "description", o.about, o.about != "")
	put(e, "timeout", o.timeout*1000, o.timeout > 0)
	return e, nil
}

// listedServer is a server as "tau mcp list --json" has it.
type listedServer struct {
	Name     string                    `json:"name"`
	Scope    mcp.Scope                 `json:"scope"`
	Path     string                    `json:"path"`
	Type     string                    `json:"type"`
	Target   string                    `json:"target"`
	Enabled  bool                      `json:"enabled"`
	Exposure mcp.Exposure              `json:"exposure"`
	Status   mcp.State                 `json:"status"`
	Error    string                    `json:"error,omitempty"`
	Server   string                    `json:"server,omitempty"` // what it calls itself
	Tools    map[mcp.Exposure][]string `json:"tools"`
}

func listServers(ctx context.Context, a *app.App, asJSON bool) int {
	hub, problems := a.AllServers(true)
	defer hub.Close()
	hub.WaitConnected(ctx)
	status := 0
	out := []listedServer{}
	for _, s := range hub.Status() {
		l := listedServer{
			Name: s.Name, Scope: s.Scope, Path: s.Path, Type: "stdio", Target: s.Target(), Enabled: !s.Disabled,
			Exposure: s.Exposure, Status: s.State, Error: s.Err, Server: s.Title, Tools: s.Tools,
		}
		if s.URL != "" {
			l.Type = "http"
		}
		if s.State != mcp.Connected && s.State != mcp.Disabled {
			status = 1
		}
		out = append(out, l)
	}
	for _, p := range problems {
		status = 1
		fmt.Fprintln(os.Stderr, "tau:", text.Sanitize(p.Error()))
	}
	if asJSON {
		b, err := json.MarshalIndent(out, "", "  ")
		if err != nil {
			return fail(1, err)
		}
		fmt.Println(string(b))
		return status
	}
	if len(out) == 0 && len(problems) == 0 {
		fmt.Println("there are no servers; tau mcp add names one")
	}
	for _, l := range out {
		line := fmt.Sprintf("%s  %s  %s  %s", l.Name, l.Status, l.Scope, l.Target)
		if n := len(l.Tools[mcp.Direct]) + len(l.Tools[mcp.Deferred]); n > 0 {
			line += fmt.Sprintf("  %d tools (%s)", n, l.Exposure)
		}
		if l.Error != "" {
			line += "\n    " + l.Error
		}
		fmt.Println(text.Sanitize(line))
	}
	if note := a.ProjectNote(); note != "" {
		fmt.Fprintln(os.Stderr, "tau:", note)
	}
	return status
}

// signServer is login and logout.
func signServer(ctx context.Context, a *app.App, o mcpArgs) error {
	hub, _ := a.AllServers(false)
	defer hub.Close()
	if o.local {
		found := false
		for _, s := range hub.Status() {
			found = found || s.Name == o.name && s.Scope == mcp.Project
		}
		if !found {
			return fmt.Errorf("there is no server %q in %s, or this folder is not trusted", o.name, a.ProjectServers())
		}
	}
	if o.what == "logout" {
		was, err := hub.Logout(ctx, o.name)
		if err == nil {
			fmt.Println(map[bool]string{true: "removed", false: "nothing was stored"}[was])
		}
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(o.timeout)*time.Second)
	defer cancel()
	if err := hub.Login(ctx, o.name, &guide{browse: !o.noBrowser, in: os.Stdin}); err != nil {
		return err
	}
	fmt.Println("signed in")
	return nil
}
