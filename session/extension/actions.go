package extension

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"tau/ai"
	"tau/session"
	"tau/session/resources"
)

var errNoSession = errors.New("there is no session yet: wait for session_start")

var errNotHere = errors.New("this cannot be done here")

// actions are the methods that do something.
func actions(name string) method {
	switch name {
	case "sendMessage":
		return with(func(_ context.Context, r *Runner, e *Extension, p struct {
			Message customMessage `json:"message"`
			Options struct {
				Trigger bool                   `json:"triggerTurn"`
				Deliver session.CustomDelivery `json:"deliverAs"`
			} `json:"options"`
		}) (any, error) {
			if r.session == nil {
				return nil, errNoSession
			}
			r.whenSettled(func() {
				if err := r.session.SendCustom(p.Message.custom(), p.Options.Trigger, p.Options.Deliver); err != nil {
					r.report(e, "sendMessage", err)
				}
			})
			return nil, nil
		})
	case "sendUserMessage":
		return with(sendUserMessage)
	case "appendEntry":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct {
			CustomType string          `json:"customType"`
			Data       json.RawMessage `json:"data"`
		}) (any, error) {
			if r.session == nil {
				return nil, errNoSession
			}
			return r.session.AppendCustom(p.CustomType, p.Data)
		})
	case "setSessionName":
		return with(func(_ context.Context, r *Runner, _ *Extension, p named) (any, error) {
			if r.session == nil {
				return nil, errNoSession
			}
			r.session.SetName(strings.TrimSpace(p.Name))
			return nil, nil
		})
	case "setLabel":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct {
			EntryID string `json:"entryId"`
			Label   string `json:"label"`
		}) (any, error) {
			if r.session == nil {
				return nil, errNoSession
			}
			return nil, r.session.SetLabel(p.EntryID, p.Label)
		})
	case "exec":
		return with(func(ctx context.Context, r *Runner, _ *Extension, p execCall) (any, error) {
			return p.run(ctx, r.o.CWD)
		})
	case "getActiveTools":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) { return r.activeTools(), nil })
	case "getAllTools":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) { return r.toolInfos(), nil })
	case "setActiveTools":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ Names []string }) (any, error) {
			r.setActive(p.Names)
			return nil, nil
		})
	case "getSettings":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			if r.o.Program.Settings == nil {
				return struct{}{}, nil
			}
			return r.o.Program.Settings(), nil
		})
	case "getCommands":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			out := r.CommandList()
			if f := r.o.Program.Resources; f != nil {
				out = append(out, f().Commands()...)
			}
			return out, nil
		})
	case "getFlag":
		return with(func(_ context.Context, r *Runner, e *Extension, p named) (any, error) { return e.flag(p.Name), nil })
	case "abort":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			if r.session != nil {
				r.session.Abort()
			}
			return nil, nil
		})
	case "shutdown":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			if r.o.Program.Shutdown != nil {
				r.o.Program.Shutdown()
			}
			return nil, nil
		})
	case "update": // {call, data}: a listener of a call that is under way
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct {
			Call string          `json:"call"`
			Data json.RawMessage `json:"data"`
		}) (any, error) {
			e.runner.mu.Lock()
			f := e.runner.calls[p.Call]
			e.runner.mu.Unlock()
			if f != nil {
				f(p.Data)
			}
			return nil, nil
		})
	case "error":
		return with(func(_ context.Context, r *Runner, e *Extension, p struct{ Event, Error string }) (any, error) {
			r.report(e, p.Event, errors.New(p.Error))
			return nil, nil
		})
	}
	return nil
}

func sendUserMessage(_ context.Context, r *Runner, e *Extension, p struct {
	Content json.RawMessage `json:"content"`
	Options struct {
		Deliver string `json:"deliverAs"`
		Expand  bool   `json:"expandPromptTemplates"`
	} `json:"options"`
}) (any, error) {
	content, err := blocks(p.Content)
	if err != nil {
		return nil, err
	}
	content = oneText(content)
	s := r.session
	if s == nil {
		return nil, errNoSession
	}
	o := session.SendOptions{Refuse: p.Options.Deliver == "", Literal: !p.Options.Expand}
	if p.Options.Deliver == "followUp" {
		o.Delivery = session.FollowUp
	}
	r.mu.Lock()
	settling := r.settling
	r.mu.Unlock()
	if o.Refuse && s.Busy() && !settling {
		return nil, errors.New("the agent is working: say with deliverAs (steer or followUp) when the message is to go in")
	}
	r.whenSettled(func() {
		if p.Options.Expand && r.o.Program.Submit != nil {
			r.o.Program.Submit(ai.ContentText(content), o.Delivery)
			return
		}
		r.later(func() {
			content, handled := r.Input(context.Background(), Input{Content: content, Source: "extension", Delivery: p.Options.Deliver})
			if handled {
				return
			}
			if _, err := s.SendWith(content, o); err != nil {
				r.report(e, "sendUserMessage", err)
			}
		})
	})
	return nil, nil
}

// flag returns the value of a flag that the extension has registered.
func (e *Extension) flag(name string) any {
	r := e.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range e.flags {
		if f.Name != name {
			continue
		}
		if v, ok := r.o.Flags[name]; ok {
			return v
		}
		if len(f.Default) > 0 {
			return f.Default
		}
	}
	return nil
}

// CommandList lists the commands of the extensions, as get_commands does.
func (r *Runner) CommandList() []resources.Command {
	out := []resources.Command{}
	for _, c := range r.Commands() {
		out = append(out, resources.Command{Name: c.Name, Description: c.Description, Kind: "extension", SourceInfo: sourceInfo(c.Source())})
	}
	return out
}

// sourceInfo is where a command comes from, as get_commands tells it.
func sourceInfo(s resources.Source) resources.Source {
	if s.Scope == resources.Temporary {
		s.BaseDir = ""
	}
	return s
}

// execCall is a command that an extension runs.
type execCall struct {
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	CWD       string            `json:"cwd"`
	Env       map[string]string `json:"env"`
	Timeout   int64             `json:"timeout"` // milliseconds
	MaxBuffer int64             `json:"maxBuffer"`
	Input     string            `json:"input"`
}

type execResult struct {
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Code      int    `json:"code"`
	Killed    bool   `json:"killed"`
	Truncated bool   `json:"truncated"`
}

// maxOutput is how much of a command's output is kept, in bytes.
const maxOutput = 256 << 20

func (p execCall) run(ctx context.Context, cwd string) (any, error) {
	if p.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(p.Timeout)*time.Millisecond)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, p.Command, p.Args...)
	cmd.Dir = cwd
	if p.CWD != "" {
		cmd.Dir = p.CWD
	}
	if p.Env != nil {
		cmd.Env = cmd.Environ()
		for k, v := range p.Env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	if p.Input != "" {
		cmd.Stdin = strings.NewReader(p.Input)
	}
	own(cmd)
	most := p.MaxBuffer
	if most <= 0 || most > maxOutput {
		most = maxOutput
	}
	stdout, stderr := &bounded{most: most}, &bounded{most: most}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	out := execResult{Stdout: stdout.text(), Stderr: stderr.text(), Truncated: stdout.cut || stderr.cut, Killed: ctx.Err() != nil}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		if out.Code = exit.ExitCode(); out.Code < 0 {
			out.Code = 1
		}
	case errors.Is(err, exec.ErrWaitDelay):
	case err != nil && ctx.Err() == nil:
		out.Code = 1
		if out.Stderr == "" {
			out.Stderr = fmt.Sprintf("%s cannot be run: %v", p.Command, err)
		}
	case err != nil:
		out.Code = 1
	}
	return out, nil
}

// bounded keeps the beginning of what is written.
type bounded struct {
	buf  bytes.Buffer
	most int64
	cut  bool
}

var _ io.Writer = (*bounded)(nil)

func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - int64(b.buf.Len())
	if int64(len(p)) > room {
		b.cut = true
		b.buf.Write(p[:max(0, room)])
	} else {
		b.buf.Write(p)
	}
	return len(p), nil
}

func (b *bounded) text() string { return strings.ToValidUTF8(b.buf.String(), "\ufffd") }

// oneText joins texts, as the message would be typed; pictures follow.
func oneText(content []ai.Block) []ai.Block {
	var texts []string
	var rest []ai.Block
	for _, b := range content {
		if t, ok := b.(*ai.Text); ok {
			texts = append(texts, t.Text)
		} else {
			rest = append(rest, b)
		}
	}
	return append(ai.TextBlocks(strings.Join(texts, "\n")), rest...)
}
