package interactive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tau/ai"
	"tau/components"
	"tau/components/chat"
	"tau/components/picker"
	"tau/session"
	"tau/session/message"
	"tau/session/store"
	"tau/themes"
	"tau/tui"
	"tau/tui/key"
)

// treeFilters are the filters of the navigator, as settings and key ids name
// them.
func treeFilters() []string {
	return []string{"default", "no-tools", "user-only", "labeled-only", "all"}
}

// treeSource shows the entries of a session as a tree.
type treeSource struct {
	st    *store.Store
	tree  store.Tree
	times bool
}

func (s *treeSource) Roots() []int {
	out := make([]int, len(s.tree.Roots))
	for i, r := range s.tree.Roots {
		out[i] = int(r)
	}
	return out
}
func (s *treeSource) FirstChild(i int) int  { return int(s.tree.Nodes[i].First) }
func (s *treeSource) NextSibling(i int) int { return int(s.tree.Nodes[i].Next) }
func (s *treeSource) Active(i int) bool     { return s.tree.Nodes[i].Active }

// Shows implements picker.TreeSource.
func (s *treeSource) Shows(i, f int) bool {
	n := s.tree.Nodes[i]
	talk := n.Type == "message" && n.Role != ai.RoleSystem || n.Type == "branch_summary" || n.Type == "compaction" || n.Type == "custom_message"
	switch treeFilters()[f] {
	case "all":
		return true
	case "labeled-only":
		return n.Label != ""
	case "user-only":
		return n.Role == ai.RoleUser || n.Role == message.RoleBash
	case "no-tools":
		if n.Role == ai.RoleToolResult {
			return false
		}
		if n.Role == ai.RoleAssistant {
			p, err := s.st.Preview(n.ID)
			return err == nil && p.Text != ""
		}
	}
	return talk
}

// Row implements picker.TreeSource.
func (s *treeSource) Row(i int) (text, right string) {
	n := s.tree.Nodes[i]
	p, err := s.st.Preview(n.ID)
	if err != nil {
		return err.Error(), ""
	}
	text = p.Text
	switch {
	case n.Role == ai.RoleUser:
		text = "▌ " + text
	case n.Role == ai.RoleToolResult:
		text, p.Tools = "  "+strings.Join(p.Tools, " ")+" → "+text, nil
	case n.Role == message.RoleBash:
		text = "! " + text
	case n.Type == "branch_summary":
		text = "⟨summary⟩ " + text
	case n.Type == "compaction":
		text = "⟨compaction⟩ " + text
	case n.Type != "message":
		text = "(" + strings.ReplaceAll(n.Type, "_", " ") + ") " + text
	}
	if len(p.Tools) > 0 {
		text = strings.TrimSpace(text + " " + strings.Join(p.Tools, " · "))
	}
	if text == "" {
		text = "(empty)"
	}
	if n.Label != "" {
		right = "★ " + oneLine(n.Label)
	}
	if !p.Time.IsZero() {
		stamp := p.Time.Local().Format("15:04")
		if s.times {
			stamp = p.Time.Local().Format("2006-01-02 15:04:05")
		}
		right = strings.TrimSpace(right + "  " + stamp)
	}
	if i == int(s.tree.Leaf) {
		right += "  ◀"
	}
	return oneLine(text), right
}

// Words implements picker.TreeSource.
func (s *treeSource) Words(i int) string {
	p, err := s.st.Preview(s.tree.Nodes[i].ID)
	if err != nil {
		return ""
	}
	return p.Text + " " + strings.Join(p.Tools, " ") + " " + s.tree.Nodes[i].Label
}

// openTree shows the tree navigator.
func (p *program) openTree(string) {
	if p.picker != nil {
		return
	}
	if p.session.Busy() {
		p.hint("the agent is working; stop it first")
		return
	}
	src := &treeSource{st: p.session.Store(), tree: p.session.Store().Tree()}
	filter := 0
	for i, f := range treeFilters() {
		if f == p.app.Settings.TreeFilterMode {
			filter = i
		}
	}
	th := p.look.Theme
	fg := func(t themes.Token) components.Style { return th.Style(t) }
	tree := picker.NewTree(picker.TreeOptions{
		Title: "Session tree", Source: src, Current: int(src.tree.Leaf), Filters: treeFilters(), Filter: filter, Bindings: p.keys,
		Hint: "↵ go here · l label · t times · / search · ctrl+o filter · esc close",
		Style: picker.TreeStyle{
			Style:  picker.Style{Border: fg(themes.BorderAccent), Title: fg(themes.Text), Hint: fg(themes.Dim)},
			Active: fg(themes.Accent), Quiet: fg(themes.Muted), Branch: fg(themes.Dim),
			Selected: func(s string) string { return th.Inverse(s) },
		},
		Rows: func() int {
			_, h := p.ui.Size()
			return max(3, h-6)
		},
		OnSelect: func(i int) {
			p.closePicker()
			p.leaveFor(src.tree.Nodes[i].ID)
		},
		OnCancel: p.closePicker,
		OnKey: func(ev key.Event, i int) bool {
			switch {
			case ev.Text == "t" || p.keys.Matches(ev, "app.tree.toggleLabelTimestamp"):
				src.times = !src.times
			case ev.Text == "l" || p.keys.Matches(ev, "app.tree.editLabel"):
				id := src.tree.Nodes[i].ID
				p.closePicker()
				p.prompt("Label", src.tree.Nodes[i].Label, func(label string) {
					if err := p.session.SetLabel(id, label); err != nil {
						p.script.notice(chat.Warning, err.Error())
					}
					p.openTree("")
				})
			case p.keys.Matches(ev, "app.message.copy"):
				if e, err := src.st.Entry(src.tree.Nodes[i].ID); err == nil {
					if m := store.AsMessage(e); m != nil {
						p.ui.Copy(messageText(m))
					}
				}
			default:
				return false
			}
			return true
		},
	})
	p.picker = p.ui.ShowOverlay(tree, tui.OverlayOptions{Width: tui.Percent(100), MinWidth: 40, Anchor: tui.Center})
}

func messageText(m ai.Message) string {
	switch m := m.(type) {
	case *ai.UserMessage:
		return ai.ContentText(m.Content)
	case *ai.AssistantMessage:
		return ai.ContentText(m.Content)
	case *ai.ToolResultMessage:
		return ai.ContentText(m.Content)
	case *message.BranchSummary:
		return m.Summary
	case *message.CompactionSummary:
		return m.Summary
	}
	return ""
}

// leaveFor goes to an entry. If that leaves work behind, it asks whether the
// model should write down what it taught.
func (p *program) leaveFor(id string) {
	if !p.leavesWork(id) || p.app.Settings.BranchSummary.SkipPrompt {
		p.navigate(id, session.NavigateOptions{})
		return
	}
	p.pick("Leave this branch", []components.Item{
		{Value: "no", Label: "No summary", Description: "the branch stays in the tree"},
		{Value: "yes", Label: "Summarise", Description: "the model writes down what the branch taught"},
		{Value: "with", Label: "Summarise with instructions"},
	}, "no", "", func(v string) {
		switch v {
		case "no":
			p.navigate(id, session.NavigateOptions{})
		case "yes":
			p.navigate(id, session.NavigateOptions{Summarize: true})
		case "with":
			p.prompt("What the summary should look at", "", func(s string) {
				p.navigate(id, session.NavigateOptions{Summarize: true, Instructions: s})
			})
		}
	})
}

// leavesWork reports whether going to an entry leaves answers behind.
func (p *program) leavesWork(id string) bool {
	st := p.session.Store()
	keep := map[string]bool{}
	for _, n := range st.PathTo(id) {
		keep[n.ID] = true
	}
	for _, n := range st.PathTo("") {
		if keep[n.ID] || n.Type != "message" {
			continue
		}
		if e, err := st.Entry(n.ID); err == nil {
			if _, ok := store.AsMessage(e).(*ai.AssistantMessage); ok {
				return true
			}
		}
	}
	return false
}

func (p *program) navigate(id string, o session.NavigateOptions) {
	s := p.session
	ctx, cancel := context.WithCancel(context.Background())
	if o.Summarize {
		p.startWorking()
		p.status.what = "summarising the branch"
	}
	p.cancelTask = cancel
	go func() {
		nav, err := s.Navigate(ctx, id, o)
		p.ui.Post(func() {
			cancel()
			p.cancelTask = nil
			p.stopWorking()
			switch {
			case errors.Is(err, session.ErrNavigationCancelled):
				p.hint("cancelled; you are where you were")
			case err != nil:
				p.script.notice(chat.Failure, err.Error())
			default:
				p.reload()
				if nav.Content != nil {
					p.editor.SetText(ai.ContentText(nav.Content))
				}
			}
			p.ui.RequestRender()
		})
	}()
}

// reload shows the conversation as it is in the store now.
func (p *program) reload() {
	p.list.Clear()
	p.script = newTranscript(p.look, p.list)
	p.header()
	p.script.history(p.session.Store())
	if p.run != nil {
		p.script.adoptShell(p.run.card)
	}
	p.footer.refresh()
	p.view.ScrollToEnd()
}

func (p *program) undoNavigation(string) {
	if _, err := p.session.UndoNavigation(); err != nil {
		p.hint(err.Error())
		return
	}
	p.reload()
}

// compact is the command /compact.
func (p *program) compact(instructions string) {
	s := p.session
	go func() {
		if _, err := s.Compact(context.Background(), instructions); err != nil && !errors.Is(err, session.ErrCompactionCancelled) {
			p.ui.Post(func() { p.script.notice(chat.Warning, "Not compacted: "+err.Error()); p.ui.RequestRender() })
		}
	}()
}

// onCompaction shows that the conversation is being summarised, and what came
// of it.
func (p *program) onCompaction(ev session.Event) {
	if ev.Type == session.CompactionStart {
		p.startWorking()
		p.status.what = "compacting"
		return
	}
	p.status.what = ""
	if !p.session.Busy() {
		p.stopWorking()
	}
	c := ev.Compaction
	switch {
	case c.Result != nil:
		text := fmt.Sprintf("The conversation up to here was summarised (%s tokens before, about %s now). It is all still in the session.", tokens(c.Result.TokensBefore), tokens(c.Result.EstimatedTokensAfter))
		if c.Mechanical != "" {
			text += "\nThe model could not write the summary (" + c.Mechanical + "), so it was put together from your messages."
		}
		p.script.notice(chat.Info, text)
	case c.Aborted:
		p.script.notice(chat.Warning, "Compaction was stopped.")
	case c.Error != "" && c.Reason != session.CompactManual:
		p.script.notice(chat.Failure, c.Error)
	}
	p.footer.refresh()
}

// prompt asks for one line of text.
func (p *program) prompt(title, value string, done func(string)) {
	if p.picker != nil {
		return
	}
	box := picker.NewPrompt(picker.PromptOptions{
		Title: title, Value: value, Bindings: p.keys,
		Style:    p.pickerStyle(),
		OnSubmit: func(s string) { p.closePicker(); done(strings.TrimSpace(s)) },
		OnCancel: p.closePicker,
	})
	p.picker = p.ui.ShowOverlay(box, tui.OverlayOptions{Width: tui.Percent(70), MinWidth: 40, Anchor: tui.Center, Gutter: 1})
}

func (p *program) closePicker() {
	if p.picker != nil {
		p.picker.Hide()
		p.picker = nil
	}
	p.focusHome()
	p.ui.RequestRender()
	p.nextDialog()
}

// doubleEsc is what Esc twice on an empty editor does.
func (p *program) doubleEsc() bool {
	now := time.Now()
	twice := now.Sub(p.lastEsc) < 500*time.Millisecond
	p.lastEsc = now
	if !twice || !p.editor.IsEmpty() {
		return false
	}
	p.lastEsc = time.Time{}
	switch p.app.Settings.DoubleEscapeAction {
	case "none":
		return false
	case "fork":
		p.fork("")
	default:
		p.openTree("")
	}
	return true
}
