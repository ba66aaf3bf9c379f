package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// Output is what a command line of the user's own left.
type Output struct {
	Text           string // the end of it, as the bash tool cuts it
	ExitCode       *int   // nil if it was cancelled or runs on in the background
	Cancelled      bool
	Truncated      bool
	FullOutputPath string // of everything, if it was cut
	JobID          string // what it left runs on
}

// Run runs a command line of the user's own in the working folder, as the bash
// tool does. It has no timeout; ctx ends it, and what was written until then is
// returned. delta gets the output as it comes, as clean text, on a goroutine of
// Run and not after it has returned; if it blocks, the command has to wait. An
// error means that nothing was run.
func (s *Set) Run(ctx context.Context, command string, delta func(text string)) (Output, error) {
	if strings.TrimSpace(command) == "" {
		return Output{}, errors.New("command is empty")
	}
	if err := s.checkCWD(); err != nil {
		return Output{}, err
	}
	d := newDeltas(delta)
	defer d.stop()
	j, err := s.start("", s.prefixed(command), d.write)
	if err != nil {
		return Output{}, err
	}
	var out Output
	select {
	case <-j.exited:
		// Also says what goes on in the background.
		r := s.afterExit(ctx, j)
		var details BashDetails
		if json.Unmarshal(r.Details, &details) == nil {
			out.JobID, out.FullOutputPath = details.JobID, details.FullOutputPath
		}
		if ctx.Err() == nil {
			code := j.code
			out.ExitCode = &code
		} else {
			out.Cancelled = true
		}
	case <-ctx.Done():
		s.abort(j)
		out.Cancelled = true
	}
	text, cut, path := j.out.snapshot()
	out.Text = text
	if cut == nil && j.out.endsLine() {
		out.Text += "\n" // as it was written, which pi keeps too
	}
	if cut != nil {
		out.Truncated, out.FullOutputPath = true, path
	}
	return out, nil
}
