// Command tau is a coding agent that lives in the terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"tau/ai"
	"tau/cmd/tau/internal/acp"
	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/cmd/tau/internal/headless"
	"tau/cmd/tau/internal/interactive"
	"tau/cmd/tau/internal/plain"
	"tau/cmd/tau/internal/rpc"
	"tau/cmd/tau/internal/subagent"
	"tau/docs"
	"tau/session/finder"
	"tau/tui/term"
)

// version is set by the linker for releases.
var version = "0.1-dev"

func main() { os.Exit(run()) }

func run() int {
	subagent.FollowCaller()
	if len(os.Args) > 1 && os.Args[1] == "auth" {
		return auth(os.Args[2:])
	}
	if len(os.Args) > 1 && os.Args[1] == "models" {
		return models(os.Args[2:])
	}
	if len(os.Args) > 2 && os.Args[1] == "update" && os.Args[2] == "--models" {
		return models(append([]string{"refresh"}, os.Args[3:]...))
	}
	if len(os.Args) > 1 && os.Args[1] == "doctor" {
		return checkSessions(os.Args[2:])
	}
	if len(os.Args) > 1 && os.Args[1] == "help" {
		return help(os.Args[2:])
	}
	if status, ok := packs(os.Args[1:]); ok {
		return status
	}
	if status, ok := configure(os.Args[1:]); ok {
		return status
	}
	if len(os.Args) > 1 && os.Args[1] == "mcp" {
		return servers(os.Args[2:])
	}
	if len(os.Args) > 1 && os.Args[1] == "acp" {
		return serveACP(os.Args[2:])
	}
	o, err := cli.Parse(os.Args[1:])
	if err != nil {
		return fail(1, err) // as pi; scripts that drive it count on that
	}
	switch {
	case o.Help:
		fmt.Print(cli.Help())
		return 0
	case o.Version:
		fmt.Println("tau", version)
		return 0
	}
	a, err := app.New(o, version)
	if err != nil {
		return fail(1, err)
	}
	defer a.Close()
	if err := a.CheckFlags(); err != nil {
		return fail(1, err)
	}
	if o.ListModels {
		return headless.ListModels(a.Catalog, strings.Join(o.Messages, " "), os.Stdout)
	}
	if o.Export != "" {
		path, err := a.ExportFile(o.Export, strings.Join(o.Messages, ""))
		for _, p := range a.Problems {
			fmt.Fprintln(os.Stderr, "tau:", p)
		}
		if err != nil {
			return fail(1, err)
		}
		fmt.Println(path)
		return 0
	}
	if o.Mode == "rpc" {
		return rpc.Serve(a, os.Stdin, os.Stdout, os.Stderr)
	}
	terminal := term.IsTerminal(os.Stdin) && term.IsTerminal(os.Stdout)
	if o.Plain && !o.Print && o.Mode == "text" && o.JSONSchema == "" {
		return plain.Run(a, os.Stdin, os.Stdout)
	}
	if o.Print || o.Mode == "json" || o.JSONSchema != "" || !terminal {
		return printMode(a)
	}
	if t := os.Getenv("TERM"); t == "dumb" {
		return fail(1, errors.New("this terminal (TERM=dumb) cannot place text on the screen; use tau --plain, or tau -p \"…\""))
	}
	return interactive.Run(a)
}

// help is "tau help [topic]".
func help(args []string) int {
	if len(args) == 0 {
		fmt.Print(cli.Help())
		return 0
	}
	page, ok := docs.Page(args[0])
	if !ok {
		return fail(2, fmt.Errorf("there is no topic %q; there are %s", args[0], strings.Join(docs.Topics(), ", ")))
	}
	fmt.Print(page)
	return 0
}

func printMode(a *app.App) int {
	var stdin io.Reader
	if !term.IsTerminal(os.Stdin) {
		stdin = os.Stdin
	}
	var schema *headless.Schema
	if a.Options.JSONSchema != "" {
		var err error
		if schema, err = headless.ReadSchema(a.Options.JSONSchema); err != nil {
			return fail(1, err)
		}
	}
	prompts, err := headless.Prompts(stdin, a.Options.Files, a.Options.Messages, a.Attach)
	if err != nil {
		return fail(1, err)
	}
	if len(prompts) == 0 {
		return fail(1, errors.New("there is nothing to ask: give a prompt, as in tau -p \"…\", or pipe one in (see tau --help)"))
	}
	a.Front.Mode, a.Front.Output = "print", func(_, text string) { fmt.Fprint(os.Stderr, text) }
	if a.Options.Mode == "json" {
		a.Front.Mode = "json"
	}
	s, notes, err := a.Start()
	if err != nil {
		var mistake *cli.UsageError
		if errors.As(err, &mistake) {
			return fail(1, err)
		}
		return fail(1, err)
	}
	a.Begin(s, "startup", "")
	for _, p := range a.Problems {
		fmt.Fprintln(os.Stderr, "tau:", p)
	}
	if note := a.ProjectNote(); note != "" {
		notes = append(notes, note)
	}
	for _, n := range notes {
		fmt.Fprintln(os.Stderr, "tau:", n)
	}
	status := headless.Run{
		Session: s, Prompts: prompts, Out: os.Stdout, Errs: os.Stderr, JSON: a.Options.Mode == "json", Schema: schema,
		Intercept: func(ctx context.Context, content []ai.Block) ([]ai.Block, bool) {
			return a.Intercept(ctx, s, content, "interactive", "")
		},
	}.Do()
	a.End(s, "quit", nil)
	if err := s.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "tau:", err)
	}
	return status
}

// serveACP is "tau acp".
func serveACP(args []string) int {
	ask := slices.Contains(args, "--ask")
	o, err := cli.Parse(slices.DeleteFunc(args, func(a string) bool { return a == "--ask" }))
	switch {
	case err != nil:
		return fail(2, err)
	case o.Help:
		fmt.Print(cli.Help())
		return 0
	case o.Print || o.Mode != "text" || len(o.Messages) > 0 || len(o.Files) > 0:
		return fail(2, errors.New("acp takes no messages and no mode; the client sends them"))
	case o.Continue || o.Resume || o.Fork != "" || o.Session != "" || o.SessionID != "":
		return fail(2, errors.New("acp: the client chooses the session"))
	}
	return acp.Serve(acp.Config{Options: o, Version: version, Ask: ask}, os.Stdin, os.Stdout, os.Stderr)
}

// checkSessions is "tau doctor".
func checkSessions(args []string) int {
	repair := false
	args = slices.DeleteFunc(args, func(a string) bool {
		if a == "--repair" {
			repair = true
		}
		return a == "--repair"
	})
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			return fail(2, fmt.Errorf("doctor: unknown flag %s; there is --repair", arg))
		}
	}
	a, err := app.New(cli.Options{Mode: "text"}, version)
	if err != nil {
		return fail(1, err)
	}
	defer a.Close()
	var paths []string
	for _, arg := range args {
		ref, err := a.Find(arg)
		if err != nil {
			return fail(1, err)
		}
		paths = append(paths, ref.Path)
	}
	if len(args) == 0 {
		if paths, err = finder.Paths(a.Library, ""); err != nil {
			return fail(1, err)
		}
	}
	return headless.Doctor(paths, repair, os.Stdout, os.Stderr)
}

func fail(status int, err error) int {
	fmt.Fprintln(os.Stderr, "tau:", err)
	return status
}
