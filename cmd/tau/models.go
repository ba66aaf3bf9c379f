package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"tau/ai/catalog"
	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/cmd/tau/internal/headless"
	"tau/tui/text"
)

const modelsUsage = `models: say what to do
  tau models [search]                       list the models that match the words
  tau models refresh [--from <url or file>] bring the built-in models up to date from ` + catalog.PublishedModels

// models is "tau models", and "tau update --models", which is its other name.
func models(args []string) int {
	refresh, from, words := false, "", []string{}
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case i == 0 && arg == "refresh":
			refresh = true
		case refresh && arg == "--from" && i+1 < len(args):
			i++
			from = args[i]
		case refresh && strings.HasPrefix(arg, "--from="):
			from = strings.TrimPrefix(arg, "--from=")
		case refresh || strings.HasPrefix(arg, "-"):
			return fail(2, errors.New(modelsUsage))
		default:
			words = append(words, arg)
		}
	}
	a, err := app.New(cli.Options{Mode: "text"}, version)
	if err != nil {
		return fail(1, err)
	}
	defer a.Close()
	if !refresh {
		return headless.ListModels(a.Catalog, strings.Join(words, " "), os.Stdout)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	d, err := a.RefreshModels(ctx, from)
	if err != nil {
		return fail(1, errors.New(text.Sanitize(err.Error())))
	}
	if d.Same {
		fmt.Println("the models are up to date")
		return 0
	}
	for _, ref := range d.New {
		fmt.Println("new:", text.Sanitize(ref))
	}
	fmt.Printf("%d new, %d changed\n", len(d.New), d.Changed)
	return 0
}
