package packages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// fetchGit clones a repository, and puts the clone in the place of the one
// before.
func (m *Manager) fetchGit(ctx context.Context, s Source) error {
	git := m.GitProgram
	if git == "" {
		var err error
		if git, err = exec.LookPath("git"); err != nil {
			return errors.New("the program git is not there")
		}
	}
	root := filepath.Join(m.Base, "git")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(root, ".new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	clone := filepath.Join(tmp, "repo")
	m.say("cloning %s", s.URL)
	// No hook, no filter and no helper that the repository or its host could name.
	safe := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never", "-c", "advice.detachedHead=false"}
	run := func(dir string, args ...string) error {
		return m.command(ctx, dir, git, append(append([]string{}, safe...), args...)...)
	}
	quick := []string{"clone", "--quiet", "--depth", "1", "--no-recurse-submodules"}
	if s.Version != "" {
		quick = append(quick, "--branch", s.Version)
	}
	if err := run(tmp, append(quick, "--", s.URL, clone)...); err != nil {
		if s.Version == "" || ctx.Err() != nil {
			return err
		}
		// A commit is no branch: all of the repository has to come.
		_ = os.RemoveAll(clone)
		if err := run(tmp, "clone", "--quiet", "--no-checkout", "--no-recurse-submodules", "--", s.URL, clone); err != nil {
			return err
		}
		if err := run(clone, "checkout", "--quiet", "--detach", s.Version, "--"); err != nil {
			return fmt.Errorf("there is no %s: %w", s.Version, err)
		}
	}
	if err := m.dependencies(ctx, clone); err != nil {
		return err
	}
	return replaceDir(clone, s.Dir(m.Base))
}
