package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// findShell returns the shell for commands: the chosen one, else bash, else sh.
func findShell(chosen string) (string, error) {
	if chosen != "" {
		path, err := exec.LookPath(chosen)
		if err != nil {
			return "", fmt.Errorf("the shell %s of the settings cannot be run: %w", chosen, unwrapExec(err))
		}
		return path, nil
	}
	if runtime.GOOS == "windows" {
		// bash.exe in System32 is the one of WSL, which sees other paths.
		for _, base := range []string{os.Getenv("ProgramFiles"), os.Getenv("ProgramFiles(x86)"), filepath.Join(os.Getenv("LocalAppData"), "Programs")} {
			path := filepath.Join(base, "Git", "bin", "bash.exe")
			if _, err := os.Stat(path); err == nil && base != "" {
				return path, nil
			}
		}
	}
	for _, name := range []string{"bash", "sh"} {
		path, err := exec.LookPath(name)
		if err == nil && !strings.Contains(strings.ToLower(path), `\system32\`) {
			return path, nil
		}
	}
	if runtime.GOOS == "windows" {
		return "", fmt.Errorf("there is no bash; install Git for Windows, or name a shell in the setting shellPath")
	}
	return "", fmt.Errorf("neither bash nor sh is on the PATH; name a shell in the setting shellPath")
}

// shells remembers where shells were found: to look for one takes a call of the
// system for each folder of the PATH. It is safe for concurrent use.
type shells struct {
	mu    sync.Mutex
	found map[string]string
}

// find is findShell; known says that the path was found before.
func (s *shells) find(chosen string) (path string, known bool, err error) {
	if s == nil {
		path, err = findShell(chosen)
		return path, false, err
	}
	key := chosen + "\x00" + os.Getenv("PATH")
	s.mu.Lock()
	defer s.mu.Unlock()
	if path := s.found[key]; path != "" {
		return path, true, nil
	}
	if path, err = findShell(chosen); err != nil {
		return "", false, err
	}
	if s.found == nil {
		s.found = map[string]string{}
	}
	s.found[key] = path
	return path, false, nil
}

func (s *shells) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = nil
}

// markVariable holds Command.Mark.
const markVariable = "TAU_COMMAND"

// environment is tau's own as commands get it: nothing in it makes a program
// wait for a person.
func environment(c Command) []string {
	env := os.Environ()
	has := func(name string) bool {
		return slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	}
	for _, e := range [...][2]string{
		// Answers that a person may have chosen otherwise.
		{"DEBIAN_FRONTEND", "noninteractive"},
		{"GIT_EDITOR", "true"}, // take the message that is offered
		{"GIT_ASKPASS", ""},    // no window asks for a password
		{"SSH_ASKPASS_REQUIRE", "never"},
		{"GCM_INTERACTIVE", "never"},
		{"PIP_NO_INPUT", "1"},
	} {
		if !has(e[0]) {
			env = append(env, e[0]+"="+e[1])
		}
	}
	env = append(env,
		"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "GH_PAGER=cat", "AWS_PAGER=",
		"GIT_TERMINAL_PROMPT=0",
		"AI_AGENT=tau", "TAU=1",
		"PWD="+c.Dir,
	)
	env = append(env, c.Env...)
	// A tau inside a command of tau leaves the outer mark in place.
	mark := c.Mark
	if outer := os.Getenv(markVariable); outer != "" {
		mark = outer + " " + mark
	}
	return append(env, markVariable+"="+mark)
}
