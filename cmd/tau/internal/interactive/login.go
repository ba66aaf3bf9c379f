package interactive

import (
	"context"
	"errors"
	"slices"
	"time"

	"tau/ai/credentials"
	"tau/cmd/tau/internal/app"
	"tau/components"
	"tau/components/chat"
	"tau/components/picker"
	"tau/tui"
)

// login is the command /login.
func (p *program) login(provider string) {
	all := p.app.Providers()
	if provider == "" {
		p.pick("Sign in to", p.providerItems(all), "", "", p.login)
		return
	}
	if !slices.Contains(all, provider) {
		p.pick("Sign in to", p.providerItems(all), "", provider, p.login)
		return
	}
	flow, err := p.app.Flow(provider)
	switch {
	case err != nil:
		p.script.notice(chat.Failure, err.Error())
	case flow != nil:
		p.signIn(provider, flow)
	default:
		p.askKey(provider)
	}
}

func (p *program) providerItems(ids []string) []components.Item {
	var items []components.Item
	for _, id := range ids {
		it := components.Item{Value: id, Label: id}
		if p.app.Keys.Has(id) {
			it.Description = "has credentials"
		}
		items = append(items, it)
	}
	return items
}

// askKey asks for a key; what is typed does not show.
func (p *program) askKey(provider string) {
	if p.picker != nil {
		return
	}
	box := picker.NewPrompt(picker.PromptOptions{
		Title: "Key of " + provider, Mask: "•", Bindings: p.keys, Style: p.pickerStyle(), OnCancel: p.closePicker,
		OnSubmit: func(key string) {
			p.closePicker()
			p.writing.Go(func() { // another tau may hold the file
				err := p.app.Keys.Store.SaveKey(context.Background(), provider, key)
				p.ui.Post(func() {
					p.loggedIn(provider, err)
					p.ui.RequestRender()
				})
			})
		},
	})
	p.picker = p.ui.ShowOverlay(box, tui.OverlayOptions{Width: tui.Percent(70), MinWidth: 40, Anchor: tui.Center, Gutter: 1})
}

func (p *program) loggedIn(provider string, err error) {
	if err != nil {
		p.script.notice(chat.Failure, "Not signed in to "+provider+": "+err.Error())
		return
	}
	p.script.notice(chat.Info, "Signed in to "+provider+". /model chooses one of its models.")
}

// signIn goes through a provider's own way. Esc in the box ends it.
func (p *program) signIn(provider string, flow *credentials.Flow) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	store, way := p.app.Keys.Store, flow.Ways()[0]
	if flow.Own != nil {
		p.hint("signing in to " + provider + " · esc stops it")
	}
	p.tell.block("login", "auth", "Sign in to "+provider)
	g := &guide{p: p, cancel: cancel}
	p.signing = g
	go func() {
		defer cancel()
		err := store.SignIn(ctx, provider, flow, way, g, nil)
		if err != nil && errors.Is(ctx.Err(), context.Canceled) {
			err = errors.New("the sign-in was cancelled")
		}
		p.ui.Post(func() {
			if p.signing == g {
				p.signing = nil
			}
			if flow.Own == nil { // an extension has closed what it has asked
				p.closePicker()
			}
			p.tell.unblock("login")
			p.loggedIn(provider, err)
			p.ui.RequestRender()
		})
	}()
}

// guide leads through a sign-in on the screen.
type guide struct {
	p      *program
	cancel func()
}

// Browse implements credentials.Guide.
func (g *guide) Browse(address string) {
	g.p.ui.Post(func() {
		g.p.script.notice(chat.Info, "Open this address in a browser:\n"+address)
		g.p.ui.RequestRender()
	})
	app.OpenLink(address)
}

// Paste implements credentials.Guide.
func (g *guide) Paste(ctx context.Context) (string, error) {
	pasted := make(chan string, 1)
	g.p.ui.Post(func() {
		if g.p.picker != nil {
			return
		}
		box := picker.NewPrompt(picker.PromptOptions{
			Title: "Waiting for the browser, or paste the address it ended at", Bindings: g.p.keys, Style: g.p.pickerStyle(),
			OnSubmit: func(s string) { g.p.closePicker(); pasted <- s },
			OnCancel: func() { g.p.closePicker(); g.cancel() },
		})
		g.p.picker = g.p.ui.ShowOverlay(box, tui.OverlayOptions{Width: tui.Percent(80), MinWidth: 40, Anchor: tui.Center, Gutter: 1})
		g.p.ui.RequestRender()
	})
	select {
	case s := <-pasted:
		return s, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// ShowCode implements credentials.Guide.
func (g *guide) ShowCode(code, address string, until time.Time) {
	g.p.ui.Post(func() {
		g.p.script.notice(chat.Info, "Open "+address+" on any device and enter the code\n"+code+"\nIt is good until "+until.Format(time.TimeOnly)+". Esc stops the sign-in.")
		g.p.ui.RequestRender()
	})
}

// logout is the command /logout.
func (p *program) logout(provider string) {
	if provider == "" {
		stored, err := p.app.Keys.Store.Providers()
		switch {
		case err != nil:
			p.script.notice(chat.Failure, err.Error())
		case len(stored) == 0:
			p.hint("nothing is stored in auth.json")
		default:
			p.pick("Sign out of", p.providerItems(stored), "", "", p.logout)
		}
		return
	}
	p.writing.Go(func() {
		removed, remains, err := p.app.Keys.Logout(context.Background(), provider)
		p.ui.Post(func() {
			p.loggedOut(provider, removed, remains, err)
			p.ui.RequestRender()
		})
	})
}

func (p *program) loggedOut(provider string, removed bool, remains string, err error) {
	switch {
	case err != nil:
		p.script.notice(chat.Failure, err.Error())
	case !removed:
		p.hint("nothing is stored for " + provider)
	case remains != "":
		p.script.notice(chat.Info, "Removed. "+provider+" still has credentials from "+remains+".")
	default:
		p.script.notice(chat.Info, "Signed out of "+provider+".")
	}
}
