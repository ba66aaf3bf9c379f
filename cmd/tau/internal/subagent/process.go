package subagent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tau/ai"
	"tau/cmd/tau/internal/wire"
	"tau/session/resources"
	"tau/tools"
)

// politeEnd is how long a process may take to end when it is asked to. The
// agent does not wait much longer for a call that was cancelled.
const politeEnd = 1500 * time.Millisecond

var (
	errTimeout = errors.New("timeout")
)

// do runs a task to its end.
func (o *Options) do(ctx context.Context, b *board, t *task, text string) {
	ctx, cancel := context.WithTimeoutCause(ctx, t.timeout, errTimeout)
	defer cancel()
	b.change(func() { t.status, t.began = running, time.Now() })
	err := o.process(ctx, b, t, text)
	b.change(func() {
		t.took = time.Since(t.began)
		t.status = finished
		switch {
		case errors.Is(context.Cause(ctx), errTimeout):
			err = fmt.Errorf("it took longer than %v and was ended", t.timeout)
		case ctx.Err() != nil:
			err = errors.New("cancelled")
		}
		if err != nil {
			t.status, t.problem = failed, err.Error()
		}
	})
}

func (o *Options) process(ctx context.Context, b *board, t *task, text string) error {
	command, forget, err := o.command(t)
	if err != nil {
		return err
	}
	defer forget()
	in, err := os.CreateTemp("", "tau-task-*")
	if err != nil {
		return fmt.Errorf("keep the task: %w", err)
	}
	defer os.Remove(in.Name())
	defer in.Close()
	if _, err := in.WriteString(text + "\n"); err != nil {
		return fmt.Errorf("keep the task: %w", err)
	}
	if _, err := in.Seek(0, 0); err != nil {
		return fmt.Errorf("keep the task: %w", err)
	}
	out, outW, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	defer out.Close()
	errs, errsW, err := os.Pipe()
	if err != nil {
		outW.Close()
		return fmt.Errorf("make a pipe: %w", err)
	}
	defer errs.Close()
	command.Stdin, command.Stdout, command.Stderr = in, outW, errsW
	started, over, err := lifeline(command)
	if err != nil {
		outW.Close()
		errsW.Close()
		return fmt.Errorf("make a pipe: %w", err)
	}
	defer over()
	p, err := tools.StartProgram(command)
	started()
	outW.Close()
	errsW.Close()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { p.End(0, politeEnd) })
	defer p.End(0, politeEnd) // also what it has left behind
	defer stop()

	var said tail
	var reading sync.WaitGroup
	reading.Go(func() { said.read(errs) })
	reading.Go(func() { o.listen(b, t, wire.NewLines(out)) })
	<-p.Ended()
	// Who has inherited the pipes may hold them; what the process itself wrote is
	// there.
	read := make(chan struct{})
	go func() { reading.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(time.Second):
		out.Close()
		errs.Close()
		<-read
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case t.failure != "":
		return errors.New(t.failure)
	case p.ExitCode() != 0 || !t.answered:
		text := fmt.Sprintf("the process ended with status %d", p.ExitCode())
		if p.ExitCode() == 0 {
			text = "it gave no answer"
		}
		if last := said.text(); last != "" {
			text += ": " + last
		}
		return errors.New(text)
	}
	return nil
}

// command is the process of a task, and what to do when it has ended.
func (o *Options) command(t *task) (*exec.Cmd, func(), error) {
	list := []string{"--mode", "json", "-p", "--no-session"}
	list = append(list, o.Flags...)
	if t.cwd == o.CWD {
		list = append(list, o.FlagsHere...)
	}
	list = append(list, t.flags(o.Model)...)
	forget := func() {}
	if t.agent.Prompt != "" {
		f, err := os.CreateTemp("", "tau-agent-*.md")
		if err != nil {
			return nil, nil, fmt.Errorf("keep the agent's prompt: %w", err)
		}
		forget = func() { _ = os.Remove(f.Name()) }
		_, err = f.WriteString(t.agent.Prompt)
		if err := errors.Join(err, f.Close()); err != nil {
			forget()
			return nil, nil, fmt.Errorf("keep the agent's prompt: %w", err)
		}
		list = append(list, "--append-system-prompt", f.Name())
	}
	cmd := exec.Command(o.Executable, list...)
	cmd.Dir = t.cwd
	env := append(slices.Clone(o.Env), depthVariable+"="+strconv.Itoa(depth()+1))
	cmd.Env = tools.ProgramEnv(t.cwd, env)
	return cmd, forget, nil
}

// flags are those that the agent's file gives.
func (t *task) flags(caller func() (string, string)) []string {
	var list []string
	model, thinking := t.agent.Model, t.agent.Thinking
	if model == "" && caller != nil {
		var level string
		if model, level = caller(); thinking == "" {
			thinking = level
		}
	}
	if model != "" {
		list = append(list, "--model", model)
	}
	if thinking != "" {
		list = append(list, "--thinking", thinking)
	}
	names := t.agent.Tools
	if names == nil {
		return append(list, "--exclude-tools", Name)
	}
	if len(names) == 0 {
		return append(list, "--no-tools", "--no-mcp")
	}
	list = append(list, "--tools", strings.Join(names, ","))
	if !slices.ContainsFunc(names, func(n string) bool {
		return strings.HasPrefix(n, "mcp__") || n == "tool_search" || strings.HasPrefix(n, "+")
	}) {
		list = append(list, "--no-mcp")
	}
	return list
}

// usage is what a task has cost.
type usage struct {
	Turns         int     `json:"turns"`
	Input         int64   `json:"input"`
	Output        int64   `json:"output"`
	CacheRead     int64   `json:"cacheRead"`
	CacheWrite    int64   `json:"cacheWrite"`
	Cost          float64 `json:"cost"`
	ContextTokens int64   `json:"contextTokens"`
}

// The states of a task.
const (
	waiting  = "waiting"
	running  = "running"
	finished = "completed"
	failed   = "failed"
)

// task is a task with what is known of it. The board's lock guards what
// changes.
type task struct {
	agent   resources.Agent
	text    string
	cwd     string
	timeout time.Duration
	step    int

	status     string
	began      time.Time
	took       time.Duration
	recent     []string // what it did last
	answer     string
	answered   bool
	failure    string // of its last answer
	problem    string
	stop       ai.StopReason
	model      string
	usage      usage
	total      ai.Usage
	fullAnswer string // file
}
