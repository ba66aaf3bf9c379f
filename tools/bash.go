package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"tau/agent"
)

const bashDescription = `Run a command line in a fresh shell, in the working folder. Returns what it writes to stdout and stderr, the last 2000 lines or 50KB of it; longer output is kept whole in a file that is named. There is no terminal and stdin is empty, so nothing can be asked. A command that ends in & goes on in the background as a job, with its output in a log file.`

const bashSchema = `{"type":"object","properties":{"command":{"type":"string","description":"Command line for the shell"},"timeout":{"type":"number","description":"Seconds after which the command is ended; none if left out"}},"required":["command"]}`

type bashArgs struct {
	Command string   `json:"command"`
	Timeout *float64 `json:"timeout"`
}

// BashDetails is the details of a command's result.
type BashDetails struct {
	Truncation     *Truncation `json:"truncation,omitempty"`
	FullOutputPath string      `json:"fullOutputPath,omitempty"`
	JobID          string      `json:"jobId,omitempty"` // the command, or what it left, runs on
}

// maxTimeout is the longest timeout in seconds, 2^31-1 milliseconds.
const maxTimeout = 2147483.647

func (s *Set) bash() *agent.Tool {
	return &agent.Tool{
		Name: "bash", Label: "Bash", Description: bashDescription, Parameters: json.RawMessage(bashSchema),
		Snippet: "run a command in the shell",
		Guidelines: []string{
			"Give bash a timeout for commands that may not end by themselves.",
			"Start servers and other lasting programs with & at the end, and look at their log.",
		},
		Prepare: renaming(map[string][]string{"command": {"cmd", "script", "input"}, "timeout": {"timeout_seconds", "timeoutSeconds"}}),
		Execute: func(ctx context.Context, call agent.Call, update func(agent.Result)) (agent.Result, error) {
			var a bashArgs
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return agent.Result{}, fmt.Errorf("arguments of bash: %w", err)
			}
			return s.runBash(ctx, call.ID, a, update)
		},
	}
}

// renaming is a Prepare that takes other usual names of parameters.
func renaming(names map[string][]string) func(json.RawMessage) (json.RawMessage, error) {
	return func(args json.RawMessage) (json.RawMessage, error) {
		var m map[string]json.RawMessage
		if json.Unmarshal(args, &m) != nil {
			return args, nil
		}
		changed := false
		for name, others := range names {
			changed = rename(m, name, others...) || changed
		}
		if !changed {
			return args, nil
		}
		return json.Marshal(m)
	}
}

const (
	abortedText = "Command aborted"
	exitedText  = "Command exited with code"
)

// What is said about a job, with its id and process group.
const (
	movedNote = "The command was moved to the background, where it runs on as %s, process group %d."
	leftNote  = "What the command started runs on in the background as %s, process group %d."
)

// abortWait is how long an aborted call waits for the command's last words. It
// returns well within 100 ms whatever the command does.
const abortWait = 50 * time.Millisecond

func (s *Set) runBash(ctx context.Context, callID string, a bashArgs, update func(agent.Result)) (r agent.Result, err error) {
	if strings.TrimSpace(a.Command) == "" {
		return r, errors.New("command is empty")
	}
	var timeout <-chan time.Time
	if a.Timeout != nil {
		if *a.Timeout <= 0 || *a.Timeout > maxTimeout {
			return r, fmt.Errorf("timeout is %s; give seconds, more than 0 and at most %s, or leave it out", number(*a.Timeout), number(maxTimeout))
		}
	}
	if err := ctx.Err(); err != nil {
		r = agent.TextResult(abortedText)
		r.IsError = true
		return r, nil
	}
	if err := s.checkCWD(); err != nil {
		return r, err
	}
	script := s.prefixed(a.Command)
	ready := make(chan struct{})
	var j *job
	f := &feed{send: func() { <-ready; update(j.result("")) }}
	defer f.stop()
	j, err = s.start(callID, script, func([]byte) { f.changed() })
	close(ready)
	if err != nil {
		return r, err
	}
	if a.Timeout != nil {
		t := time.NewTimer(time.Duration(*a.Timeout * float64(time.Second)))
		defer t.Stop()
		timeout = t.C
	}
	select {
	case <-j.exited:
		r = s.afterExit(ctx, j)
		f.finish()
		return r, nil
	case <-j.detached:
		return j.resultWith("", movedNote, s.background(j, true)), nil
	case <-timeout:
		s.endSoon(j)
		select {
		case <-j.ended:
		case <-ctx.Done():
		}
		return j.result(fmt.Sprintf("Command timed out after %s seconds", number(*a.Timeout))), nil
	case <-ctx.Done():
		return s.abort(j), nil
	}
}

// checkCWD says why no command can run in the working folder, if so.
func (s *Set) checkCWD() error {
	switch st, err := s.ops.Stat(s.opts.CWD); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the working folder %s does not exist any more, so no command can run in it", s.opts.CWD)
	case err != nil:
		return fmt.Errorf("the working folder %s cannot be used: %s", s.opts.CWD, cause(err))
	case !st.IsDir():
		return fmt.Errorf("the working folder %s is not a folder", s.opts.CWD)
	}
	return nil
}

// prefixed returns the command line with what the settings put before each.
func (s *Set) prefixed(script string) string {
	if s.opts.CommandPrefix != "" {
		return s.opts.CommandPrefix + "\n" + script
	}
	return script
}

// abort has the command ended and returns what there is of its output.
func (s *Set) abort(j *job) agent.Result {
	s.endSoon(j)
	select {
	case <-j.eof:
	case <-time.After(abortWait):
	}
	r := j.result(abortedText)
	if r.Details == nil {
		r.Details = json.RawMessage("{}") // as pi has it
	}
	return r
}

// afterExit is the result of a command whose shell has ended. What the shell
// left running becomes a job.
func (s *Set) afterExit(ctx context.Context, j *job) agent.Result {
	status := ""
	if j.code != 0 {
		status = fmt.Sprintf("%s %d", exitedText, j.code)
	}
	late := time.NewTimer(lateOutput)
	defer late.Stop()
	quiet := false
	select {
	case <-j.eof:
		quiet = true
	case <-late.C:
	case <-ctx.Done():
		return s.abort(j)
	}
	// A process that is just ending is no job; what has gone elsewhere can only
	// be there if the command speaks of it.
	thorough := maySpawn(j.command)
	for step := time.Millisecond; quiet && j.proc.Alive(thorough); step *= 2 {
		if step > lateOutput/2 {
			return j.resultWith(status, leftNote, s.background(j, false))
		}
		select {
		case <-time.After(step):
		case <-ctx.Done():
			return s.abort(j)
		}
	}
	if quiet {
		s.forget(j)
		return j.result(status)
	}
	return j.resultWith(status, leftNote, s.background(j, true))
}

// maySpawn reports whether a command line looks as if it started something
// that outlives it. It spares the others a look at the process table.
func maySpawn(script string) bool {
	for _, word := range []string{"setsid", "nohup", "disown", "daemon"} {
		if strings.Contains(script, word) {
			return true
		}
	}
	for i := range len(script) {
		if script[i] != '&' {
			continue
		}
		before, after := byte(' '), byte(' ')
		if i > 0 {
			before = script[i-1]
		}
		if i+1 < len(script) {
			after = script[i+1]
		}
		// &&, >&, <&, |&, &> are something else.
		if !strings.ContainsRune("&<>|", rune(before)) && after != '&' && after != '>' {
			return true
		}
	}
	return false
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// result is the command's output so far. status is why it is an error.
func (j *job) result(status string) agent.Result { return j.resultWith(status, "", nil) }

// resultWith also tells of a background job, in the words of format.
func (j *job) resultWith(status, format string, b *Job) agent.Result {
	text, cut, path := j.out.snapshot()
	d := BashDetails{Truncation: cut, FullOutputPath: path}
	var parts []string
	if text != "" {
		parts = append(parts, text)
	} else if status == "" || strings.HasPrefix(status, exitedText) {
		parts = append(parts, "(no output)")
	}
	if note := j.out.note(cut, path); note != "" {
		parts = append(parts, note)
	}
	if b != nil {
		d.JobID = b.ID
		note := fmt.Sprintf(format, b.ID, b.PID)
		if b.LogPath != "" {
			d.FullOutputPath = b.LogPath
			note += " All its output: " + b.LogPath
		}
		parts = append(parts, "["+note+"]")
	}
	if status != "" {
		parts = append(parts, status)
	}
	if len(parts) == 1 && text != "" && cut == nil && j.out.endsLine() {
		parts[0] += "\n" // as it was written, which pi keeps too
	}
	r := agent.TextResult(strings.Join(parts, "\n\n"))
	r.IsError = status != ""
	if d != (BashDetails{}) {
		// A struct of numbers and strings always encodes.
		r.Details, _ = json.Marshal(d)
	}
	return r
}
