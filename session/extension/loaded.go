package extension

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync/atomic"

	"tau/session/resources"
)

// Extension is one that was loaded, with what it has registered.
type Extension struct {
	Source resources.Source

	runner  *Runner
	carrier Carrier
	waiting atomic.Int64 // calls of the extension that are being served
	gone    atomic.Bool  // its end was told
	mute    atomic.Bool  // its transformer is not asked any more
	slow    atomic.Bool  // its completion is not waited for any more
	// The rest is guarded by the runner's lock.
	tools     []*toolDef
	commands  []*Command
	shortcuts []Shortcut
	flags     []Flag
	renderers map[string]bool // "message:type", "entry:type"
	resolvers int             // renderers of tools
	markdown  *markdown
	channels  map[string]bool // of the event bus
	views     map[int]*View
	suggests  *suggests
	told      []string // failures that are not told of again
}

// Name is a short name for people.
func (e *Extension) Name() string {
	base := filepath.Base(e.Source.Path)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if name == "index" {
		name = filepath.Base(filepath.Dir(e.Source.Path))
	}
	return name
}

// Command is a command that the user types after a slash.
type Command struct {
	Name        string
	Description string
	// Completes is set if the extension completes arguments.
	Completes bool
	own       string // the name it was registered with
	ext       *Extension
}

// Source says where the command comes from.
func (c *Command) Source() resources.Source { return c.ext.Source }

// Shortcut is a key that an extension wants, as a key id.
type Shortcut struct {
	Key         string `json:"key"`
	Description string `json:"description"`
	ext         *Extension
}

// Flag is an argument of the command line that an extension understands.
type Flag struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"` // boolean or string
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
}

type markdown struct {
	Types []string `json:"messageTypes"`
}

type toolDef struct {
	Name        string          `json:"name"`
	Label       string          `json:"label"`
	Description string          `json:"description"`
	Snippet     string          `json:"promptSnippet"`
	Guidelines  []string        `json:"promptGuidelines"`
	Parameters  json.RawMessage `json:"parameters"`
	Mode        string          `json:"executionMode"`
	Shell       string          `json:"renderShell"`
	Exposure    string          `json:"exposure"`
	Active      *bool           `json:"defaultActive"`
	Prepares    bool            `json:"prepares"`
	RenderCall  bool            `json:"rendersCall"`
	RenderRes   bool            `json:"rendersResult"`
	ext         *Extension
}

// active reports whether registering the tool makes it one that the model may
// call.
func (t *toolDef) active() bool {
	switch t.Exposure {
	case "", "direct", "model-only":
		return t.Active == nil || *t.Active
	}
	return false
}
