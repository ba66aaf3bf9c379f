package interactive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"tau/session/doctor"
	"tau/session/settings"
	"tau/themes"
	"tau/tui/text"
)

// doctor is the command /doctor: what is wrong, and what this terminal can do.
func (p *program) doctor(string) {
	path, a := p.session.Store().Path(), p.app
	if !p.session.Store().Saved() {
		path = ""
	}
	width, height := p.ui.Size()
	rows := [][2]string{
		{"version", a.Version + " on " + runtime.GOOS + "/" + runtime.GOARCH},
		{"terminal", fmt.Sprintf("%s %s, %d×%d", os.Getenv("TERM"), os.Getenv("TERM_PROGRAM"), width, height)},
		{"colours", depthName(themes.DepthFromEnv(os.Getenv))},
		{"links", onOff(p.look.Hyperlinks)},
		{"multiplexer", multiplexer()},
		{"screen", map[bool]string{true: "regular", false: "fullscreen"}[p.inline]},
		{"agent folder", homeShort(a.AgentDir)},
		{"model", p.session.Model().Ref()},
		{"project", p.projectFact()},
	}
	go func() {
		rows = append(rows, [2]string{"settings", settingsFact(a.SettingsPath())})
		rows = append(rows, [2]string{"key bindings", p.keysFact()})
		for _, name := range []string{"git", "rg", "fd"} {
			rows = append(rows, [2]string{name, whereIs(name)})
		}
		rows = append(rows, [2]string{"this session", sessionFact(path)})
		p.ui.Post(func() {
			var b strings.Builder
			b.WriteString("| | |\n|---|---|\n")
			for _, r := range rows {
				fmt.Fprintf(&b, "| %s | %s |\n", r[0], strings.ReplaceAll(oneLine(r[1]), "|", "\\|"))
			}
			b.WriteString("\n`tau doctor` checks all sessions, `tau doctor --repair` mends copies of those that are damaged.\n")
			p.remark(b.String())
			p.ui.RequestRender()
		})
	}()
}

func depthName(d themes.Depth) string {
	switch d {
	case themes.Truecolor:
		return "true colour"
	case themes.Colors256:
		return "256"
	case themes.Colors16:
		return "16"
	}
	return "none"
}

func multiplexer() string {
	switch {
	case os.Getenv("TMUX") != "":
		out, err := exec.Command("tmux", "show", "-gv", "extended-keys").Output()
		if err == nil && strings.TrimSpace(string(out)) == "off" {
			return "tmux; some keys do not arrive: set -g extended-keys on"
		}
		return "tmux"
	case strings.HasPrefix(os.Getenv("TERM"), "screen"):
		return "screen"
	}
	return "none"
}

func (p *program) projectFact() string {
	d := p.app.Trust
	switch {
	case len(d.Files) == 0:
		return "brings nothing of its own"
	case d.Trusted:
		return "trusted: " + strings.Join(d.Files, ", ")
	}
	return "not trusted, not read: " + strings.Join(d.Files, ", ")
}

func settingsFact(path string) string {
	_, problems := settings.Load(path)
	if len(problems) > 0 {
		return problems[0].Error()
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "none, all is as it comes"
	}
	return "sound"
}

// keysFact says what is wrong with keybindings.json.
func (p *program) keysFact() string {
	b, err := os.ReadFile(filepath.Join(p.app.AgentDir, "keybindings.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return "none, all are as they come"
	}
	if err != nil {
		return err.Error()
	}
	problems, err := newKeys().Load(b)
	switch {
	case err != nil:
		return err.Error()
	case len(problems) > 0:
		return problems[0].String()
	}
	return "sound"
}

func whereIs(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return "not found; not needed"
	}
	return path
}

func sessionFact(path string) string {
	if path == "" {
		return "nothing on disk yet"
	}
	r, err := doctor.Check(path)
	if err != nil {
		return err.Error()
	}
	if r.Sound() {
		return "sound"
	}
	for _, f := range r.Findings {
		if !f.Kind.Harmless() {
			return text.Truncate(f.String(), 120, "…")
		}
	}
	return "sound"
}
