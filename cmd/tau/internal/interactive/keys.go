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
	"time"

	"tau/ai"
	"tau/components"
	"tau/components/chat"
	"tau/tui/key"
	"tau/tui/keymap"
)

// appKeys are the actions of the application. Ids and keys are those of pi's
// keybindings.json, with one key more for the follow-up: some terminals keep
// Alt+Enter for themselves (full screen).
func appKeys(pl keymap.Platform) []keymap.Action {
	win := pl.Windows || pl.WSL
	pick := func(other, windows string) []key.ID {
		k := other
		if win {
			k = windows
		}
		var out []key.ID
		for _, s := range strings.Fields(k) {
			out = append(out, key.ID(s))
		}
		return out
	}
	suspend := []key.ID{"ctrl+z"}
	if pl.Windows {
		suspend = nil
	}
	return []keymap.Action{
		{ID: "app.interrupt", Keys: []key.ID{"escape"}, Legacy: "interrupt", Help: "stop the agent"},
		{ID: "app.clear", Keys: []key.ID{"ctrl+c"}, Legacy: "clear", Help: "empty the editor; twice: quit"},
		{ID: "app.exit", Keys: []key.ID{"ctrl+d"}, Legacy: "exit", Help: "quit, when the editor is empty"},
		{ID: "app.suspend", Keys: suspend, Legacy: "suspend", Help: "go to the shell; fg comes back"},
		{ID: "app.message.followUp", Keys: pick("alt+enter ctrl+q", "ctrl+q"), Legacy: "followUp", Help: "send when the agent would stop"},
		{ID: "app.message.dequeue", Keys: pick("alt+up", "alt+q"), Legacy: "dequeue", Help: "take queued messages back"},
		{ID: "app.message.copy", Keys: []key.ID{"ctrl+x"}, Help: "copy the last answer"},
		{ID: "app.tools.expand", Keys: []key.ID{"ctrl+o"}, Legacy: "expandTools", Help: "open or close all cards"},
		{ID: "app.thinking.toggle", Keys: []key.ID{"ctrl+t"}, Legacy: "toggleThinking", Help: "show or hide thoughts"},
		{ID: "app.thinking.cycle", Keys: []key.ID{"shift+tab"}, Legacy: "cycleThinkingLevel", Help: "next thinking level"},
		{ID: "app.model.select", Keys: []key.ID{"ctrl+l"}, Legacy: "selectModel", Help: "choose a model"},
		{ID: "app.model.cycleForward", Keys: []key.ID{"ctrl+p"}, Legacy: "cycleModelForward", Help: "next model"},
		{ID: "app.model.cycleBackward", Keys: pick("shift+ctrl+p", "alt+p"), Legacy: "cycleModelBackward", Help: "previous model"},
		{ID: "app.editor.external", Keys: []key.ID{"ctrl+g"}, Legacy: "externalEditor", Help: "edit the message in $EDITOR"},
		{ID: "app.clipboard.pasteImage", Keys: pick("ctrl+v", "alt+v ctrl+v"), Legacy: "pasteImage", Help: "paste a picture, or the text"},
		{ID: "app.editor.history", Keys: []key.ID{"ctrl+r"}, Help: "search what you asked before"},
		{ID: "app.editor.stash", Keys: []key.ID{"ctrl+s"}, Help: "put the message aside, or bring it back"},
		{ID: "app.tools.background", Keys: []key.ID{"ctrl+b"}, Help: "let the running command go on in the background"},
		{ID: "app.models.save", Keys: []key.ID{"ctrl+s"}, Help: "models: keep the choice"},
		{ID: "app.models.enableAll", Keys: []key.ID{"ctrl+a"}, Help: "models: all"},
		{ID: "app.models.clearAll", Keys: []key.ID{"ctrl+x"}, Help: "models: none"},
		{ID: "app.models.toggleProvider", Keys: []key.ID{"ctrl+p"}, Help: "models: all of the provider"},
		{ID: "app.models.reorderUp", Keys: []key.ID{"alt+up"}, Help: "models: earlier in the cycle"},
		{ID: "app.models.reorderDown", Keys: []key.ID{"alt+down"}, Help: "models: later in the cycle"},
		{ID: "app.thinking.save", Keys: []key.ID{"ctrl+s"}, Help: "thinking: keep the choice"},
		{ID: "app.session.togglePath", Keys: []key.ID{"ctrl+p"}, Legacy: "toggleSessionPath", Help: "sessions: show the files"},
		{ID: "app.session.toggleSort", Keys: []key.ID{"ctrl+s"}, Legacy: "toggleSessionSort", Help: "sessions: next order"},
		{ID: "app.session.new", Help: "new session"},
		{ID: "app.session.tree", Help: "session tree"},
		{ID: "app.session.fork", Help: "fork"},
		{ID: "app.session.resume", Help: "open another session"},
		{ID: "app.session.toggleNamedFilter", Keys: []key.ID{"ctrl+n"}, Legacy: "toggleSessionNamedFilter", Help: "sessions: only named ones"},
		{ID: "app.session.rename", Keys: []key.ID{"ctrl+r"}, Legacy: "renameSession", Help: "sessions: rename"},
		{ID: "app.session.delete", Keys: []key.ID{"ctrl+d"}, Legacy: "deleteSession", Help: "sessions: delete"},
		{ID: "app.session.deleteNoninvasive", Keys: []key.ID{"ctrl+backspace"}, Legacy: "deleteSessionNoninvasive", Help: "sessions: delete, with an empty filter"},
		{ID: "app.tree.foldOrUp", Keys: []key.ID{"ctrl+left", "alt+left"}, Legacy: "treeFoldOrUp", Help: "tree: close, or go up"},
		{ID: "app.tree.unfoldOrDown", Keys: []key.ID{"ctrl+right", "alt+right"}, Legacy: "treeUnfoldOrDown", Help: "tree: open, or go down"},
		{ID: "app.tree.editLabel", Keys: []key.ID{"shift+l"}, Help: "tree: label an entry"},
		{ID: "app.tree.toggleLabelTimestamp", Keys: []key.ID{"shift+t"}, Help: "tree: dates"},
		{ID: "app.tree.filter.default", Keys: []key.ID{"ctrl+d"}, Help: "tree: messages and tools"},
		{ID: "app.tree.filter.noTools", Keys: []key.ID{"ctrl+t"}, Help: "tree: no tools"},
		{ID: "app.tree.filter.userOnly", Keys: []key.ID{"ctrl+u"}, Help: "tree: only yours"},
		{ID: "app.tree.filter.labeledOnly", Keys: []key.ID{"ctrl+l"}, Help: "tree: only labelled"},
		{ID: "app.tree.filter.all", Keys: []key.ID{"ctrl+a"}, Help: "tree: everything"},
		{ID: "app.tree.filter.cycleForward", Keys: []key.ID{"ctrl+o"}, Help: "tree: next filter"},
		{ID: "app.tree.filter.cycleBackward", Keys: []key.ID{"shift+ctrl+o"}, Help: "tree: previous filter"},
	}
}

func platform() keymap.Platform {
	pl := keymap.Platform{Windows: runtime.GOOS == "windows"}
	if runtime.GOOS == "linux" && os.Getenv("WSL_DISTRO_NAME") != "" {
		pl.WSL = true
	}
	return pl
}

// loadKeys lays the user's keybindings.json over the defaults.
func (p *program) loadKeys() {
	path := filepath.Join(p.app.AgentDir, "keybindings.json")
	b, err := os.ReadFile(path)
	p.keys.Reset()
	p.conflicts = nil
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		if now, changed, e := p.keys.Migrate(b); e == nil && changed && os.WriteFile(path, now, 0o600) == nil {
			b = now
		}
		var problems []keymap.Problem
		problems, err = p.keys.Load(b)
		for _, pr := range problems {
			p.app.Problems = append(p.app.Problems, errors.New("keybindings.json: "+pr.String()))
		}
	}
	// A key of the user's means what the user says.
	p.conflicts = p.keys.Conflicts(keyGroup)
	p.keys.Yield(keyGroup)
	if err != nil {
		p.app.Problems = append(p.app.Problems, fmt.Errorf("keybindings.json: %w", err))
	}
}

// onKey handles the application's keys before the component with the focus
// sees them. Pickers get all keys but those that end the program.
func (p *program) onKey(ev key.Event) bool {
	p.stirred()
	w, h := p.ui.Size()
	p.ext.columns.Store(int64(w))
	p.ext.rows.Store(int64(h))
	if p.overhear(ev) {
		return true
	}
	if p.ui.Focused() != p.editor {
		return false
	}
	return p.appKey(ev)
}

// appKey does what a key of the application stands for.
func (p *program) appKey(ev key.Event) bool {
	if p.shortcut(ev) {
		return true
	}
	is := func(id string) bool { return p.keys.Matches(ev, id) }
	switch {
	case is("app.interrupt"):
		switch {
		case p.editor.MenuOpen():
			return false
		case p.vimWants():
			return false
		case p.cancelTask != nil:
			p.cancelTask()
			return true
		case p.session.Busy():
			p.interrupt()
			return true
		case p.run != nil:
			p.session.AbortShell()
			return true
		case p.signing != nil && p.editor.Text() == "":
			p.signing.cancel()
			return true
		case strings.HasPrefix(p.editor.Text(), "!"):
			p.editor.SetText("")
			p.relabel()
			return true
		}
		return p.doubleEsc()
	case (ev.Is("alt+escape") || ev.Is("ctrl+alt+[")) && !p.session.Busy():
		// Two presses that arrive together look like one with Alt.
		p.lastEsc = time.Now()
		return p.doubleEsc()
	case is("app.tools.background") && p.backgroundable():
		return p.toBackground()
	case is("app.clear"):
		p.clear()
	case is("app.exit"):
		if !p.editor.IsEmpty() {
			return false
		}
		p.ui.Quit(nil)
	case is("app.suspend"):
		if err := p.ui.Suspend(); err != nil {
			p.hint("this terminal has no job control")
		}
	case is("app.message.followUp"):
		p.followUp()
	case is("app.message.dequeue"):
		p.dequeue()
	case is("app.message.copy"):
		p.copyAnswer()
	case is("app.tools.expand"):
		p.look.Expanded = !p.look.Expanded
		p.ext.expanded.Store(p.look.Expanded)
		p.resetCards()
	case is("app.thinking.toggle"):
		p.look.HideThinking = !p.look.HideThinking
		p.list.Invalidate()
		p.saveSetting("/hideThinkingBlock", p.look.HideThinking)
	case is("app.thinking.cycle"):
		p.cycleThinking()
	case is("app.model.select"):
		p.pickModel("")
	case is("app.model.cycleForward"):
		p.cycleModel(1)
	case is("app.model.cycleBackward"):
		p.cycleModel(-1)
	case is("app.editor.history"):
		p.recall()
	case is("app.editor.stash"):
		p.stash()
	case is("app.clipboard.pasteImage"):
		p.pasteImage()
	case is("app.editor.external"):
		p.external()
	case is("app.session.new"):
		p.newSession()
	case is("app.session.tree"):
		p.openTree("")
	case is("app.session.fork"):
		p.fork("")
	case is("app.session.resume"):
		p.resume("")
	default:
		return false
	}
	p.ui.RequestRender()
	return true
}

// vimWants reports whether Esc belongs to the editor: it leaves a mode. With an
// empty editor in insert mode it stops the agent at once.
func (p *program) vimWants() bool {
	switch p.editor.VimMode() {
	case components.VimOff, components.VimNormal:
		return false
	case components.VimInsert:
		return !p.editor.IsEmpty() || !p.session.Busy() && p.run == nil
	}
	return true
}

// resetCards lets all cards follow the look again.
func (p *program) resetCards() {
	for i := range p.list.Len() {
		if b, ok := p.list.At(i).Component().(*chat.Batch); ok {
			b.ResetToggles()
		}
	}
	p.list.Invalidate()
}

func (p *program) cycleThinking() {
	m := p.session.Model()
	var have []ai.ThinkingLevel
	for _, l := range ai.ThinkingLevels() {
		if m.Thinks(l) {
			have = append(have, l)
		}
	}
	if len(have) < 2 {
		p.hint(m.ID + " has no thinking levels")
		return
	}
	now := p.session.Thinking()
	for i, l := range have {
		if l == now {
			p.session.SetThinking(have[(i+1)%len(have)])
			return
		}
	}
	p.session.SetThinking(have[0])
}

// external opens the message in the user's editor.
func (p *program) external() {
	command := p.app.Settings.ExternalEditor
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command == "" {
			command = os.Getenv(name)
		}
	}
	if command == "" {
		command = "vi"
		if runtime.GOOS == "windows" {
			command = "notepad"
		}
	}
	dir, err := os.MkdirTemp("", "tau-editor-*")
	if err != nil {
		p.script.notice(chat.Failure, err.Error())
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "prompt.md")
	if err := os.WriteFile(file, []byte(p.editor.ExpandedText()), 0o600); err != nil {
		p.script.notice(chat.Failure, err.Error())
		return
	}
	words := strings.Fields(command)
	err = p.ui.External(func() error {
		cmd := exec.Command(words[0], append(words[1:], file)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		return cmd.Run()
	})
	if err != nil {
		p.script.notice(chat.Warning, "The editor failed, the message is as it was: "+err.Error())
		return
	}
	b, err := os.ReadFile(file)
	if err != nil {
		p.script.notice(chat.Failure, err.Error())
		return
	}
	p.editor.SetText(strings.TrimRight(string(b), "\n"))
}

func (p *program) copyAnswer() {
	for i := p.list.Len() - 1; i >= 0; i-- {
		if a, ok := p.list.At(i).Component().(*chat.Answer); ok && a.Text() != "" {
			p.ui.Copy(a.Text())
			return
		}
	}
	p.hint("there is no answer to copy")
}

func (p *program) onCopied(_ string, err error) {
	if err != nil {
		p.hint("not copied: " + err.Error())
		return
	}
	p.hint("copied")
}

// newKeys returns all actions with the keys they come with.
func newKeys() *keymap.Map { return keymap.New(keymap.Defaults(platform()), appKeys(platform())) }

// keyGroup says where a key id is heard: at the editor, in lists, in one of the
// pickers or in the transcript.
func keyGroup(id string) string {
	switch {
	case strings.HasPrefix(id, "tui.select."), strings.HasPrefix(id, "tui.altScreen."), strings.HasPrefix(id, "app.models."), strings.HasPrefix(id, "app.tree."):
		return id[:strings.LastIndexByte(id, '.')]
	case strings.HasPrefix(id, "app.session.toggle"), strings.HasPrefix(id, "app.session.delete"), id == "app.session.rename":
		return "sessions"
	case id == "app.thinking.save":
		return "thinking"
	}
	return "editor"
}
