package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	pack "tau/session/packages"
	"tau/tui/term"
	"tau/tui/text"
)

const packUsage = `tau install <source> [-l]    a package: npm:name[@version], git:host/user/repo[@ref], an address, or a folder
tau remove <source> [-l]     also: uninstall
tau list                     the packages there are
tau update [source]          bring packages up to date, and install those that are missing
    -l, --local              in .tau of this folder, not in your agent folder
    -a, --approve            trust what this folder brings, for this command (-na: do not)
tau update --models          bring the list of models up to date`

// packArgs are the arguments of the commands about packages.
type packArgs struct {
	what, source               string
	local, approve, noApprove  bool
	all, extensions, force, me bool
}

// packs is "tau install", "remove", "list" and "update". It is not ok if the
// arguments are a message that only begins with such a word.
func packs(args []string) (status int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	switch args[0] {
	case "install", "remove", "uninstall", "list", "update":
	default:
		return 0, false
	}
	o, rest, err := parsePacks(args)
	most := 1
	if o.what == "list" {
		most = 0
	}
	if len(rest) > most {
		return 0, false // "list the files", "update the readme"
	}
	if err == nil && len(rest) == 0 && (o.what == "install" || o.what == "remove") {
		err = errors.New("give a package")
	}
	if err != nil {
		return fail(2, fmt.Errorf("%s: %w\n%s", args[0], err, packUsage)), true
	}
	if len(rest) == 1 && o.source == "" {
		o.source = rest[0]
	}
	if o.me || o.source == "self" || o.source == "tau" {
		return fail(1, errors.New("tau does not update itself: it is one file, which whoever installed it replaces")), true
	}
	return doPacks(o), true
}

func parsePacks(args []string) (o packArgs, rest []string, err error) {
	fs := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.BoolVarP(&o.local, "local", "l", false, "")
	fs.BoolVarP(&o.approve, "approve", "a", false, "")
	fs.BoolVar(&o.noApprove, "no-approve", false, "")
	o.what = args[0]
	switch o.what {
	case "uninstall":
		o.what = "remove"
	case "update":
		// As pi has them: all is what there is to update beside the models.
		fs.BoolVar(&o.extensions, "extensions", false, "")
		fs.BoolVar(&o.all, "all", false, "")
		fs.BoolVar(&o.force, "force", false, "")
		fs.BoolVar(&o.me, "self", false, "")
		fs.StringVar(&o.source, "extension", "", "")
	}
	list := args[1:]
	for i, a := range list {
		if a == "-na" {
			list[i] = "--no-approve"
		}
	}
	err = fs.Parse(list)
	return o, fs.Args(), err
}

func doPacks(o packArgs) int {
	a, err := app.New(cli.Options{Mode: "text", Approve: o.approve, NoApprove: o.noApprove}, version)
	if err != nil {
		return fail(1, err)
	}
	defer a.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	user := &pack.Manager{Base: a.AgentDir, Settings: a.SettingsPath(), CWD: a.CWD, Out: os.Stderr}
	base := filepath.Join(a.CWD, app.ProjectDir)
	project := &pack.Manager{Base: base, Settings: filepath.Join(base, "settings.json"), CWD: a.CWD, Out: os.Stderr, Relative: true}
	if o.local && !trusted(a, o) {
		return fail(1, errors.New("this folder is not trusted, so nothing is installed in it; --approve does all the same"))
	}
	m := user
	if o.local {
		m = project
	}
	switch o.what {
	case "install":
		if err = m.Install(ctx, o.source); err == nil {
			fmt.Println("installed", text.Sanitize(o.source))
		}
	case "remove":
		if err = m.Remove(ctx, o.source); err == nil {
			fmt.Println("removed", text.Sanitize(o.source))
		}
	case "list":
		return listPacks(a, user, project)
	case "update":
		return updatePacks(ctx, a, o, user, project)
	}
	if err != nil {
		return fail(1, errors.New(text.Sanitize(err.Error())))
	}
	if o.local && !a.KeepTrust() {
		fmt.Println("it is used once this folder is trusted: /trust in the agent, or --approve")
	}
	return 0
}

// trusted reports whether the project may be changed and used; the user is
// asked if somebody has to be.
func trusted(a *app.App, o packArgs) bool {
	if a.Trust.Trusted || !a.Trust.Ask || o.noApprove {
		return a.Trust.Trusted
	}
	if !term.IsTerminal(os.Stdin) || !term.IsTerminal(os.Stdout) {
		return false
	}
	fmt.Printf("This folder brings %s, which is not trusted. Such files can run programs.\nTrust it and go on? [y/N] ", text.Sanitize(strings.Join(a.Trust.Files, ", ")))
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y") {
		return false
	}
	return a.SetTrust(true, a.CWD) == nil
}

func listPacks(a *app.App, user, project *pack.Manager) int {
	status, n := 0, 0
	show := func(whose string, m *pack.Manager) {
		list, err := m.List()
		if err != nil {
			fmt.Fprintln(os.Stderr, "tau:", text.Sanitize(err.Error()))
			status = 1
			return
		}
		for _, e := range list {
			n++
			line := whose + "  " + e.Text
			switch {
			case e.Err != nil:
				line += "  " + e.Err.Error()
				status = 1
			case !e.Installed:
				line += "  not installed; tau update does that"
				status = 1
			default:
				line += "  " + e.Dir
			}
			if e.Filtered {
				line += "  (a part of it)"
			}
			fmt.Println(text.Sanitize(line))
		}
	}
	show("user", user)
	if a.Trust.Trusted {
		show("project", project)
	} else if note := a.ProjectNote(); note != "" {
		fmt.Fprintln(os.Stderr, "tau:", text.Sanitize(note))
	}
	if n == 0 && status == 0 {
		fmt.Println("there are no packages; tau install brings one")
	}
	return status
}

// updatePacks updates those of the user, and those of a trusted project.
func updatePacks(ctx context.Context, a *app.App, o packArgs, user, project *pack.Manager) int {
	managers := []*pack.Manager{user}
	if a.Trust.Trusted {
		managers = append(managers, project)
	}
	if o.local {
		managers = []*pack.Manager{project}
	}
	status, n, missing := 0, 0, 0
	for _, m := range managers {
		done, err := m.Update(ctx, o.source)
		n += done
		if errors.Is(err, pack.ErrNotListed) {
			missing++
		} else if err != nil {
			fmt.Fprintln(os.Stderr, "tau:", text.Sanitize(err.Error()))
			status = 1
		}
	}
	if missing == len(managers) {
		return fail(1, fmt.Errorf("there is no package %s; tau list shows them", text.Sanitize(o.source)))
	}
	fmt.Printf("%d updated\n", n)
	return status
}
