package extension

import (
	"context"
	"encoding/json"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session"
	"tau/session/resources"
)

// UI asks the user and shows what extensions have to say. Questions block until
// they are answered, cancelled or timed out; ok is then false. All else returns
// at once. It is called from any goroutine. timeout 0 is none.
type UI interface {
	Select(ctx context.Context, title string, options []string, timeout time.Duration) (value string, ok bool)
	Confirm(ctx context.Context, title, message string, timeout time.Duration) bool
	Input(ctx context.Context, title, placeholder string, timeout time.Duration) (value string, ok bool)
	Editor(ctx context.Context, title, prefill string) (value string, ok bool)
	Notify(message, kind string)
	SetStatus(key string, text *string)
	SetWidget(key string, lines *[]string, placement string)
	SetTitle(title string)
	SetEditorText(text string)
}

// Screen is a UI that extensions can draw on. A nil view or text takes away
// what was there.
type Screen interface {
	UI
	SetWorkingMessage(text *string)
	SetWorkingVisible(visible bool)
	// SetWorkingIndicator sets the frames of the spinner; nil is the usual one.
	SetWorkingIndicator(frames *[]string, interval time.Duration)
	SetHiddenThinkingLabel(text *string)
	SetWidgetView(key string, v *View, placement string)
	SetHeader(v *View)
	SetFooter(v *View)
	SetEditor(v *View)
	// Custom shows a view with the keyboard until closed is closed, or ctx ends.
	Custom(ctx context.Context, v *View, o Overlay, closed <-chan struct{}) error
	SetOverlayHidden(v *View, hidden bool)
	// Redraw draws a view again that has changed.
	Redraw(v *View)
	EditorText() string
	Paste(text string)
	ToolsExpanded() bool
	SetToolsExpanded(expanded bool)
	SetTheme(name string) error
	// Write sends a sequence that moves nothing, such as a notification, to the
	// terminal.
	Write(sequence string)
	// Size is that of the terminal in cells.
	Size() (columns, rows int)
	// Suspend gives the terminal to run, and takes it back.
	Suspend(run func())
	// ListenInput has raw input shown to the extension first.
	ListenInput(e *Extension, on bool)
	// BaseEditor is what the usual editor would show or do, for an editor of an
	// extension that adds to it. It is called while the view of the editor is
	// asked for its lines or given input.
	BaseEditor(method string, params json.RawMessage) (any, error)
}

// Overlay says how a custom view is shown.
type Overlay struct {
	Overlay bool            `json:"overlay"`
	Options json.RawMessage `json:"options"`
}

// Program is what extensions can do beside their session. A function that is
// nil is not to be had.
type Program struct {
	Version  string
	AgentDir string
	Project  string // the name of the project's own folder
	Settings func() any
	Trusted  func() bool

	Resources func() *resources.Set
	Model     func(provider, id string) *ai.Model
	Models    func() []*ai.Model // all
	Available func() []*ai.Model // that can be used now
	Scoped    func() []*ai.Model
	Ready     func(m *ai.Model) error
	Auth      func(ctx context.Context, m *ai.Model) (agent.Auth, error)
	Stream    ai.StreamFunc
	Builtin   func(name string, o BuiltinOptions) *agent.Tool
	// Theme returns the sequences of a theme, of the one in use if the name is
	// empty; nil if there is none of that name.
	Theme func(name string) any
	// Themes lists the names of themes and their files.
	Themes func() any
	// KeyText returns the keys of a binding, for people.
	KeyText func(id string) string
	// Copy puts text on the clipboard. Nil: there is none.
	Copy func(text string)
	// Keys tells extensions what input means; see package extension/js.
	MatchKey func(data, key string) bool
	ParseKey func(data string) string

	Provider func(name string, config json.RawMessage, stream ai.StreamFunc) error
	Remove   func(name string) error
	// SignIn says how one signs in to a provider; nil: not at all. Browse opens an
	// address in a browser, if there is one.
	SignIn func(name string, s *SignIn)
	Browse func(address string)
	// Virtual adds a model that sends each request to another one.
	Virtual func(m *ai.Model, stream ai.StreamFunc) error
	Unreal  func(provider, id string)

	// CheckServer says what is wrong with an MCP server that an extension in the
	// file path wants to register. Served connects to the servers that a runner has
	// now; it is called after each change, and does not wait.
	CheckServer func(name string, config json.RawMessage, path string) error
	Served      func(r *Runner)

	// What follows changes the session of the program. The session that a command
	// was called in is over when they return and were not cancelled.
	NewSession func(ctx context.Context, parent string, setup []json.RawMessage) (cancelled bool, err error)
	Fork       func(ctx context.Context, entryID, position string) (cancelled bool, err error)
	Switch     func(ctx context.Context, path string) (cancelled bool, err error)
	Reload     func(ctx context.Context) error
	Shutdown   func()
	Submit     func(text string, d session.Delivery) // what the user typed, with commands
}

// BuiltinOptions change a built-in tool.
type BuiltinOptions struct {
	CWD   string            `json:"cwd"`
	Env   map[string]string `json:"env"` // added to that of the program
	Shell string            `json:"shellPath"`
}

// noUI answers as if the user had cancelled.
type noUI struct{}

func (noUI) Select(context.Context, string, []string, time.Duration) (string, bool) { return "", false }
func (noUI) Confirm(context.Context, string, string, time.Duration) bool            { return false }
func (noUI) Input(context.Context, string, string, time.Duration) (string, bool)    { return "", false }
func (noUI) Editor(context.Context, string, string) (string, bool)                  { return "", false }
func (noUI) Notify(string, string)                                                  {}
func (noUI) SetStatus(string, *string)                                              {}
func (noUI) SetWidget(string, *[]string, string)                                    {}
func (noUI) SetTitle(string)                                                        {}
func (noUI) SetEditorText(string)                                                   {}

// ui is where to ask.
func (r *Runner) ui() UI {
	if u := r.o.UI; u != nil {
		return u
	}
	return noUI{}
}
