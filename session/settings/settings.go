// Package settings reads and writes settings.json.
//
// The file is JSON in which comments and trailing commas are allowed. [Load]
// always returns usable settings: what cannot be read keeps its default and is
// reported as a [Problem] with its place. [Set] changes single fields and
// leaves everything else in the file, comments included, as it is.
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tailscale/hujson"
)

// Settings are the keys that this version reads. Pointers are nil where the
// file says nothing.
type Settings struct {
	DefaultProvider      string            `json:"defaultProvider"`
	DefaultModel         string            `json:"defaultModel"`
	DefaultThinkingLevel string            `json:"defaultThinkingLevel"`
	ModelThinkingLevels  map[string]string `json:"modelThinkingLevels"`
	ThinkingBudgets      map[string]int64  `json:"thinkingBudgets"`
	EnabledModels        []string          `json:"enabledModels"`
	HideThinkingBlock    bool              `json:"hideThinkingBlock"`
	ShowCacheMissNotices *bool             `json:"showCacheMissNotices"`
	SteeringMode         string            `json:"steeringMode"`
	FollowUpMode         string            `json:"followUpMode"`
	QueueMode            string            `json:"queueMode"` // old name of SteeringMode
	DoubleEscapeAction   string            `json:"doubleEscapeAction"`
	TreeFilterMode       string            `json:"treeFilterMode"`
	DefaultTools         []string          `json:"defaultTools"`
	SessionDir           string            `json:"sessionDir"`
	Theme                string            `json:"theme"`
	QuietStartup         json.RawMessage   `json:"quietStartup"` // bool or "header"
	ExternalEditor       string            `json:"externalEditor"`
	EditorMode           string            `json:"editorMode"` // plain or vim
	ShellPath            string            `json:"shellPath"`
	ShellCommandPrefix   string            `json:"shellCommandPrefix"`
	// LeaveBackgroundJobs leaves what commands have left running alone when the
	// program ends.
	LeaveBackgroundJobs bool            `json:"leaveBackgroundJobs"`
	HTTPIdleTimeoutMs   json.RawMessage `json:"httpIdleTimeoutMs"` // number or "disabled"
	HTTPProxy           string          `json:"httpProxy"`
	Retry               Retry           `json:"retry"`
	Compaction          Compaction      `json:"compaction"`
	BranchSummary       BranchSummary   `json:"branchSummary"`
	DefaultProjectTrust string          `json:"defaultProjectTrust"` // ask, always or never

	Notifications          string          `json:"notifications"` // unfocused, always or off
	TUIMode                string          `json:"tuiMode"`
	FullscreenExitOutput   string          `json:"fullscreenExitOutput"`
	FullscreenScrollbar    string          `json:"fullscreenScrollbar"` // auto, always or hidden
	FullscreenCopyOnSelect *bool           `json:"fullscreenCopyOnSelect"`
	FullscreenWheelLines   json.RawMessage `json:"fullscreenWheelScrollLines"` // "auto" or 1 to 100
	EditorPaddingX         int             `json:"editorPaddingX"`
	OutputPad              *int            `json:"outputPad"`
	AutocompleteMaxVisible int             `json:"autocompleteMaxVisible"`
	ShowHardwareCursor     bool            `json:"showHardwareCursor"`
	Terminal               Terminal        `json:"terminal"`
	Images                 Images          `json:"images"`
	Markdown               Markdown        `json:"markdown"`
	Resources                              // those of the user; see LoadProject
}

// Terminal says what to use of the terminal.
type Terminal struct {
	ShowImages      *bool           `json:"showImages"`
	ImageWidthCells int             `json:"imageWidthCells"`
	ShowProgress    bool            `json:"showTerminalProgress"`
	Hyperlinks      json.RawMessage `json:"hyperlinks"` // bool or "auto"
	TrueColor       json.RawMessage `json:"trueColor"`  // bool or "auto"
	Images          json.RawMessage `json:"images"`     // "kitty", "iterm2", "auto" or false
}

// Images says what becomes of pictures that go to the model.
type Images struct {
	AutoResize  *bool `json:"autoResize"`
	BlockImages bool  `json:"blockImages"`
}

// Markdown says how answers are laid out.
type Markdown struct {
	CodeBlockIndent *string `json:"codeBlockIndent"`
	Mermaid         string  `json:"mermaid"` // "off", "final" or "streaming"
}

// Retry says how failed requests are repeated.
type Retry struct {
	Enabled         *bool  `json:"enabled"`
	MaxRetries      *int   `json:"maxRetries"`
	BaseDelayMs     *int64 `json:"baseDelayMs"`
	MaxAgentDelayMs *int64 `json:"maxAgentDelayMs"`
	// MaxDelayMs is an old name of Provider.MaxRetryDelayMs.
	MaxDelayMs *int64        `json:"maxDelayMs"`
	Provider   ProviderRetry `json:"provider"`
}

// ProviderRetry bounds a single request and what the provider may ask to wait.
type ProviderRetry struct {
	TimeoutMs       *int64 `json:"timeoutMs"`
	MaxRetries      *int   `json:"maxRetries"`
	MaxRetryDelayMs *int64 `json:"maxRetryDelayMs"`
}

// Compaction says when a long conversation is summarised.
type Compaction struct {
	Enabled          *bool  `json:"enabled"`
	ReserveTokens    *int64 `json:"reserveTokens"`
	KeepRecentTokens *int64 `json:"keepRecentTokens"`
	// ModelOverrides are by "provider/model".
	ModelOverrides map[string]CompactionOverride `json:"modelOverrides"`
	// Model is the "provider/model" that writes the summaries; the model of the
	// conversation if empty.
	Model string `json:"model"`
}

// CompactionOverride replaces limits for one model.
type CompactionOverride struct {
	ReserveTokens    *int64 `json:"reserveTokens"`
	KeepRecentTokens *int64 `json:"keepRecentTokens"`
}

// BranchSummary is about the summary that is offered when a branch is left.
type BranchSummary struct {
	ReserveTokens *int64 `json:"reserveTokens"`
	SkipPrompt    bool   `json:"skipPrompt"`
}

// Or returns the value of a setting that may be missing.
func Or[T any](p *T, otherwise T) T {
	if p != nil {
		return *p
	}
	return otherwise
}

// Problem is something in a file that could not be used.
type Problem struct {
	Path         string
	Line, Column int // from 1; 0 if the place is not known
	Text         string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.Path, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Path, p.Line, p.Column, p.Text)
}

// Load reads the file at path. A missing file is no problem.
func Load(path string) (Settings, []Problem) {
	var s Settings
	problems := read(path, &s)
	return s, problems
}

// LoadProject lays a project's settings over s and returns the resources it
// names. Keys that are the user's alone are left as they were; the lists of
// resources in s stay those of the user.
func LoadProject(path string, s *Settings) (Resources, []Problem) {
	own := s.Resources
	trust, proxy := s.DefaultProjectTrust, s.HTTPProxy
	s.Resources = Resources{}
	problems := read(path, s)
	project := s.Resources
	s.Resources, s.DefaultProjectTrust, s.HTTPProxy = own, trust, proxy
	return project, problems
}

func read(path string, s *Settings) []Problem {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []Problem{{Path: path, Text: "cannot be read, defaults are used: " + err.Error()}}
	}
	problem := Decode(path, b, s)
	if s.SteeringMode == "" {
		s.SteeringMode = s.QueueMode
	}
	if s.Retry.Provider.MaxRetryDelayMs == nil {
		s.Retry.Provider.MaxRetryDelayMs = s.Retry.MaxDelayMs
	}
	if problem != nil {
		return []Problem{*problem}
	}
	return nil
}

// Decode reads JSON with comments into v. What the problem does not concern is
// read all the same, as far as the file can be parsed.
func Decode(path string, b []byte, v any) *Problem {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(b)) == 0 {
		return &Problem{Path: path, Text: "the file is empty, defaults are used"}
	}
	std, err := hujson.Standardize(b)
	if err != nil {
		p := &Problem{Path: path, Text: err.Error()}
		// "hujson: line 3, column 5: what"
		if _, err := fmt.Sscanf(p.Text, "hujson: line %d, column %d:", &p.Line, &p.Column); err == nil {
			_, p.Text, _ = strings.Cut(strings.TrimPrefix(p.Text, "hujson: "), ": ")
		}
		p.Text += "; the file is not used"
		return p
	}
	err = json.Unmarshal(std, v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		p := &Problem{Path: path}
		p.Line, p.Column = place(std, wrong.Offset)
		field := wrong.Field
		if field == "" {
			field = "the file"
		}
		p.Text = fmt.Sprintf("%s must not be %s; it is ignored", field, article(wrong.Value))
		return p
	}
	return &Problem{Path: path, Text: err.Error()}
}

func place(b []byte, offset int64) (line, column int) {
	offset = min(offset, int64(len(b)))
	before := b[:offset]
	return 1 + bytes.Count(before, []byte("\n")), int(offset) - bytes.LastIndexByte(before, '\n')
}

func article(kind string) string {
	kind, _, _ = strings.Cut(kind, " ") // "number 1.5"
	if strings.ContainsAny(kind[:1], "aeiou") {
		return "an " + kind
	}
	return "a " + kind
}
