package packages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"tau/session/settings"
)

// Manager installs packages into one scope: the user's or a project's.
type Manager struct {
	// Base is the folder of the scope: the agent folder, or .tau of a project.
	Base string
	// Settings is the settings.json of the scope.
	Settings string
	// CWD is what relative paths of Install and Remove start from.
	CWD string
	// Relative has paths written relative to Base, as fits a project that others
	// have elsewhere.
	Relative bool
	// Out is told what is done; nil is nobody.
	Out io.Writer
	// HTTP is for downloads without npm; http.DefaultClient if nil.
	HTTP *http.Client
	// NPM and GitProgram are the programs; found on the PATH if empty. NPM "-"
	// is none.
	NPM, GitProgram string
	// Registry is that of npm; the public one if empty.
	Registry string
}

// Entry is a package of the settings.
type Entry struct {
	Source    Source
	Text      string // as the settings have it
	Dir       string
	Installed bool
	Filtered  bool // only a part of it is used
	Err       error
}

func (m *Manager) say(format string, args ...any) {
	if m.Out != nil {
		fmt.Fprintf(m.Out, format+"\n", args...)
	}
}

// List returns the packages of the settings, in their order.
func (m *Manager) List() ([]Entry, error) {
	s, problems := settings.Load(m.Settings)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	var out []Entry
	for _, p := range s.Packages {
		e := Entry{Text: p.Source, Filtered: p.Extensions != nil || p.Skills != nil || p.Prompts != nil || p.Themes != nil || p.Autoload != nil}
		if e.Source, e.Err = Parse(p.Source, m.Base); e.Err == nil {
			e.Dir = e.Source.Dir(m.Base)
			_, err := os.Stat(e.Dir)
			e.Installed = err == nil
		}
		out = append(out, e)
	}
	return out, nil
}

// Install fetches a package and names it in the settings. One that is there
// already is fetched anew, and its entry gets the version that was asked for.
func (m *Manager) Install(ctx context.Context, text string) error {
	s, err := Parse(text, m.CWD)
	if err != nil {
		return err
	}
	if err := m.fetch(ctx, s); err != nil {
		return fmt.Errorf("install %s: %w", s, err)
	}
	if err := m.name(s, m.entry(text, s)); err != nil {
		return fmt.Errorf("install %s: %w", s, err)
	}
	return nil
}

// entry is how the settings name a source.
func (m *Manager) entry(text string, s Source) string {
	if s.Kind != Local {
		return text
	}
	if m.Relative {
		if rel, err := filepath.Rel(m.Base, s.Name); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return s.Name
}

// name puts a source into the settings, in the place of another version of the
// same package.
func (m *Manager) name(s Source, text string) error {
	return settings.Change(m.Settings, func(doc []byte) ([]settings.Op, error) {
		list, has, err := entries(doc)
		if err != nil {
			return nil, err
		}
		if !has {
			return []settings.Op{{Op: "add", Path: "/packages", Value: []string{text}}}, nil
		}
		for i, raw := range list {
			have := source(raw)
			if other, err := Parse(have, m.Base); err != nil || !other.Same(s) {
				continue
			}
			if have == text {
				return nil, nil
			}
			at := settings.Pointer("packages", strconv.Itoa(i))
			if raw[0] == '{' {
				at += "/source" // what it is narrowed to stays
			}
			return []settings.Op{{Op: "replace", Path: at, Value: text}}, nil
		}
		return []settings.Op{{Op: "add", Path: "/packages/-", Value: text}}, nil
	})
}

// ErrNotListed is returned for a package that the settings do not name.
var ErrNotListed = errors.New("the settings do not name it")

// Remove takes a package out of the settings and deletes what was fetched.
// Folders of the user's own stay.
func (m *Manager) Remove(ctx context.Context, text string) error {
	s, err := Parse(text, m.CWD)
	if err != nil {
		return err
	}
	removed := false
	err = settings.Change(m.Settings, func(doc []byte) (ops []settings.Op, err error) {
		list, _, err := entries(doc)
		for i := len(list) - 1; i >= 0; i-- { // from the end, so that places stay
			have := source(list[i])
			if other, err := Parse(have, m.Base); have == text || err == nil && other.Same(s) {
				ops = append(ops, settings.Op{Op: "remove", Path: settings.Pointer("packages", strconv.Itoa(i))})
			}
		}
		removed = len(ops) > 0
		return ops, err
	})
	if err == nil && !removed {
		err = ErrNotListed
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", s, err)
	}
	if err := m.forget(ctx, s); err != nil {
		return fmt.Errorf("remove %s: %w", s, err)
	}
	return nil
}

// Update fetches packages anew, those that are not there included: all of the
// settings, or the one that text names. Those with a version are left at it.
// One that fails is reported and does not keep the others from it.
func (m *Manager) Update(ctx context.Context, text string) (updated int, err error) {
	list, err := m.List()
	if err != nil {
		return 0, err
	}
	var only Source
	if text != "" {
		if only, err = Parse(text, m.CWD); err != nil {
			return 0, err
		}
	}
	found := false
	var errs []error
	for _, e := range list {
		switch {
		case e.Err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", e.Text, e.Err))
			continue
		case text != "" && !e.Source.Same(only):
			continue
		}
		found = true
		if e.Source.Kind == Local || e.Installed && pinned(e.Source) {
			continue
		}
		m.say("updating %s", e.Source)
		if err := m.fetch(ctx, e.Source); err != nil {
			errs = append(errs, fmt.Errorf("update %s: %w", e.Source, err))
			continue
		}
		updated++
	}
	if text != "" && !found {
		return 0, fmt.Errorf("update %s: %w", only, ErrNotListed)
	}
	return updated, errors.Join(errs...)
}

// pinned reports whether a source names one version for good. A branch is
// none.
func pinned(s Source) bool {
	if s.Kind == NPM {
		return s.Version != "" && s.Version[0] >= '0' && s.Version[0] <= '9'
	}
	return s.Version != ""
}

func (m *Manager) fetch(ctx context.Context, s Source) error {
	switch s.Kind {
	case NPM:
		return m.fetchNPM(ctx, s)
	case Git:
		return m.fetchGit(ctx, s)
	}
	if _, err := os.Stat(s.Name); err != nil {
		return fmt.Errorf("%w; packages of others are npm:name, git:host/user/repo or an address", err)
	}
	return nil
}

func (m *Manager) forget(ctx context.Context, s Source) error {
	if s.Kind == Local {
		return nil
	}
	if s.Kind == NPM {
		if npm := m.npm(); npm != "" {
			// It also removes what only this package needed. What it leaves is
			// deleted below.
			_ = m.command(ctx, m.npmDir(), npm, append([]string{"uninstall"}, append(npmFlags(), s.Name)...)...)
		}
	}
	dir := s.Dir(m.Base)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	// The folders of a host and a user go when they are empty.
	for up := filepath.Dir(dir); len(up) > len(filepath.Join(m.Base, string(s.Kind))); up = filepath.Dir(up) {
		if os.Remove(up) != nil {
			break
		}
	}
	return nil
}

// entries are the packages of the settings as they are written.
func entries(doc []byte) (list []json.RawMessage, has bool, err error) {
	var d struct {
		Packages json.RawMessage `json:"packages"`
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, false, err
	}
	if len(d.Packages) == 0 {
		return nil, false, nil
	}
	if err := json.Unmarshal(d.Packages, &list); err != nil || list == nil {
		return nil, true, errors.New("packages in the settings is no list")
	}
	return list, true, nil
}

func source(raw json.RawMessage) string {
	var p settings.Package
	if json.Unmarshal(raw, &p) != nil {
		return ""
	}
	return p.Source
}

// command runs a program to its end; what it says is part of the error.
func (m *Manager) command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// Nobody is asked for anything: what wants a password fails.
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never", "npm_config_update_notifier=false")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text := strings.TrimSpace(string(out))
	if len(text) > 2000 {
		text = "…" + strings.ToValidUTF8(text[len(text)-2000:], "")
	}
	if text == "" {
		text = err.Error()
	}
	return fmt.Errorf("%s: %s", filepath.Base(name), text)
}

// replaceDir puts a folder in the place of another, which is there until then.
func replaceDir(fresh, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	old := fresh + ".old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		_ = os.Rename(old, dir)
		return err
	}
	_ = os.RemoveAll(old)
	return nil
}
