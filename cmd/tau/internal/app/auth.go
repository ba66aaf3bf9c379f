package app

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"tau/ai/catalog"
	"tau/ai/credentials"
	"tau/ai/demo"
)

// Providers returns those that a key can be stored for, by id.
func (a *App) Providers() []string {
	var out []string
	for _, p := range a.Catalog.Providers() {
		if p.ID != demo.Model().Provider {
			out = append(out, p.ID)
		}
	}
	return out
}

// Flow returns how one signs in to a provider; nil if it takes only keys.
func (a *App) Flow(provider string) (*credentials.Flow, error) {
	if own := a.ownSignIn(provider); own != nil {
		return &credentials.Flow{Name: provider, Own: own}, nil
	}
	if raw := a.Catalog.Provider(provider).OAuth; len(raw) > 0 {
		f, err := credentials.ParseFlow(raw)
		if err != nil {
			return nil, fmt.Errorf("models.json: the sign-in of %s: %w", provider, err)
		}
		return f, nil
	}
	return credentials.BuiltinFlow(provider), nil
}

// FindLocal looks for servers of models on this machine and offers what they
// have. It returns within seconds.
func (a *App) FindLocal(ctx context.Context) { a.Catalog.Offer(catalog.Discover(ctx, nil)) }

// modelStore is where newer descriptions of the built-in models are kept.
func (a *App) modelStore() string { return filepath.Join(a.AgentDir, "models-store.jsonl") }

// RefreshModels brings the built-in models up to date from a public source, or
// from the address or file that from names.
func (a *App) RefreshModels(ctx context.Context, from string) (catalog.Refreshed, error) {
	return catalog.Refresh(ctx, catalog.RefreshOptions{Store: a.modelStore(), Source: from})
}

// OpenLink opens an address with the program of the desktop, if there is one.
func OpenLink(url string) {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "mailto:") {
		return
	}
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", url)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", url)
	default:
		cmd = exec.Command("xdg-open", url)
	}
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
