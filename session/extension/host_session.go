package extension

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"tau/session"
	"tau/session/store"
)

// state is what handlers are given without asking.
type state struct {
	Mode     string `json:"mode"`
	HasUI    bool   `json:"hasUI"`
	CWD      string `json:"cwd"`
	Idle     bool   `json:"idle"`
	Trusted  bool   `json:"trusted"`
	Pending  bool   `json:"pending"`
	Thinking string `json:"thinkingLevel"`
}

// sessionMethods are about the session: what it is, and where it goes.
func sessionMethods(name string) method {
	switch name {
	case "state":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) { return r.state(), nil })
	case "model":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			if r.session == nil {
				return nil, nil
			}
			return r.session.Model(), nil
		})
	case "getThinkingLevel":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			return r.state().Thinking, nil
		})
	case "getSystemPrompt":
		return onSession(func(_ context.Context, s *session.Session, _ struct{}) (any, error) { return s.SystemPrompt(), nil })
	case "getSystemPromptOptions":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			if r.session == nil {
				return nil, errNoSession
			}
			return r.promptOptions(r.session.PromptSections()), nil
		})
	case "getContextUsage":
		return onSession(func(_ context.Context, s *session.Session, _ struct{}) (any, error) { return contextUsage(s) })
	case "compact":
		return onSession(func(ctx context.Context, s *session.Session, p struct{ CustomInstructions string }) (any, error) {
			return s.Compact(context.WithoutCancel(ctx), p.CustomInstructions)
		})
	case "waitForIdle":
		return onSession(func(ctx context.Context, s *session.Session, _ struct{}) (any, error) { return nil, s.Wait(ctx) })
	case "navigateTree":
		return onSession(func(ctx context.Context, s *session.Session, p struct {
			Target       string `json:"targetId"`
			Summarize    bool   `json:"summarize"`
			Instructions string `json:"customInstructions"`
			Label        string `json:"label"`
		}) (any, error) {
			_, err := s.Navigate(ctx, p.Target, session.NavigateOptions{Summarize: p.Summarize, Instructions: p.Instructions, Label: p.Label})
			if errors.Is(err, session.ErrNavigationCancelled) {
				return map[string]bool{"cancelled": true}, nil
			}
			return map[string]bool{"cancelled": false}, err
		})
	case "newSession":
		return with(func(ctx context.Context, r *Runner, _ *Extension, p struct {
			Parent string            `json:"parentSession"`
			Setup  []json.RawMessage `json:"setup"`
		}) (any, error) {
			if r.o.Program.NewSession == nil {
				return nil, errNotHere
			}
			return cancelledBy(r.o.Program.NewSession(ctx, p.Parent, p.Setup))
		})
	case "fork":
		return with(func(ctx context.Context, r *Runner, _ *Extension, p struct {
			EntryID  string `json:"entryId"`
			Position string `json:"position"`
		}) (any, error) {
			if r.o.Program.Fork == nil {
				return nil, errNotHere
			}
			return cancelledBy(r.o.Program.Fork(ctx, p.EntryID, p.Position))
		})
	case "switchSession":
		return with(func(ctx context.Context, r *Runner, _ *Extension, p struct{ Path string }) (any, error) {
			if r.o.Program.Switch == nil {
				return nil, errNotHere
			}
			return cancelledBy(r.o.Program.Switch(ctx, p.Path))
		})
	case "reload":
		return with(func(ctx context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			if r.o.Program.Reload == nil {
				return nil, errNotHere
			}
			return nil, r.o.Program.Reload(ctx)
		})
	case "session.entries":
		return onSession(func(_ context.Context, s *session.Session, _ struct{}) (any, error) { return entries(s) })
	case "session.branch":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ ID string }) (any, error) {
			return r.branch(p.ID), nil
		})
	case "session.entry":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ ID string }) (any, error) {
			return r.entry(p.ID), nil
		})
	case "session.leaf":
		return onSession(func(_ context.Context, s *session.Session, _ struct{}) (any, error) {
			return orNull(s.Store().Leaf()), nil
		})
	case "session.label":
		return onSession(func(_ context.Context, s *session.Session, p struct{ ID string }) (any, error) {
			return orNull(s.Store().Label(p.ID)), nil
		})
	case "session.info":
		return onSession(func(_ context.Context, s *session.Session, _ struct{}) (any, error) {
			st := s.Store()
			return map[string]any{
				"file": orNull(st.Path()), "id": st.Header().ID, "dir": filepath.Dir(st.Path()), "cwd": s.CWD(), "header": st.Header(), "name": orNull(st.Name()),
			}, nil
		})
	case "session.context":
		return onSession(func(_ context.Context, s *session.Session, _ struct{}) (any, error) {
			c, err := s.Store().Context()
			return map[string]any{"messages": c.Messages, "thinkingLevel": c.Thinking, "model": map[string]string{"provider": c.Provider, "modelId": c.ModelID}}, err
		})
	}
	return nil
}

func cancelledBy(cancelled bool, err error) (any, error) {
	return map[string]bool{"cancelled": cancelled}, err
}

// onSession makes a method of a function that needs the session.
func onSession[P any](do func(ctx context.Context, s *session.Session, p P) (any, error)) method {
	return with(func(ctx context.Context, r *Runner, _ *Extension, p P) (any, error) {
		if r.session == nil {
			return nil, errNoSession
		}
		return do(ctx, r.session, p)
	})
}

func (r *Runner) state() state {
	st := state{Mode: r.o.Mode, HasUI: r.o.UI != nil, CWD: r.o.CWD, Idle: true}
	if r.o.Program.Trusted != nil {
		st.Trusted = r.o.Program.Trusted()
	}
	if s := r.session; s != nil {
		st.Idle, st.Pending, st.Thinking = !s.Busy(), s.Pending() > 0, string(s.Thinking())
	}
	return st
}

func entries(s *session.Session) (any, error) {
	st := s.Store()
	out := []json.RawMessage{}
	for _, n := range st.Nodes() {
		e, err := st.Entry(n.ID)
		if err != nil {
			continue // a damaged line; the store has told of it
		}
		line, err := store.EncodeEntry(e)
		if err != nil {
			return nil, err
		}
		out = append(out, line)
	}
	return out, nil
}

func contextUsage(s *session.Session) (any, error) {
	st, err := s.Stats()
	if err != nil {
		return nil, err
	}
	window := s.Model().ContextWindow
	if window <= 0 {
		return nil, nil
	}
	out := map[string]any{"tokens": nil, "contextWindow": window, "percent": nil}
	if st.ContextKnown {
		out["tokens"], out["percent"] = st.ContextTokens, float64(st.ContextTokens)/float64(window)*100
	}
	return out, nil
}
