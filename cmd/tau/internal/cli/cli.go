// Package cli reads the command line.
package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Options are what the command line says.
type Options struct {
	Print                           bool
	Mode                            string // text, json or rpc
	JSONSchema                      string // of the last answer: a schema or the name of a file
	Help                            bool
	Version                         bool
	Provider                        string
	Model                           string
	APIKey                          string
	Thinking                        string
	Continue                        bool
	Resume                          bool   // choose a session
	Fork                            string // path, id or the beginning of an id
	Session                         string // path, id or the beginning of an id
	SessionID                       string
	SessionDir                      string
	NoSession                       bool
	Name                            string
	Tools                           []string
	ExcludeTools                    []string
	NoTools                         bool
	NoBuiltinTools                  bool
	Models                          []string // patterns, to begin with and to cycle through
	Skills, Templates, Themes       []string // files and folders
	NoSkills, NoTemplates, NoThemes bool
	Extensions                      []string // files and folders
	NoExtensions                    bool
	Unknown                         []Unknown // flags that an extension may understand
	Approve, NoApprove              bool      // use what the project brings, or not
	Plain                           bool      // for screen readers: lines are only added
	Verbose                         bool
	ListModels                      bool
	Export                          string // session to write as a page; the first message is the file
	System                          string
	AppendSystem                    []string
	NoContext                       bool
	NoMCP                           bool // no servers of the Model Context Protocol
	Offline                         bool
	UseTheme                        string
	TUIMode                         string
	Script                          string // of the demo model

	// Files are the arguments that began with @, Messages the others.
	Files    []string
	Messages []string
}

// Unknown is a flag that tau does not have.
type Unknown struct {
	Name  string
	Value *string // after = or as the next argument; nil if there is none
	// Place is where in Messages the value belongs if the flag takes none; -1 if
	// it came after =.
	Place int
}

// UsageError is a mistake in the command line.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Parse reads the arguments after the program's name.
func Parse(args []string) (Options, error) {
	var o Options
	fs := flags(&o)
	args, literal := split(args)
	rest := o.setUnknown(fs, normalize(args))
	if err := fs.Parse(rest); err != nil {
		return o, usage(err)
	}
	for _, a := range fs.Args() {
		if strings.HasPrefix(a, "@") && len(a) > 1 {
			o.Files = append(o.Files, a[1:])
		} else {
			o.Messages = append(o.Messages, a)
		}
	}
	o.Messages = append(o.Messages, literal...)
	return o, o.check()
}

// split cuts the arguments at "--": what comes after is text.
func split(args []string) (before, after []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// short lists the short flags of two letters, which pflag would read as two
// flags.
func short() map[string]string {
	return map[string]string{"-xt": "--exclude-tools", "-nt": "--no-tools", "-nc": "--no-context-files",
		"-nbt": "--no-builtin-tools", "-ne": "--no-extensions", "-ns": "--no-skills", "-np": "--no-prompt-templates", "-na": "--no-approve"}
}

func normalize(args []string) []string {
	out := make([]string, 0, len(args))
	names := short()
	for _, a := range args {
		name, value, has := strings.Cut(a, "=")
		switch {
		case names[name] != "" && has:
			a = names[name] + "=" + value
		case names[a] != "":
			a = names[a]
		}
		out = append(out, a)
	}
	return out
}

func flags(o *Options) *pflag.FlagSet {
	fs := pflag.NewFlagSet("tau", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.BoolVarP(&o.Print, "print", "p", false, "answer once on standard output and exit")
	fs.StringVar(&o.Mode, "mode", "text", "output: text, json (all that happens, one event a line) or rpc (a program gives the orders)")
	fs.StringVar(&o.JSONSchema, "json-schema", "", "with -p: the answer is JSON that fits this schema: a file, or the schema itself")
	fs.BoolVarP(&o.Continue, "continue", "c", false, "go on with the last session of this folder")
	fs.BoolVarP(&o.Resume, "resume", "r", false, "choose a session to go on with")
	fs.StringVar(&o.Fork, "fork", "", "copy a session, all its branches, into a new one of this folder")
	fs.StringVar(&o.Session, "session", "", "open a session: a file, an id, or how an id begins")
	fs.StringVar(&o.SessionID, "session-id", "", "open the session with this id, or begin it")
	fs.StringVar(&o.SessionDir, "session-dir", "", "keep sessions in this folder")
	fs.BoolVar(&o.NoSession, "no-session", false, "keep nothing on disk")
	fs.StringVarP(&o.Name, "name", "n", "", "name the session")
	fs.StringVar(&o.Model, "model", "", "model: id, provider/id or a part of it, with :level for thinking")
	fs.StringVar(&o.Provider, "provider", "", "look for --model at this provider only")
	fs.StringVar(&o.APIKey, "api-key", "", "key for this run; needs --model or --provider")
	fs.StringVar(&o.Thinking, "thinking", "", "off, minimal, low, medium, high, xhigh or max")
	fs.StringVar(&o.Export, "export", "", "write a session to an HTML page (or .jsonl): --export <session> [file]")
	fs.BoolVar(&o.ListModels, "list-models", false, "list the models that match the words given")
	fs.StringSliceVarP(&o.Tools, "tools", "t", nil, "only these tools, or +name and -name")
	fs.StringSliceVar(&o.ExcludeTools, "exclude-tools", nil, "all but these tools (-xt)")
	fs.BoolVar(&o.NoTools, "no-tools", false, "no tools at all (-nt)")
	fs.BoolVar(&o.NoBuiltinTools, "no-builtin-tools", false, "none of the tools that are on by default (-nbt)")
	fs.StringSliceVar(&o.Models, "models", nil, "models to cycle through, the first to begin with; * stands for anything")
	fs.BoolVarP(&o.Approve, "approve", "a", false, "use what the project in this folder brings: settings, skills, templates, …")
	fs.BoolVar(&o.NoApprove, "no-approve", false, "use nothing that the project brings (-na)")
	fs.StringArrayVar(&o.Skills, "skill", nil, "a skill, or a folder of skills; may be repeated")
	fs.BoolVar(&o.NoSkills, "no-skills", false, "no other skills (-ns)")
	fs.StringArrayVar(&o.Templates, "prompt-template", nil, "a prompt template, or a folder of them; may be repeated")
	fs.BoolVar(&o.NoTemplates, "no-prompt-templates", false, "no other templates (-np)")
	fs.StringArrayVar(&o.Themes, "theme", nil, "a theme file, or a folder of them; may be repeated")
	fs.BoolVar(&o.NoThemes, "no-themes", false, "no other theme files")
	fs.StringArrayVarP(&o.Extensions, "extension", "e", nil, "an extension, or a folder of them; may be repeated")
	fs.BoolVar(&o.NoExtensions, "no-extensions", false, "no other extensions (-ne)")
	fs.BoolVar(&o.Verbose, "verbose", false, "say at start what was loaded, whatever quietStartup is")
	fs.StringVar(&o.System, "system-prompt", "", "replace the system prompt: text or a file")
	fs.StringArrayVar(&o.AppendSystem, "append-system-prompt", nil, "add to the system prompt: text or a file; may be repeated")
	fs.BoolVar(&o.NoContext, "no-context-files", false, "do not read AGENTS.md and CLAUDE.md (-nc)")
	fs.BoolVar(&o.NoMCP, "no-mcp", false, "use no servers of mcp.json")
	fs.StringVar(&o.UseTheme, "use-theme", "", "theme for this run, or a light/dark pair")
	fs.StringVar(&o.TUIMode, "tui-mode", "", "fullscreen, or regular: on the main screen, with the terminal's scrollback")
	fs.BoolVar(&o.Plain, "plain", false, "for screen readers: lines are only added, nothing is drawn")
	fs.StringVar(&o.Script, "demo-script", "", "let the demo model play this file")
	fs.BoolVar(&o.Offline, "offline", false, "use no network beside the model's provider")
	fs.BoolVarP(&o.Help, "help", "h", false, "this page")
	fs.BoolVarP(&o.Version, "version", "v", false, "print the version")
	_ = fs.MarkHidden("demo-script")
	return fs
}

// FlagHelp describes the flags, one a line.
func FlagHelp() string {
	var o Options
	return flags(&o).FlagUsagesWrapped(100)
}

// usage words pflag's errors as ours, with a hint for near misses.
func usage(err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return nil
	}
	text := err.Error()
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		text = "unknown flag " + dashed(unknown.GetSpecifiedName())
		if near := nearest(unknown.GetSpecifiedName()); near != "" {
			text += ", did you mean --" + near + "?"
		}
	}
	return &UsageError{text + "\nSee tau --help."}
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// nearest returns the flag that begins like name, if there is one.
func nearest(name string) string {
	var o Options
	best, most := "", 2
	flags(&o).VisitAll(func(f *pflag.Flag) {
		n := 0
		for n < len(name) && n < len(f.Name) && name[n] == f.Name[n] {
			n++
		}
		if n > most {
			best, most = f.Name, n
		}
	})
	return best
}

func (o *Options) check() error {
	bad := func(format string, args ...any) error {
		return &UsageError{fmt.Sprintf(format, args...) + "\nSee tau --help."}
	}
	chosen := 0
	for _, on := range []bool{o.Continue, o.Resume, o.Fork != "", o.Session != "", o.SessionID != "", o.NoSession} {
		if on {
			chosen++
		}
	}
	switch {
	case o.Mode != "text" && o.Mode != "json" && o.Mode != "rpc":
		return bad("--mode %s is not known; there are text, json and rpc", o.Mode)
	case o.Mode == "rpc" && len(o.Files) > 0:
		return bad("files named with @ cannot be given with --mode rpc; send them with a prompt")
	case o.Mode == "rpc" && o.Print:
		return bad("-p and --mode rpc exclude each other")
	case o.JSONSchema != "" && o.Mode == "rpc":
		return bad("--json-schema is for -p and --mode json")
	case o.Resume && o.Mode != "text":
		return bad("--resume shows a list to choose from; with --mode %s use --continue or --session", o.Mode)
	case o.Approve && o.NoApprove:
		return bad("--approve and --no-approve exclude each other")
	case chosen > 1:
		return bad("only one of --continue, --resume, --fork, --session, --session-id and --no-session can be given")
	case o.Resume && o.Print:
		return bad("--resume shows a list to choose from; with -p use --continue or --session")
	case o.Provider != "" && o.Model == "":
		return bad("--provider needs --model")
	case o.Model != "" && len(o.Models) > 0:
		return bad("--model and --models exclude each other; the first of --models is the one to begin with")
	case o.APIKey != "" && o.Model == "":
		return bad("--api-key needs --model")
	case o.TUIMode != "" && o.TUIMode != "fullscreen" && o.TUIMode != "regular":
		return bad("--tui-mode %s is not known; there are fullscreen and regular", o.TUIMode)
	case o.Export != "" && len(o.Messages) > 1:
		return bad("--export takes a session and at most one file")
	}
	return nil
}
