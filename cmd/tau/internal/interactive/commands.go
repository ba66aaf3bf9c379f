package interactive

import (
	"context"
	"fmt"
	"strings"

	"tau/ai"
	"tau/cmd/tau/internal/headless"
	"tau/components/chat"
	"tau/session"
	"tau/session/extension"
)

// command is a slash command.
type command struct {
	name, argument, help string
	run                  func(p *program, arg string)
}

func commands() []command {
	return []command{
		{"help", "", "what there is and which keys do what", (*program).help},
		{"model", "[name]", "choose the model", (*program).model},
		{"thinking", "[level]", "how much the model thinks first", (*program).thinking},
		{"scoped-models", "", "choose and order the models that the model keys go through", (*program).scopedMenu},
		{"login", "[provider]", "sign in to a provider, or store its key", (*program).login},
		{"logout", "[provider]", "remove what is stored for a provider", (*program).logout},
		{"tree", "", "walk back to any point of this session", (*program).openTree},
		{"undo", "", "take the last step in the tree back", (*program).undoNavigation},
		{"compact", "[what to keep]", "summarise the conversation to make room", (*program).compact},
		{"context", "", "what fills the model's window", (*program).contextUse},
		{"cost", "", "what each turn has cost", (*program).cost},
		{"copy", "", "copy the last answer", func(p *program, _ string) { p.copyAnswer() }},
		{"new", "", "begin a new session", func(p *program, _ string) { p.newSession() }},
		{"name", "[name]", "name this session", (*program).name},
		{"session", "", "where this session is and what it cost", (*program).info},
		{"resume", "[all] [words]", "open another session", (*program).resume},
		{"search", "[words]", "search all sessions of all folders", func(p *program, arg string) { p.resume("all " + arg) }},
		{"fork", "", "a new session from before one of your messages", (*program).fork},
		{"clone", "", "a copy of this session from here on", (*program).clone},
		{"import", "<file>", "open a copy of a session file", (*program).importSession},
		{"export", "[file]", "write this session as an HTML page, or the path you are on as .jsonl", (*program).export},
		{"jobs", "", "what runs in the background", (*program).jobs},
		{"mcp", "[login|logout|reconnect|enable|disable] [server]", "servers of the Model Context Protocol", (*program).mcp},
		{"settings", "", "change settings", (*program).settingsMenu},
		{"theme", "[name]", "choose the colours", (*program).theme},
		{"screen", "[fullscreen|regular]", "change between the whole screen and the terminal's scrollback", (*program).screenMode},
		{"hotkeys", "", "all keys", (*program).hotkeys},
		{"reload", "", "read settings, keys, themes, skills, templates and instructions again", (*program).readAgain},
		{"trust", "", "say whether what this folder brings may be used", func(p *program, _ string) { p.askTrust(nil) }},
		{"doctor", "", "check sessions, settings and this terminal", (*program).doctor},
		{"quit", "", "leave", func(p *program, _ string) { p.ui.Quit(nil) }},
	}
}

// needsRest reports whether a command cannot be carried out while the agent
// works.
func needsRest(name string) bool {
	switch name {
	case "tree", "undo", "new", "resume", "search", "fork", "clone", "import":
		return true
	}
	return false
}

// command runs text if it is a slash command. A text that only begins with a
// slash, such as a path, is a message.
func (p *program) command(text string) bool {
	if !strings.HasPrefix(text, "/") || strings.Contains(text, "\n") {
		return false
	}
	name, arg, _ := strings.Cut(text[1:], " ")
	for _, c := range commands() {
		if c.name == name || name == "exit" && c.name == "quit" || name == "keys" && c.name == "hotkeys" {
			if p.session.Busy() && needsRest(c.name) {
				// What was typed is not lost.
				p.hint("the agent is working; stop it first")
				p.editor.SetText(text)
				return true
			}
			c.run(p, strings.TrimSpace(arg))
			p.ui.RequestRender()
			return true
		}
	}
	if strings.ContainsAny(name, "/.") || name == "" {
		return false
	}
	for _, c := range p.app.Resources().Commands() {
		if c.Name == name {
			return false // a message, which the session expands
		}
	}
	p.script.notice(chat.Warning, fmt.Sprintf("There is no command /%s. /help lists them.", oneLine(name)))
	// What was typed is not lost.
	p.editor.SetText(text)
	p.ui.RequestRender()
	return true
}

func (p *program) help(string) {
	var b strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&b, "- `/%s` %s\n", strings.TrimSpace(c.name+" "+c.argument), c.help)
	}
	b.WriteString("\n`!command` runs a command of your own and shows it to the model, `!!command` keeps it to yourself. `@` finds files.\n\n")
	b.WriteString("Type what you want done. **Enter** sends; while the agent works it steers: the message goes in after the tools that are running. ")
	fmt.Fprintf(&b, "**%s** sends when the agent would stop. **%s** stops it and gives queued messages back.\n\n", p.keys.Hint("app.message.followUp"), p.keys.Hint("app.interrupt"))
	fmt.Fprintf(&b, "A new line: `%s` or `\\` and Enter. Scroll: the wheel, `%s`, `%s`. `/hotkeys` lists all keys.\n",
		p.keys.Hint("tui.input.newLine"), p.keys.Hint("tui.altScreen.pageUp"), p.keys.Hint("tui.altScreen.bottom"))
	p.remark(b.String())
}

// remark shows Markdown of the program itself.
func (p *program) remark(md string) {
	a := chat.NewAnswer(p.look)
	a.SetText(md)
	p.script.add(a)
	p.follow()
}

func (p *program) hotkeys(string) {
	var b strings.Builder
	b.WriteString("| key | | id |\n|---|---|---|\n")
	for _, a := range p.keys.Actions() {
		var keys []string
		for _, k := range p.keys.Keys(a.ID) {
			keys = append(keys, "`"+strings.ReplaceAll(string(k), "|", "\\|")+"`")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(keys, " "), a.Help, a.ID)
	}
	for _, c := range p.conflicts {
		fmt.Fprintf(&b, "\n**%s** is wanted by more than one: %s. What the file says goes first.\n", c.Key, strings.Join(c.IDs, ", "))
	}
	b.WriteString("\nChange them in `keybindings.json`: `{\"app.model.select\": \"f2\"}`.\n")
	p.remark(b.String())
}

func (p *program) model(arg string) {
	if arg == "" {
		p.pickModel("")
		return
	}
	m, level, err := p.app.FindModel(arg)
	if err == nil {
		err = p.app.Ready(m)
	}
	if err != nil {
		p.script.notice(chat.Warning, err.Error())
		p.pickModel(arg)
		return
	}
	p.setModel(m, level)
}

func (p *program) setModel(m *ai.Model, level ai.ThinkingLevel) {
	p.session.SetModel(m)
	if level != "" {
		p.session.SetThinking(level)
	}
	p.footer.refresh()
}

func (p *program) thinking(arg string) {
	if arg == "" {
		p.pickThinking()
		return
	}
	l := ai.ThinkingLevel(arg)
	if !l.Valid() {
		p.script.notice(chat.Warning, fmt.Sprintf("%q is not a level; there are off, minimal, low, medium, high, xhigh and max.", oneLine(arg)))
		return
	}
	if got := p.session.SetThinking(l); got != l {
		p.hint(fmt.Sprintf("%s has no %s; it is %s", p.session.Model().ID, l, got))
	}
}

// newSession leaves the conversation for a new one with the same model.
func (p *program) newSession() {
	if p.session.Busy() {
		p.hint("the agent is working; stop it first")
		return
	}
	p.unless(func(ctx context.Context, r *extension.Runner) bool { return r.BeforeSwitch(ctx, "new", "") }, "session_before_switch", func() {
		next, err := p.app.Fresh(p.session)
		if err != nil {
			p.script.notice(chat.Failure, err.Error())
			return
		}
		p.replace(next, "new")
	})
}

// replace shows another session and closes the one before.
func (p *program) replace(next *session.Session, reason string) {
	old := p.session
	p.clearExtensions()
	p.attach(next)
	p.look.CWD = next.CWD()
	// Closing waits for the disk, which the screen should not.
	go func() {
		p.app.End(old, reason, next)
		p.app.Begin(next, reason, old.Store().Path())
		if err := old.Close(); err != nil {
			p.ui.Post(func() { p.script.notice(chat.Warning, "The session before was not closed cleanly: "+err.Error()) })
		}
	}()
}

func (p *program) name(arg string) {
	if arg == "" {
		if n := p.session.Store().Name(); n != "" {
			p.hint("this session is named " + n)
		} else {
			p.hint("/name and a name")
		}
		return
	}
	p.session.SetName(arg)
}

func (p *program) info(string) {
	st := p.session.Store()
	u := p.session.Usage()
	var b strings.Builder
	fmt.Fprintf(&b, "| session | |\n|---|---|\n| id | `%s` |\n", st.Header().ID)
	if path := st.Path(); path != "" {
		fmt.Fprintf(&b, "| file | `%s` |\n", path)
	} else {
		b.WriteString("| file | none: nothing is kept |\n")
	}
	fmt.Fprintf(&b, "| entries | %d |\n| model | `%s` |\n", st.Len(), p.session.Model().Ref())
	fmt.Fprintf(&b, "| tokens | %s in, %s out, %s read from and %s written to the cache |\n",
		headless.Tokens(u.Input), headless.Tokens(u.Output), headless.Tokens(u.CacheRead), headless.Tokens(u.CacheWrite))
	fmt.Fprintf(&b, "| cost | $%.4f |\n", u.Cost.Total)
	p.remark(b.String())
}
