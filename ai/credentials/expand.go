package credentials

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// commandLimit is how long a command that prints a key may take.
const commandLimit = 10 * time.Second

// expand reads a configured value: $NAME and ${NAME} stand for variables, $$
// for a dollar sign, $! for an exclamation mark; a value that begins with ! is
// a command of which the output counts. cached outputs are kept for the life
// of the process.
func (r *Resolver) expand(ctx context.Context, value string, env map[string]string, cached bool) (string, error) {
	if command, ok := strings.CutPrefix(value, "!"); ok {
		return r.command(ctx, command, cached)
	}
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(value, "$")
		out.WriteString(before)
		if !ok {
			return out.String(), nil
		}
		if rest != "" && (rest[0] == '$' || rest[0] == '!') {
			out.WriteByte(rest[0])
			value = rest[1:]
			continue
		}
		name, after := variable(rest)
		if name == "" {
			out.WriteByte('$')
			value = rest
			continue
		}
		text := env[name]
		if text == "" {
			text = r.getenv(name)
		}
		if text == "" {
			return "", fmt.Errorf("the variable %s is not set", name)
		}
		out.WriteString(text)
		value = after
	}
}

// variable takes a name, bare or in braces, off the beginning of s.
func variable(s string) (name, rest string) {
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		name, rest, ok = strings.Cut(inner, "}")
		if !ok || nameLen(name) != len(name) {
			return "", s
		}
		return name, rest
	}
	n := nameLen(s)
	return s[:n], s[n:]
}

func nameLen(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}

func (r *Resolver) command(ctx context.Context, command string, cached bool) (string, error) {
	if cached {
		// Held while the command runs, so that two requests do not ask the user's
		// password manager twice.
		r.mu.Lock()
		defer r.mu.Unlock()
		if out, ok := r.commands[command]; ok {
			return out, nil
		}
	}
	limited, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	cmd := exec.CommandContext(limited, "sh", "-c", command)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(limited, "cmd", "/C", command)
	}
	cmd.WaitDelay = time.Second // a child may hold the pipe
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	err := cmd.Run()
	if ctx.Err() == nil && limited.Err() != nil {
		err = fmt.Errorf("it took longer than %v", commandLimit)
	}
	if err == nil && strings.TrimSpace(stdout.String()) == "" {
		err = errors.New("it printed nothing")
	}
	if err != nil {
		return "", fmt.Errorf("the command failed: %w", err)
	}
	out := strings.TrimSpace(stdout.String())
	if cached {
		if r.commands == nil {
			r.commands = make(map[string]string)
		}
		r.commands[command] = out
	}
	return out, nil
}
