package interactive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tau/cmd/tau/internal/headless"
	"tau/components"
	"tau/components/chat"
	"tau/session"
	"tau/themes"
	"tau/tui/text"
)

// status is what the editor's border says.
type status struct {
	working bool
	since   time.Time
	frame   int
	what    string // other than working
	retry   *session.Retry
	until   time.Time // end of the wait before a repetition
	hint    string    // shown for a moment
	own     bool      // what is typed begins with !
	cancel  func()    // stops the ticking
}

// tickEvery is the pace of the spinner.
const tickEvery = 100 * time.Millisecond

func frames() []string {
	return []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
}

func (p *program) startWorking() {
	if p.status.working {
		return
	}
	p.status.working, p.status.since = true, time.Now()
	p.progress(true)
	p.tick()
}

func (p *program) stopWorking() {
	if p.status.cancel != nil {
		p.status.cancel()
	}
	if p.status.working {
		p.progress(false)
		p.notify(time.Since(p.status.since))
	}
	p.status = status{hint: p.status.hint, own: p.status.own}
	p.relabel()
}

// tick moves the spinner. It runs only while the agent works.
func (p *program) tick() {
	if !p.status.working {
		return
	}
	all := frames()
	p.status.frame++
	p.showShell()
	p.script.tick(time.Now(), all[p.status.frame%len(all)])
	p.relabel()
	p.ui.RequestRender()
	every := tickEvery
	if p.ext.own && len(p.ext.frames) > 1 && p.ext.interval >= 20*time.Millisecond {
		every = p.ext.interval
	}
	// A frame that is drawn anyway may be the one that moves it.
	p.status.cancel = p.ui.Between(every*3/4, every, p.tick)
}

// relabel writes the editor's border.
func (p *program) relabel() {
	th := p.look.Theme
	dim := func(s string) string { return th.Fg(themes.Dim, s) }
	left, right := "", ""
	s := &p.status
	stop := p.keys.Hint("app.interrupt")
	switch {
	case s.hint != "":
		left = th.Fg(themes.Warning, s.hint)
	case s.working && s.retry != nil:
		wait := max(0, time.Until(s.until)).Round(time.Second)
		left = fmt.Sprintf("%s %s %s", th.Fg(themes.Warning, frames()[s.frame%len(frames())]),
			th.Fg(themes.Warning, fmt.Sprintf("again in %v (%d of %d)", wait, s.retry.Attempt, s.retry.Max)),
			dim("· "+oneLine(s.retry.Reason)+" · "+stop+" stops"))
		if w, _ := p.ui.Size(); w > 0 {
			left = text.Truncate(left, max(10, w-20), "…")
		}
	case s.working && p.ext.hidden:
	case s.working:
		left = p.spinner() + th.Fg(themes.Muted, p.doing()+" "+elapsed(time.Since(s.since))) + dim(" · "+stop+" to stop")
		if p.backgroundable() {
			left += dim(" · " + p.keys.Hint("app.tools.background") + " to background")
		}
	}
	var counts []string
	if n := len(p.queue.steering); n > 0 {
		counts = append(counts, fmt.Sprintf("steering %d", n))
	}
	if n := len(p.queue.followUp); n > 0 {
		counts = append(counts, fmt.Sprintf("follow-up %d", n))
	}
	if m := p.editor.VimMode(); m > components.VimInsert {
		counts = append(counts, m.String())
	}
	if len(counts) > 0 {
		right = dim(strings.Join(counts, " · "))
	}
	p.editor.SetLabels(left, right)
	p.editor.SetBorder(th.Style(p.borderToken()))
}

// spinner is what moves, with a blank behind it.
func (p *program) spinner() string {
	if p.ext.own {
		if len(p.ext.frames) == 0 {
			return ""
		}
		return p.ext.frames[p.status.frame%len(p.ext.frames)] + "\x1b[0m "
	}
	return p.look.Theme.Fg(themes.Accent, frames()[p.status.frame%len(frames())]) + " "
}

func (p *program) doing() string {
	switch {
	case p.status.what != "":
		return p.status.what
	case p.ext.message != nil:
		return oneLine(*p.ext.message)
	}
	return "working"
}

// elapsed is a time in whole seconds: the border is redrawn ten times a second
// and should not flicker.
func elapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return chat.Duration(d)
}

// editing follows what is typed: a command of one's own has a border of its own.
func (p *program) editing() {
	if p.footer == nil || p.session == nil {
		return // it is being built
	}
	if own := strings.HasPrefix(p.editor.Text(), "!"); own != p.status.own {
		p.status.own = own
		p.relabel()
	}
}

func (p *program) borderToken() themes.Token {
	if strings.HasPrefix(p.editor.Text(), "!") {
		return themes.BashMode
	}
	switch p.session.Thinking() {
	case "minimal":
		return themes.ThinkingMinimal
	case "low":
		return themes.ThinkingLow
	case "medium":
		return themes.ThinkingMedium
	case "high":
		return themes.ThinkingHigh
	case "xhigh":
		return themes.ThinkingXhigh
	case "max":
		return themes.ThinkingMax
	}
	return themes.ThinkingOff
}

// hint shows a remark in the border for a while.
func (p *program) hint(s string) {
	p.status.hint = s
	p.relabel()
	p.ui.RequestRender()
	p.ui.After(2*time.Second, func() {
		if p.status.hint == s {
			p.status.hint = ""
			p.relabel()
			p.ui.RequestRender()
		}
	})
}

// footer is the last line: place, branch, session; model, thinking, context,
// cost.
type footer struct {
	p       *program
	session *session.Session
	branch  string
	lines   []string
	width   int
}

func (f *footer) refresh() {
	f.branch = gitBranch(f.session.CWD())
	f.width = 0
}

// Render implements tui.Component.
func (f *footer) Render(width int) []string {
	if f.width == width {
		return f.lines
	}
	f.width = width
	th := f.p.look.Theme
	muted := func(s string) string { return th.Fg(themes.Muted, s) }
	dim := func(s string) string { return th.Fg(themes.Dim, s) }

	place := homeShort(f.session.CWD())
	m := f.session.Model()
	name := m.ID
	if m.API == "demo" {
		name = m.Name
	}
	level := ""
	if m.Reasoning {
		level = string(f.session.Thinking())
	}
	cost := ""
	if c := f.session.Usage().Cost.Total; c > 0 {
		cost = fmt.Sprintf("$%.2f", c)
		if c < 0.1 {
			cost = fmt.Sprintf("$%.3f", c)
		}
	}
	gauge, percent := f.context()

	// Fields go in a fixed order when there is no room: gauge bar, branch,
	// session name, thinking, cost, place.
	left := []string{muted(place)}
	if f.branch != "" {
		left = append(left, dim("("+f.branch+")"))
	}
	if n := f.session.Store().Name(); n != "" {
		left = append(left, dim("· "+oneLine(n)))
	}
	right := []string{muted(oneLine(name)), muted(level), gauge + percent, muted(cost)}
	for drop := 0; ; drop++ {
		switch drop {
		case 1:
			right[2] = percent
		case 2:
			left = left[:min(len(left), 2)]
		case 3:
			left = left[:1]
		case 4:
			right[1] = ""
		case 5:
			right[3] = ""
		case 6:
			left = nil
		}
		l, r := "  "+strings.Join(left, " "), join(right, dim(" · "))
		gap := width - text.Width(l) - text.Width(r) - 1
		if gap >= 2 {
			f.lines = []string{l + text.Spaces(gap) + r}
			break
		}
		if drop >= 6 {
			f.lines = []string{text.Truncate(" "+r, width, "…")}
			break
		}
	}
	return f.lines
}

func join(parts []string, sep string) string {
	var have []string
	for _, p := range parts {
		if text.Width(p) > 0 {
			have = append(have, p)
		}
	}
	return strings.Join(have, sep)
}

// context draws how full the model's window is.
func (f *footer) context() (bar, percent string) {
	th := f.p.look.Theme
	window := f.session.Model().ContextWindow
	count, known := f.session.ContextUsage()
	if !known {
		return "", th.Fg(themes.Muted, "?%")
	}
	if window <= 0 {
		return "", th.Fg(themes.Muted, headless.Tokens(count))
	}
	used := float64(count) / float64(window)
	tok := themes.Muted
	switch {
	case used > 0.9:
		tok = themes.ErrorColor
	case used > 0.7:
		tok = themes.Warning
	}
	const cells = 10
	full := min(cells, int(used*cells+0.5))
	bar = th.Fg(themes.Dim, "▕") + th.Fg(tok, strings.Repeat("█", full)) + th.Fg(themes.Dim, strings.Repeat("░", cells-full)+"▏") + " "
	return bar, th.Fg(tok, fmt.Sprintf("%.0f%%", used*100))
}

func homeShort(dir string) string {
	if home, err := os.UserHomeDir(); err == nil && home != "" && home != "/" {
		if dir == home {
			return "~"
		}
		if rest, ok := strings.CutPrefix(dir, home+string(filepath.Separator)); ok {
			return "~" + string(filepath.Separator) + rest
		}
	}
	return dir
}

// gitBranch reads the branch of the checkout that dir is in, without running
// git.
func gitBranch(dir string) string {
	for {
		head, err := readHead(filepath.Join(dir, ".git"))
		if err == nil {
			if ref, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
				return oneLine(ref)
			}
			if len(head) >= 8 {
				return oneLine(head[:8])
			}
			return ""
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func readHead(git string) (string, error) {
	st, err := os.Stat(git)
	if err != nil {
		return "", err
	}
	if !st.IsDir() {
		// A worktree: the file names the real folder.
		b, err := os.ReadFile(git)
		if err != nil {
			return "", err
		}
		dir := strings.TrimSpace(strings.TrimPrefix(string(b), "gitdir:"))
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(git), dir)
		}
		git = dir
	}
	b, err := os.ReadFile(filepath.Join(git, "HEAD"))
	return strings.TrimSpace(string(b)), err
}
