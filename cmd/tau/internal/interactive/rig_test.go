package interactive

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
	"tau/session"
	"tau/tui/term"
	"tau/tui/termtest"
)

var update = flag.Bool("update", false, "write the golden screens")

func TestMain(m *testing.M) {
	flag.Parse()
	time.Local = time.UTC
	os.Exit(m.Run())
}

// rig is the whole program on a virtual terminal, with a scripted model.
type rig struct {
	t    *testing.T
	dev  *termtest.Device
	p    *program
	dir  string
	done chan error
}

// turn is one answer of the scripted model.
type turn struct {
	Thinking   string  `json:"thinking,omitempty"`
	Text       string  `json:"text,omitempty"`
	ToolCalls  []call  `json:"toolCalls,omitempty"`
	DelayMs    int     `json:"delayMs,omitempty"`
	StopReason string  `json:"stopReason,omitempty"`
	Error      *failed `json:"error,omitempty"`
}

type call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

type failed struct {
	Message string `json:"message"`
	Class   string `json:"class"`
}

// home makes a home folder with a work folder in it and goes there.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	t.Setenv("TAU_AGENT_DIR", "")
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("COLORTERM", "truecolor")
	t.Setenv("NO_COLOR", "")
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TMUX", "COLORFGBG", "TERM_PROGRAM"} {
		t.Setenv(name, "")
	}
	t.Chdir(work)
	return work
}

// launch runs body with the program on a screen of w by h.
func launch(t *testing.T, w, h int, o cli.Options, turns []turn, body func(r *rig)) {
	t.Helper()
	work := home(t)
	relaunch(t, work, w, h, o, turns, body)
}

func relaunch(t *testing.T, work string, w, h int, o cli.Options, turns []turn, body func(r *rig)) {
	t.Helper()
	launchOn(t, work, func() *termtest.Device { return termtest.New(w, h) }, o, turns, body)
}

// launchOn runs body with the program on the terminal that open returns.
func launchOn(t *testing.T, work string, open func() *termtest.Device, o cli.Options, turns []turn, body func(r *rig)) {
	t.Helper()
	o.Mode = "text"
	if turns != nil {
		b, err := json.Marshal(map[string]any{"turns": turns})
		if err != nil {
			t.Fatal(err)
		}
		o.Script = filepath.Join(filepath.Dir(work), "script.json")
		if err := os.WriteFile(o.Script, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		a, err := app.New(o, "test")
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Extensions) > 0 {
			a.Front.Mode, a.Front.Late = "tui", true
		}
		s, _, err := a.Start()
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{t: t, dev: open(), dir: work, done: make(chan error, 1)}
		r.p = newProgram(a, s, term.New(r.dev, term.Options{Getenv: func(string) string { return "" }}))
		go func() { r.done <- r.p.ui.Run(context.Background()) }()
		r.settle()
		body(r)
		r.p.ui.Post(func() { r.p.ui.Quit(nil) })
		if err := <-r.done; err != nil {
			t.Errorf("run: %v", err)
		}
		r.p.cancel()
		a.End(r.p.session, "quit", nil)
		if err := r.p.session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		a.Close()
		synctest.Wait()
	})
}

// settle lets happen what happens by itself within a moment.
func (r *rig) settle() { r.wait(200 * time.Millisecond) }

func (r *rig) wait(d time.Duration) {
	synctest.Wait()
	time.Sleep(d)
	synctest.Wait()
}

// finish waits until the agent is idle.
func (r *rig) finish() {
	r.t.Helper()
	for range 1000 {
		if !r.session().Busy() {
			r.settle()
			return
		}
		r.wait(50 * time.Millisecond)
	}
	r.t.Fatal("the agent does not come to rest")
}

func (r *rig) session() *session.Session { return r.p.session }

func (r *rig) typing(s string) {
	r.dev.Type(s)
	r.settle()
}

// keys are what terminals send.
const (
	enter    = "\r"
	esc      = "\x1b"
	altEnter = "\x1b\r"
	altUp    = "\x1b[1;3A"
	ctrlC    = "\x03"
	ctrlD    = "\x04"
	ctrlO    = "\x0f"
	ctrlT    = "\x14"
	ctrlL    = "\x0c"
)

func (r *rig) ask(s string) {
	r.dev.Type(s)
	r.wait(20 * time.Millisecond)
	r.dev.Type(enter)
	r.wait(20 * time.Millisecond)
}

// screen is what is to be seen, without what differs from run to run.
func (r *rig) screen() string {
	took := regexp.MustCompile(`( ·)? \d+(\.\d)?m?s( ?)$`)
	var out []string
	for _, l := range strings.Split(r.dev.String(), "\n") {
		out = append(out, strings.TrimRight(took.ReplaceAllString(strings.TrimRight(l, " "), " ‹time›"), " "))
	}
	return strings.Join(out, "\n")
}

// golden compares the screen with a file of testdata.
func (r *rig) golden(name string) {
	r.t.Helper()
	file := filepath.Join(testdata, name+".golden")
	got := r.screen() + "\n"
	if *update {
		if err := os.MkdirAll(testdata, 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			r.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	if got != string(want) {
		r.t.Errorf("screen %s\n%s\nwant\n%s", name, got, want)
	}
}

// testdata is absolute: tests change the working folder.
var testdata = func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return filepath.Join(dir, "testdata")
}()

func (r *rig) has(parts ...string) {
	r.t.Helper()
	s := r.dev.String()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			r.t.Errorf("%q is not on the screen:\n%s", p, s)
		}
	}
}

func (r *rig) hasNot(parts ...string) {
	r.t.Helper()
	s := r.dev.String()
	for _, p := range parts {
		if strings.Contains(s, p) {
			r.t.Errorf("%q is on the screen:\n%s", p, s)
		}
	}
}
