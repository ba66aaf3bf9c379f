package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	xterm "golang.org/x/term"

	"tau/ai/credentials"
	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/tui/text"
)

const authUsage = `auth: say what to do
  tau auth login <provider> [--no-browser]   sign in, or store a key that is asked for
  tau auth logout <provider>                 remove what is stored
  tau auth check <provider>                  ready (status 0), not_ready (1) or invalid (2)
  tau auth print-api-key <provider>          print the key, for other programs`

// auth is "tau auth". Keys are never arguments: others can read those.
func auth(args []string) int {
	if len(args) < 2 || strings.HasPrefix(args[1], "-") || len(args) > 3 || len(args) == 3 && args[2] != "--no-browser" {
		return fail(2, fmt.Errorf("%s", authUsage))
	}
	what, provider := args[0], args[1]
	a, err := app.New(cli.Options{Mode: "text"}, version)
	if err != nil {
		return fail(1, err)
	}
	defer a.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch what {
	case "login":
		err = login(ctx, a, provider, len(args) == 3)
	case "logout":
		var removed bool
		var remains string
		if removed, remains, err = a.Keys.Logout(ctx, provider); err == nil {
			fmt.Println(map[bool]string{true: "removed", false: "nothing was stored"}[removed])
			if remains != "" {
				fmt.Println("still there:", remains)
			}
		}
	case "check":
		return check(a.Keys.Check(ctx, provider))
	case "print-api-key":
		var key string
		if key, err = a.Keys.PrintKey(ctx, provider); err == nil {
			fmt.Println(key)
		}
	default:
		return fail(2, fmt.Errorf("%s", authUsage))
	}
	if err != nil {
		return fail(1, err)
	}
	return 0
}

func check(st credentials.Status) int {
	switch {
	case st.Err != nil && st.Source == "":
		fmt.Println("not_ready:", text.Sanitize(st.Err.Error()))
		return 1
	case st.Err != nil:
		fmt.Println("invalid:", text.Sanitize(st.Err.Error()))
		return 2
	case st.Source == "":
		fmt.Println("not_ready")
		return 1
	}
	fmt.Println("ready:", st.Source)
	return 0
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
