package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	xterm "golang.org/x/term"

	"tau/ai/credentials"
	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/tui/text"
)

const authUsage = `auth: say what to do
  tau auth login <provider> [--no-browser]   sign in, or store a key that is asked for
  tau auth logout <provider>                 remove what is stored
  tau auth check <provider>                  ready (status 0), not_ready (1) or invalid (2); no request is made
      --provider p, --model m                name it so, or by a model
      --json                                 write {"status", "provider", "authType" or "reason"}
      --credentials                          with the credentials themselves in it
      --no-refresh                           do not renew a sign-in
  tau auth print-api-key <provider>          print the key, for other programs
  tau auth print-bearer-token <provider>     print the token of a sign-in
      --min-expiry 30m                       that is good for so long still (ms, s, m, h)`

// authArgs are the arguments of "tau auth".
type authArgs struct {
	what, provider, model                   string
	noBrowser, json, credentials, noRefresh bool
	life                                    time.Duration
}

func parseAuth(args []string) (authArgs, error) {
	var a authArgs
	fs := pflag.NewFlagSet("auth", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.StringVar(&a.provider, "provider", "", "")
	if len(args) > 0 {
		switch args[0] {
		case "login":
			fs.BoolVar(&a.noBrowser, "no-browser", false, "")
		case "check":
			fs.StringVar(&a.model, "model", "", "")
			fs.BoolVar(&a.json, "json", false, "")
			fs.BoolVar(&a.credentials, "credentials", false, "")
			fs.BoolVar(&a.noRefresh, "no-refresh", false, "")
		case "print-api-key", "print-bearer-token":
			fs.DurationVar(&a.life, "min-expiry", 0, "")
		case "logout":
		default:
			return a, errors.New(authUsage)
		}
	}
	if err := fs.Parse(args); err != nil {
		return a, fmt.Errorf("auth: %w\n%s", err, strings.TrimPrefix(authUsage, "auth: say what to do\n"))
	}
	rest := fs.Args()
	if len(rest) == 2 && a.provider == "" {
		a.provider, rest = rest[1], rest[:1]
	}
	if len(rest) != 1 || (a.provider == "") == (a.model == "") {
		return a, errors.New(authUsage)
	}
	a.what = rest[0]
	return a, nil
}

// auth is "tau auth". Keys are never arguments: others can read those.
func auth(args []string) int {
	o, err := parseAuth(args)
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
	need := credentials.Need{NoRenew: o.noRefresh, Life: o.life}
	switch o.what {
	case "login":
		err = login(ctx, a, o.provider, o.noBrowser)
	case "logout":
		var removed bool
		var remains string
		if removed, remains, err = a.Keys.Logout(ctx, o.provider); err == nil {
			fmt.Println(map[bool]string{true: "removed", false: "nothing was stored"}[removed])
			if remains != "" {
				fmt.Println("still there:", remains)
			}
		}
	case "check":
		return check(ctx, a, o, need)
	case "print-api-key":
		err = show(a.Keys.PrintKey(ctx, o.provider, need))
	case "print-bearer-token":
		err = show(a.Keys.PrintToken(ctx, o.provider, need))
	}
	if err != nil {
		return fail(1, err)
	}
	return 0
}

func show(secret string, err error) error {
	if err == nil {
		fmt.Println(secret)
	}
	return err
}

func login(ctx context.Context, a *app.App, provider string, noBrowser bool) error {
	if !slices.Contains(a.Providers(), provider) {
		return fmt.Errorf("no provider %q; tau --list-models shows them", provider)
	}
	flow, err := a.Flow(provider)
	if err != nil {
		return err
	}
	if flow == nil {
		key, err := readKey(provider)
		if err != nil {
			return err
		}
		if err := a.Keys.Store.SaveKey(ctx, provider, key); err != nil {
			return err
		}
		fmt.Println("stored in auth.json")
		return nil
	}
	way := flow.Ways()[0]
	for _, w := range flow.Ways() {
		if noBrowser && w == credentials.Device {
			way = w
		}
	}
	if err := a.Keys.Store.SignIn(ctx, provider, flow, way, &guide{browse: !noBrowser, in: os.Stdin}, nil); err != nil {
		return err
	}
	fmt.Println("signed in")
	return nil
}

func readKey(provider string) (string, error) {
	if !xterm.IsTerminal(int(os.Stdin.Fd())) {
		b, err := io.ReadAll(io.LimitReader(os.Stdin, 64<<10))
		return string(b), err
	}
	fmt.Fprintf(os.Stderr, "Key of %s (it is not shown): ", provider)
	b, err := xterm.ReadPassword(int(os.Stdin.Fd()))
	fmt.Fprintln(os.Stderr)
	return string(b), err
}

// guide leads through a sign-in on a plain terminal.
type guide struct {
	browse bool
	in     io.Reader
}

func (g *guide) Browse(address string) {
	fmt.Println("Open this address in a browser:\n\n  " + text.Sanitize(address) + "\n\nIf the browser cannot come back here, paste the address it ended at.")
	if g.browse {
		app.OpenLink(address)
	}
}

func (g *guide) Paste(ctx context.Context) (string, error) {
	lines := make(chan string, 1)
	go func() { // ends with the program: reading a terminal cannot be stopped
		line, err := bufio.NewReader(g.in).ReadString('\n')
		if err == nil {
			lines <- strings.TrimSpace(line)
		}
	}()
	select {
	case l := <-lines:
		return l, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (g *guide) ShowCode(code, address string, until time.Time) {
	fmt.Printf("Open %s on any device and enter the code\n\n  %s\n\nIt is good until %s.\n", text.Sanitize(address), text.Sanitize(code), until.Format(time.TimeOnly))
}
