package subagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tau/agent"
	"tau/ai/openjson"
	"tau/session/resources"
)

// Name is the tool's.
const Name = "subagent"

// Limits.
const (
	maxTasks       = 8
	atOnce         = 4
	maxDepth       = 3 // agents below agents
	defaultTimeout = 30 * time.Minute
)

// depthVariable says to a process how deep below the user's agent it is.
const depthVariable = "TAU_SUBAGENT_DEPTH"

// Options are what the processes inherit.
type Options struct {
	Executable string // this program
	CWD        string
	AgentDir   string
	// ProjectAgents is the folder of a trusted project's agents, or empty.
	ProjectAgents string
	// Flags are for each process; FlagsHere only for those in CWD itself.
	Flags, FlagsHere []string
	// Env is added to the environment, as NAME=value.
	Env []string
	// Model returns the model and thinking level of the caller, as for --model
	// and --thinking; empty is as the process finds by itself.
	Model func() (model, thinking string)
}

// Offered reports whether there may be sub-agents at all: below a number of
// agents there are no more.
func Offered() bool { return depth() < maxDepth }

func depth() int {
	n, err := strconv.Atoi(os.Getenv(depthVariable))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

const schema = `{"type":"object","properties":{` +
	`"agent":{"type":"string","description":"Name of the agent, for one task"},` +
	`"task":{"type":"string","description":"What it is to do, with everything it has to know"},` +
	`"tasks":{"type":"array","maxItems":8,"items":{"type":"object","properties":{"agent":{"type":"string"},"task":{"type":"string"},"cwd":{"type":"string"}},"required":["agent","task"]},"description":"Tasks that do not depend on each other, at most 8; 4 run at once"},` +
	`"chain":{"type":"array","items":{"type":"object","properties":{"agent":{"type":"string"},"task":{"type":"string"},"cwd":{"type":"string"}},"required":["agent","task"]},"description":"Tasks one after another; {previous} in a task stands for the answer before it"},` +
	`"agentScope":{"type":"string","enum":["user","project","both"],"description":"Whose agents may be used; both if left out"},` +
	`"cwd":{"type":"string","description":"Folder to work in"},` +
	`"timeout":{"type":"number","description":"Seconds that each task may take; 1800 if left out"},` +
	`"terminate":{"type":"boolean","description":"Stop after this: the user gets the answers as they are"}` +
	`}}`

// step is one task for one agent.
type step struct {
	Agent string `json:"agent"`
	Task  string `json:"task"`
	CWD   string `json:"cwd"`
}

type args struct {
	step
	Tasks     []step   `json:"tasks"`
	Chain     []step   `json:"chain"`
	Scope     string   `json:"agentScope"`
	Timeout   *float64 `json:"timeout"`
	Terminate bool     `json:"terminate"`
}

// New returns the tool. Which agents there are is part of its description, as
// of now; a call looks again.
func New(o Options) *agent.Tool {
	var names strings.Builder
	list, _ := o.agents(bothScopes) // what is wrong is said by a call
	for _, a := range list {
		fmt.Fprintf(&names, "\n- %s: %s", a.Name, a.Description)
	}
	return &agent.Tool{
		Name: Name, Label: "Sub-agents",
		Description: "Have other agents do tasks. Each has a context of its own, sees nothing of this conversation but the task, and gives back its last answer (50KB at most). Give agent and task for one, tasks for several at once, or chain for one after another. Agents:" + names.String(),
		Parameters:  json.RawMessage(schema),
		Snippet:     "have other agents do tasks, each with a context of its own",
		Guidelines:  []string{"Give sub-agents tasks that need much reading and little of this conversation; say in the task all they have to know."},
		Execute: func(ctx context.Context, call agent.Call, update func(agent.Result)) (agent.Result, error) {
			var a args
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return agent.Result{}, fmt.Errorf("arguments of %s: %w", Name, err)
			}
			return o.run(ctx, a, update)
		},
	}
}

// The modes.
const (
	single   = "single"
	parallel = "parallel"
	chain    = "chain"
)

// plan checks the arguments and returns the mode with its tasks.
func (a *args) plan() (mode string, steps []step, err error) {
	given := 0
	if a.Agent != "" || a.Task != "" {
		given, mode, steps = given+1, single, []step{a.step}
	}
	if len(a.Tasks) > 0 {
		given, mode, steps = given+1, parallel, a.Tasks
	}
	if len(a.Chain) > 0 {
		given, mode, steps = given+1, chain, a.Chain
	}
	switch {
	case given != 1:
		return "", nil, errors.New("give one of: agent and task, tasks, chain")
	case mode == parallel && len(steps) > maxTasks:
		return "", nil, fmt.Errorf("there are %d tasks; at most %d can be given at once", len(steps), maxTasks)
	}
	for i, s := range steps {
		if s.Agent == "" || strings.TrimSpace(s.Task) == "" {
			return "", nil, fmt.Errorf("task %d lacks its agent or its task", i+1)
		}
	}
	return mode, steps, nil
}

func (o *Options) run(ctx context.Context, a args, update func(agent.Result)) (agent.Result, error) {
	mode, steps, err := a.plan()
	if err != nil {
		return agent.Result{}, err
	}
	timeout := defaultTimeout
	if a.Timeout != nil {
		if *a.Timeout <= 0 || *a.Timeout > 86400 {
			return agent.Result{}, errors.New("timeout is in seconds, more than 0 and at most 86400")
		}
		timeout = time.Duration(*a.Timeout * float64(time.Second))
	}
	if a.Scope == "" {
		a.Scope = bothScopes
	}
	agents, problems := o.agents(a.Scope)
	b := newBoard(mode, a.Scope, update)
	for i, s := range steps {
		found, err := pick(agents, problems, s.Agent)
		if err != nil {
			return agent.Result{}, err
		}
		dir, err := o.folder(s.CWD, a.CWD)
		if err != nil {
			return agent.Result{}, err
		}
		b.add(&task{agent: found, text: s.Task, cwd: dir, timeout: timeout, step: i + 1})
	}
	if mode == chain {
		o.runChain(ctx, b)
	} else {
		o.runAll(ctx, b)
	}
	b.close()
	r := b.result()
	r.Terminate = a.Terminate && !r.IsError
	return r, nil
}

func pick(agents []resources.Agent, problems []resources.Problem, name string) (resources.Agent, error) {
	var names []string
	for _, a := range agents {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	text := fmt.Sprintf("there is no agent %q; there are %s", name, strings.Join(names, ", "))
	for _, p := range problems {
		if strings.TrimSuffix(filepath.Base(p.Path), ".md") == name {
			text += ". " + p.Error()
		}
	}
	return resources.Agent{}, errors.New(text)
}

// folder is where a task works.
func (o *Options) folder(own, all string) (string, error) {
	dir := own
	if dir == "" {
		dir = all
	}
	if dir == "" {
		return o.CWD, nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.CWD, dir)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", fmt.Errorf("cwd %s is no folder", dir)
	}
	return filepath.Clean(dir), nil
}

// runAll runs the tasks, a few at once. The end of one is not that of the
// others.
func (o *Options) runAll(ctx context.Context, b *board) {
	slots := make(chan struct{}, atOnce)
	done := make(chan struct{})
	for _, t := range b.tasks {
		go func() {
			defer func() { done <- struct{}{} }()
			select {
			case slots <- struct{}{}:
				o.do(ctx, b, t, t.text)
				<-slots
			case <-ctx.Done():
				b.change(func() { t.status, t.problem = failed, "cancelled before it began" })
			}
		}()
	}
	for range b.tasks {
		<-done
	}
}

// runChain runs the tasks one after another, until one fails.
func (o *Options) runChain(ctx context.Context, b *board) {
	previous := ""
	for _, t := range b.tasks {
		o.do(ctx, b, t, strings.ReplaceAll(t.text, "{previous}", previous))
		if t.status != finished {
			return
		}
		previous = clip(t.answer, maxAnswer)
	}
}

// details encodes what programs and the screen may want to know.
func details(v any) json.RawMessage {
	b, err := openjson.Encode(v)
	if err != nil {
		return nil
	}
	return b
}
