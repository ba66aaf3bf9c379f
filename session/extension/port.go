package extension

import (
	"context"
	"encoding/json"
	"errors"

	"tau/session/resources"
)

// Carrier is the other side of a loaded extension.
type Carrier interface {
	// Call asks the extension and waits for the answer, or until ctx ends, which
	// the extension is told. It may be called from any goroutine, also while
	// other calls are under way.
	Call(ctx context.Context, method string, params any) (json.RawMessage, error)
	// Close ends the extension. Calls under way fail.
	Close() error
}

// Host answers what an extension asks. A call that can last must not keep the
// extension from being asked itself.
type Host interface {
	Serve(ctx context.Context, method string, params json.RawMessage) (any, error)
}

// Loader starts the extension in a file and returns when it has registered what
// it has.
type Loader func(ctx context.Context, src resources.Source, host Host) (Carrier, error)

// ErrGone is returned by calls to an extension that has ended.
var ErrGone = errors.New("the extension has ended")

// Failure is something that went wrong in an extension.
type Failure struct {
	Path  string `json:"extensionPath"`
	Event string `json:"event"` // the event, or what was called
	Err   string `json:"error"`
}

// The methods that carriers are called with. Their parameters are the structs
// beside them.
const (
	MethodEvent     = "event"     // EventCall → eventAnswer
	MethodTool      = "tool"      // {tool, toolCallId, params, update} → a tool's result
	MethodCommand   = "command"   // commandCall
	MethodComplete  = "complete"  // commandCall → items
	MethodSuggest   = "suggest"   // {lines, line, before, force} → {items, prefix}
	MethodApply     = "apply"     // {lines, line, before, item, prefix} → {lines, line, before}
	MethodShortcut  = "shortcut"  // {key}
	MethodBus       = "bus"       // {channel, data}
	MethodPrepare   = "prepare"   // {tool, args} → args
	MethodRender    = "render"    // {id, width} → lines
	MethodInput     = "input"     // {id, data}
	MethodDispose   = "dispose"   // {id}
	MethodMount     = "mount"     // renderer call → {id}
	MethodTransform = "transform" // {markdown, context} → markdown
	MethodStream    = "stream"    // a request of a model that the extension provides
	MethodRoute     = "route"     // of a virtual model
	MethodShell     = "shell"     // {id, command, cwd}: operations of user_bash
	MethodOAuth     = "oauth"     // {provider, step, credentials?}: see SignIn
	MethodNotice    = "notice"    // {what, id, data}: something the extension asked to be told of
)

// EventCall are the parameters of MethodEvent. A carrier may take them apart.
type EventCall struct {
	Event   string          `json:"event"`
	Handler int             `json:"handler"`
	Payload json.RawMessage `json:"payload"`
}

// eventAnswer is what a handler returned, and the payload if it may be changed
// in place and was.
type eventAnswer struct {
	Result  json.RawMessage `json:"result,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

type commandCall struct {
	Name string `json:"name"`
	Args string `json:"args"`
}
