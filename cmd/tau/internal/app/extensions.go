package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"tau/ai"
	"tau/session"
	"tau/session/extension"
	"tau/session/extension/js"
	"tau/session/resources"
	"tau/themes"
	"tau/tui/text"
)

// Front is the mode that runs, as extensions see it. It is set before the first
// session is opened.
type Front struct {
	Mode string // tui, rpc, json or print
	UI   extension.UI
	// Late has extensions loaded after the first session is there, with LoadLate,
	// so that the screen does not wait for them.
	Late bool
	// Theme is the theme that is in use; dark if nil.
	Theme func() *themes.Theme
	// KeyText returns the keys of a binding.
	KeyText func(id string) string
	// Copy puts text on the clipboard; nil if there is none.
	Copy func(text string)
	// OnError is told what goes wrong in extensions.
	OnError func(extension.Failure)
	// OnChange is called when commands, tools or shortcuts have changed.
	OnChange func()
	// Output takes what extensions write to their console.
	Output func(stream, text string)

	// See extension.Program.
	NewSession func(ctx context.Context, parent string, setup []json.RawMessage) (bool, error)
	Fork       func(ctx context.Context, entryID, position string) (bool, error)
	Switch     func(ctx context.Context, path string) (bool, error)
	Reload     func(ctx context.Context) error
	Shutdown   func()
	Submit     func(text string, d session.Delivery)
}

// extensions is what the program knows of the extensions of its sessions.
type extensions struct {
	mu      sync.Mutex
	loader  *js.Loader
	loaded  *extension.Runner // for the next session
	runners map[*session.Session]*extension.Runner
	signins map[string]*extension.SignIn
	streams map[string]ai.StreamFunc // by provider, or by the reference of a model
	found   extension.Found
	flags   map[string]any
	claimed bool
	begun   bool // extensions have been loaded once
	pending bool // the first session waits for LoadLate
}

// Runner returns the extensions of a session. It is never nil.
func (a *App) Runner(s *session.Session) *extension.Runner {
	a.ext.mu.Lock()
	defer a.ext.mu.Unlock()
	if r := a.ext.runners[s]; r != nil {
		return r
	}
	return extension.NewRunner(extension.Options{})
}

// prepare loads the extensions for the next session, and asks them about the
// project if nobody has decided.
func (a *App) prepare() (*extension.Runner, error) {
	if r := a.ext.loaded; r != nil {
		return r, nil
	}
	if a.later() {
		a.ext.pending = true
		return extension.NewRunner(extension.Options{}), nil
	}
	a.ext.begun = true
	r := extension.NewRunner(a.runnerOptions())
	files := a.extensionFiles()
	ctx := context.Background()
	a.loadExtensions(ctx, r, files)
	if a.Trust.Ask && r.Wants("project_trust") {
		if yes, remember, decided := r.ProjectTrust(ctx); decided {
			folder := ""
			if remember {
				folder = a.CWD
			}
			if err := a.SetTrust(yes, folder); err != nil {
				a.Problems = append(a.Problems, err)
			}
			var more []resources.Source
			for _, f := range a.extensionFiles() {
				if !slices.ContainsFunc(files, func(o resources.Source) bool { return o.Path == f.Path }) {
					more = append(more, f)
				}
			}
			a.loadExtensions(ctx, r, more)
		}
	}
	if len(a.fatal) > 0 {
		err := a.fatal
		a.fatal = nil
		r.Close()
		return nil, errors.Join(err...)
	}
	if !a.ext.claimed && (len(a.Options.Unknown) > 0 || !r.Empty()) {
		types := map[string]string{}
		for _, f := range r.Flags() {
			types[f.Name] = f.Type
		}
		values, err := a.Options.Claim(types)
		if err != nil {
			r.Close()
			return nil, err
		}
		a.ext.flags, a.ext.claimed = values, true
	}
	r.SetFlags(a.ext.flags)
	r.Providers()
	a.ext.loaded = r
	return r, nil
}

// later reports whether the first session can do without its extensions for a
// while. It cannot if they may have the flags or the model that it begins with.
func (a *App) later() bool {
	if !a.Front.Late || a.ext.begun || len(a.Options.Unknown) > 0 {
		return false
	}
	if m := a.Options.Model; m != "" {
		if _, _, err := a.FindModel(m); err != nil {
			return false
		}
	}
	if p := a.Settings.DefaultProvider; p != "" && len(a.Catalog.Models(p)) == 0 {
		return false
	}
	return len(a.extensionFiles()) > 0
}

// Pending reports whether LoadLate has something to do.
func (a *App) Pending() bool { return a.ext.pending }

// LoadLate loads the extensions of the first session and begins it.
func (a *App) LoadLate(s *session.Session) error {
	a.ext.pending, a.ext.begun = false, true
	r, err := a.prepare()
	if err != nil {
		return err
	}
	a.bind(s, r)
	s.SetHooks(hooks(r))
	a.retool(s, r)
	a.Begin(s, "startup", "")
	return nil
}

func (a *App) extensionFiles() []resources.Source {
	var out []resources.Source
	for _, e := range a.Resources().Extensions {
		out = append(out, e.Source)
	}
	return out
}

// loadExtensions loads files. One of the command line that cannot be loaded is
// fatal, others are left out.
func (a *App) loadExtensions(ctx context.Context, r *extension.Runner, files []resources.Source) {
	if len(files) == 0 {
		return
	}
	failures := r.Load(ctx, files)
	a.scripts().Settle()
	for _, f := range failures {
		err := fmt.Errorf("the extension %s cannot be loaded: %s", f.Path, f.Err)
		i := slices.IndexFunc(files, func(s resources.Source) bool { return s.Path == f.Path })
		if i >= 0 && files[i].Scope == resources.Temporary {
			a.fatal = append(a.fatal, err)
		} else {
			a.Problems = append(a.Problems, err)
		}
	}
}

func (a *App) runnerOptions() extension.Options {
	f := a.Front
	report := f.OnError
	if report == nil {
		report = func(e extension.Failure) {
			fmt.Fprintf(os.Stderr, "tau: extension %s (%s): %s\n", e.Path, e.Event, e.Err)
		}
	}
	mode := f.Mode
	if mode == "" {
		mode = "print"
	}
	return extension.Options{
		Load: a.loadExtension, Program: a.program(), UI: f.UI, Mode: mode, CWD: a.CWD, OnError: report, OnChange: f.OnChange,
	}
}

// loadExtension starts an extension with the carrier that its file needs.
func (a *App) loadExtension(ctx context.Context, src resources.Source, h extension.Host) (extension.Carrier, error) {
	if isScript(src.Path) {
		return a.scripts().Load(ctx, src, h)
	}
	return a.startProgram(ctx, src, h)
}

func isScript(path string) bool {
	switch filepath.Ext(path) {
	case ".ts", ".js", ".mts", ".mjs", ".tsx", ".jsx", ".cts", ".cjs":
		return true
	}
	return false
}

// readyScripts has the engines for extensions started beside the rest of the
// start, in the modes that wait for them. A screen is drawn first.
func (a *App) readyScripts() {
	if a.Options.Mode == "text" && !a.Options.Print {
		return
	}
	n := 0
	for _, f := range a.extensionFiles() {
		if isScript(f.Path) {
			n++
		}
	}
	if n > 0 {
		a.scripts().Ready(n)
	}
}

func (a *App) scripts() *js.Loader {
	a.ext.mu.Lock()
	defer a.ext.mu.Unlock()
	if a.ext.loader == nil || a.ext.loader.Env.CWD != a.CWD {
		a.ext.loader = &js.Loader{
			Cache: filepath.Join(a.AgentDir, "cache", "extensions"),
			Env: js.Env{
				AgentDir: a.AgentDir, ProjectDir: ProjectDir, CWD: a.CWD, Version: a.Version,
				Output: func(stream, text string) {
					if write := a.Front.Output; write != nil { // known only after the first engines
						write(stream, text)
					}
				},
				Text: js.Text{Width: text.Width, Truncate: text.Truncate, Wrap: text.Wrap, Slice: text.Slice, Markdown: a.markdown},
			},
		}
	}
	return a.ext.loader
}

// Begin tells the extensions of a session that it has begun, when the mode shows
// it; reason is startup, reload, new, resume or fork.
func (a *App) Begin(s *session.Session, reason, previous string) {
	r := a.Runner(s)
	if r.Empty() {
		return
	}
	ctx := context.Background()
	r.Start(ctx, reason, previous)
	when := "startup"
	if reason == "reload" {
		when = reason
	}
	if found := r.Discover(ctx, when); len(found.Skills)+len(found.Prompts)+len(found.Themes) > 0 {
		a.ext.mu.Lock()
		a.ext.found = found
		a.ext.mu.Unlock()
		problems := a.Problems
		a.Reload()
		a.Problems = append(problems, a.Problems...)
	}
}

// shutdownLimit is how long extensions may take to end.
const shutdownLimit = 10 * time.Second

// End tells the extensions of a session that it is over. They are ended when
// they have nothing left to do; what they still ask for is done in the session
// that takes the place, if there is one.
func (a *App) End(s *session.Session, reason string, next *session.Session) {
	a.ext.mu.Lock()
	r := a.ext.runners[s]
	delete(a.ext.runners, s)
	by := a.ext.runners[next]
	a.ext.mu.Unlock()
	if r == nil || r.Empty() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownLimit)
	defer cancel()
	target := ""
	if next != nil {
		target = next.Store().Path()
	}
	r.Shutdown(ctx, reason, target)
	if by != nil {
		r.Replaced(by)
		r.CloseWhenIdle()
		return
	}
	a.unserve(r)
	r.Close()
}

// bind gives a session the extensions that were loaded for it.
func (a *App) bind(s *session.Session, r *extension.Runner) {
	a.ext.mu.Lock()
	if a.ext.runners == nil {
		a.ext.runners = map[*session.Session]*extension.Runner{}
	}
	a.ext.runners[s] = r
	a.ext.loaded = nil
	a.ext.mu.Unlock()
	r.Bind(s)
	a.serve(r)
}

// Intercept gives what the user typed to the extensions of a session: a command
// of theirs runs, and they may change the rest. handled is true if nothing is to
// be sent. It lasts as long as they take.
func (a *App) Intercept(ctx context.Context, s *session.Session, content []ai.Block, source, delivery string) (out []ai.Block, handled bool) {
	r := a.Runner(s)
	if r.Empty() {
		return content, false
	}
	if len(content) > 0 {
		if t, ok := content[0].(*ai.Text); ok {
			if c, args, ok := r.Command(t.Text); ok {
				_ = r.Run(ctx, c, args) // the runner tells of failures
				return nil, true
			}
		}
	}
	return r.Input(ctx, extension.Input{Content: content, Source: source, Delivery: delivery})
}

// ReloadExtensions reads files and extensions again. The session goes on with
// what they bring.
func (a *App) ReloadExtensions(s *session.Session) error {
	old := a.Runner(s)
	ctx, cancel := context.WithTimeout(context.Background(), shutdownLimit)
	defer cancel()
	old.Shutdown(ctx, "reload", "")
	a.ext.mu.Lock()
	a.ext.found, a.ext.loaded = extension.Found{}, nil
	a.ext.mu.Unlock()
	a.Reload()
	r, err := a.prepare()
	if err != nil {
		// The session must not be without hooks because a file has a mistake.
		a.Problems = append(a.Problems, err)
		r = extension.NewRunner(a.runnerOptions())
	}
	a.bind(s, r)
	for _, name := range old.Registered() {
		if !slices.Contains(r.Registered(), name) {
			_ = a.removeProvider(name) // nobody speaks to it, or signs in, any more
		}
	}
	s.SetHooks(hooks(r))
	a.retool(s, r)
	old.Replaced(r)
	old.CloseWhenIdle()
	a.Begin(s, "reload", s.Store().Path())
	return nil
}

// CheckFlags returns an error for a flag that nobody can understand. While there
// are extensions that may, it is too early to say.
func (a *App) CheckFlags() error {
	if len(a.Options.Unknown) == 0 || len(a.extensionFiles()) > 0 {
		return nil
	}
	_, err := a.Options.Claim(nil)
	return err
}
