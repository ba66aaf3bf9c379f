// Command tau is a coding agent that lives in the terminal.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/cmd/tau/internal/headless"
	"tau/cmd/tau/internal/interactive"
	"tau/tui/term"
)

// version is set by the linker for releases.
var version = "0.1-dev"

func main() { os.Exit(run()) }

func run() int {
	o, err := cli.Parse(os.Args[1:])
	if err != nil {
		return fail(2, err)
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
	if o.ListModels {
		return headless.ListModels(a.Catalog, strings.Join(o.Messages, " "), os.Stdout)
	}
	terminal := term.IsTerminal(os.Stdin) && term.IsTerminal(os.Stdout)
	if o.Print || !terminal {
		return printMode(a)
	}
	if t := os.Getenv("TERM"); t == "dumb" {
		return fail(1, errors.New("this terminal (TERM=dumb) cannot place text on the screen; use tau -p \"…\""))
	}
	return interactive.Run(a)
}

func printMode(a *app.App) int {
	var stdin io.Reader
	if !term.IsTerminal(os.Stdin) {
		stdin = os.Stdin
	}
	prompts, err := headless.Prompts(stdin, a.Options.Files, a.Options.Messages)
	if err != nil {
		return fail(1, err)
	}
	if len(prompts) == 0 {
		return fail(1, errors.New("there is nothing to ask: give a prompt, as in tau -p \"…\", or pipe one in (see tau --help)"))
	}
	s, notes, err := a.Start()
	if err != nil {
		return fail(1, err)
	}
	for _, p := range a.Problems {
		fmt.Fprintln(os.Stderr, "tau:", p)
	}
	for _, n := range notes {
		fmt.Fprintln(os.Stderr, "tau:", n)
	}
	status := headless.Print(s, prompts, os.Stdout, os.Stderr)
	if err := s.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "tau:", err)
	}
	return status
}

func fail(status int, err error) int {
	fmt.Fprintln(os.Stderr, "tau:", err)
	return status
}
