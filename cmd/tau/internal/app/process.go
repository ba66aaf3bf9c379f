package app

import (
	"context"
	"errors"

	"tau/session/extension"
	"tau/session/resources"
)

// startProgram starts an extension that is a program of its own.
func (a *App) startProgram(context.Context, resources.Source, extension.Host) (extension.Carrier, error) {
	return nil, errors.New("extensions are JavaScript or TypeScript files")
}
