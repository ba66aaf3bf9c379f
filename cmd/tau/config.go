package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/cmd/tau/internal/interactive"
	"tau/session/resources"
	"tau/tui/term"
	"tau/tui/text"
)

const configUsage = `tau config [-l]              switch extensions, skills, prompts and themes on and off
    -l, --local              begin with those of this project
    -a, --approve            trust what this folder brings, for this command (-na: do not)`

// configure is "tau config". It is not ok if the arguments are a message that
// only begins with that word.
func configure(args []string) (status int, ok bool) {
	if len(args) == 0 || args[0] != "config" {
		return 0, false
	}
	var o packArgs
	fs := pflag.NewFlagSet("config", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.BoolVarP(&o.local, "local", "l", false, "")
	fs.BoolVarP(&o.approve, "approve", "a", false, "")
	fs.BoolVar(&o.noApprove, "no-approve", false, "")
	list := args[1:]
	for i, a := range list {
		if a == "-na" {
			list[i] = "--no-approve"
		}
	}
	err := fs.Parse(list)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Println(configUsage)
		return 0, true
	case fs.NArg() > 0:
		return 0, false // "config the linter"
	case err != nil:
		return fail(2, fmt.Errorf("config: %w\n%s", err, configUsage)), true
	}
	a, err := app.New(cli.Options{Mode: "text", Approve: o.approve, NoApprove: o.noApprove}, version)
	if err != nil {
		return fail(1, err), true
	}
	defer a.Close()
	if o.local && !trusted(a, o) {
		return fail(1, errors.New("this folder is not trusted, so what it brings is not used; --approve does all the same")), true
	}
	if !term.IsTerminal(os.Stdin) || !term.IsTerminal(os.Stdout) {
		return listChoices(a, o.local), true
	}
	return interactive.Configure(a, o.local), true
}

// listChoices prints a line for each resource: on or off, kind, name, whose,
// where it comes from, path.
func listChoices(a *app.App, local bool) int {
	n := 0
	for _, c := range a.Choices() {
		if local && c.Source.Scope != resources.Project {
			continue
		}
		state := "off"
		if c.On {
			state = "on "
		}
		n++
		fmt.Println(text.Sanitize(fmt.Sprintf("%s  %-10s  %s  %s  %s  %s", state, c.Kind, c.Name, c.Source.Scope, c.Source.Source, c.Source.Path)))
	}
	if n == 0 {
		fmt.Println("there is nothing to switch; tau install brings packages")
	}
	if note := a.ProjectNote(); note != "" {
		fmt.Fprintln(os.Stderr, "tau:", text.Sanitize(note))
	}
	return 0
}
