package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"time"

	"tau/ai"
	"tau/session/message"
	"tau/session/store"
)

// entry writes one entry as an article. Those that show nothing are written
// too, empty: the script walks from child to parent.
func (p *page) entry(n *store.TreeNode, e store.Entry) {
	kind := n.Type
	if n.Role != "" {
		kind = string(n.Role)
	}
	parent := ""
	if n.Parent >= 0 {
		parent = p.tree.Nodes[n.Parent].ID
	}
	p.put("<article id=\"e-", attr(n.ID), "\" data-id=\"", attr(n.ID), "\" data-parent=\"", attr(parent), "\" class=\"k-", slug(kind), "\"")
	if !n.Active {
		p.put(" hidden")
	}
	p.put(">")
	if n.Label != "" {
		p.put("<i class=\"label\">", html.EscapeString(n.Label), "</i>")
	}
	switch e := e.(type) {
	case *store.MessageEntry:
		p.message(e.Message)
	case *store.CompactionEntry:
		p.note(fmt.Sprintf("Compacted from %d tokens", e.TokensBefore), e.Summary)
	case *store.BranchSummaryEntry:
		p.note("Summary of a branch that was left", e.Summary)
	case *store.CustomMessageEntry:
		if e.Display || p.o.ShowHidden {
			p.put("<h2>", html.EscapeString(e.CustomType), "</h2>")
			p.blocks((&message.Custom{Content: e.Content}).Blocks())
		}
	case *store.ModelEntry:
		p.line("Model: " + e.Provider + "/" + e.ModelID)
	case *store.ThinkingEntry:
		p.line("Thinking: " + string(e.ThinkingLevel))
	case *store.InfoEntry:
		p.line("Named: " + e.Name)
	}
	p.put("</article>\n")
}

func (p *page) line(text string) { p.put("<p class=\"line\">", html.EscapeString(clean(text)), "</p>") }

func (p *page) note(title, text string) {
	p.put("<details class=\"note\"><summary>", html.EscapeString(title), "</summary>", p.markdown(text), "</details>")
}

func (p *page) message(m ai.Message) {
	switch m := m.(type) {
	case *ai.SystemMessage:
		p.system(m)
	case *ai.UserMessage:
		p.head("User", m.Timestamp)
		p.blocks(m.Content)
	case *ai.AssistantMessage:
		p.head(m.Model, m.Timestamp)
		p.blocks(m.Content)
		if m.ErrorMessage != "" {
			p.put("<p class=\"error\">", html.EscapeString(clean(m.ErrorMessage)), "</p>")
		}
		if u := m.Usage; u.TotalTokens > 0 {
			p.line(fmt.Sprintf("%d tokens in, %d out, %d cached, $%.4f", u.Input+u.CacheWrite, u.Output, u.CacheRead, u.Cost.Total))
		}
	case *ai.ToolResultMessage:
		p.result(m)
	case *message.Bash:
		text := m.Output
		if m.ExitCode != nil && *m.ExitCode != 0 {
			text += fmt.Sprintf("\n(exit code %d)", *m.ExitCode)
		}
		p.put("<div class=\"card\"><h3>$ ", html.EscapeString(clean(m.Command)), "</h3>")
		p.output(text)
		p.put("</div>")
	case *message.Custom:
		if m.Display || p.o.ShowHidden {
			p.blocks(m.Blocks())
		}
	}
}

func (p *page) head(who string, at int64) {
	p.put("<h2>", html.EscapeString(who))
	if at > 0 {
		t := time.UnixMilli(at).UTC()
		p.put("<time datetime=\"", t.Format(time.RFC3339), "\">", t.Format("2006-01-02 15:04:05"), "</time>")
	}
	p.put("</h2>")
}

func (p *page) system(m *ai.SystemMessage) {
	var parts []string
	if text := ai.ContentText(m.Content); text != "" {
		parts = append(parts, text)
	}
	for _, s := range m.Sections {
		if s.Text != nil {
			parts = append(parts, s.Name+"\n\n"+*s.Text)
		} else {
			parts = append(parts, s.Name+" (removed)")
		}
	}
	p.put("<details class=\"note\"><summary>System prompt</summary><pre>", html.EscapeString(clean(strings.Join(parts, "\n\n"))), "</pre>")
	for _, t := range m.ToolsAdded {
		p.put("<p class=\"line\"><b>", html.EscapeString(t.Name), "</b> ", html.EscapeString(clean(t.Description)), "</p>")
	}
	p.put("</details>")
}

func (p *page) blocks(blocks []ai.Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			p.put("<div class=\"md\">", p.markdown(b.Text), "</div>")
		case *ai.Thinking:
			if strings.TrimSpace(b.Thinking) != "" {
				p.put("<details class=\"thinking\"><summary>Thinking</summary>", p.markdown(b.Thinking), "</details>")
			}
		case *ai.Image:
			p.image(b)
		case *ai.ToolCall:
			p.call(b)
		}
	}
}

// image writes a picture whose type browsers draw without running anything.
func (p *page) image(b *ai.Image) {
	switch b.MimeType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		p.line("(an image of type " + b.MimeType + ")")
		return
	}
	if strings.IndexFunc(b.Data, func(r rune) bool {
		return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && r != '+' && r != '/' && r != '='
	}) >= 0 {
		p.line("(a broken image)")
		return
	}
	p.put("<img alt=\"\" src=\"data:", b.MimeType, ";base64,", b.Data, "\">")
}

func (p *page) call(c *ai.ToolCall) {
	about := subject(c.Arguments)
	p.calls[c.ID] = about
	p.put("<div class=\"card call\"><h3><b>", html.EscapeString(c.Name), "</b> ", html.EscapeString(clean(store.OneLine(about, 200))), "</h3>")
	if args := arguments(c.Arguments); args != "" {
		p.output(args)
	}
	p.put("</div>")
}

// subject is the argument that says what a call is about.
func subject(args json.RawMessage) string {
	var a map[string]json.RawMessage
	if json.Unmarshal(args, &a) != nil {
		return ""
	}
	for _, key := range [...]string{"command", "path", "file_path", "pattern", "query", "url"} {
		var s string
		if json.Unmarshal(a[key], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// arguments returns those that are not the subject, one a line, texts as they
// are.
func arguments(args json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(args))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return ""
	}
	about := subject(args)
	var b strings.Builder
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			break
		}
		var s string
		switch {
		case json.Unmarshal(v, &s) != nil:
			fmt.Fprintf(&b, "%v: %s\n", key, v)
		case s == about && !strings.Contains(s, "\n"):
		case strings.Contains(s, "\n"):
			fmt.Fprintf(&b, "%v:\n%s\n", key, s)
		default:
			fmt.Fprintf(&b, "%v: %s\n", key, s)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *page) result(m *ai.ToolResultMessage) {
	class := "ok"
	if m.IsError {
		class = "failed"
	}
	p.put("<div class=\"card ", class, "\"><h3><b>", html.EscapeString(m.ToolName), "</b> ", html.EscapeString(clean(store.OneLine(p.calls[m.ToolCallID], 200))))
	if m.DurationMs != nil {
		p.put("<time>", (time.Duration(*m.DurationMs) * time.Millisecond).String(), "</time>")
	}
	p.put("</h3>")
	var d struct {
		Diff string `json:"diff"`
	}
	if len(m.Details) > 0 && json.Unmarshal(m.Details, &d) == nil && d.Diff != "" {
		p.diff(d.Diff)
	}
	if text := ai.ContentText(m.Content); text != "" {
		p.output(text)
	}
	for _, b := range m.Content {
		if img, ok := b.(*ai.Image); ok {
			p.image(img)
		}
	}
	p.nested(m.NestedCalls)
	p.put("</div>")
}

func (p *page) nested(calls json.RawMessage) {
	var n struct {
		Calls []struct {
			Name, Status, Error string
			Arguments           json.RawMessage
		}
	}
	if len(calls) == 0 || json.Unmarshal(calls, &n) != nil || len(n.Calls) == 0 {
		return
	}
	p.put("<ul class=\"nested\">")
	for _, c := range n.Calls {
		p.put("<li class=\"", slug(c.Status), "\"><b>", html.EscapeString(c.Name), "</b> ", html.EscapeString(clean(store.OneLine(subject(c.Arguments)+" "+c.Error, 200))), "</li>")
	}
	p.put("</ul>")
}

const foldedLines = 20 // longer output is folded

func (p *page) output(text string) {
	text = strings.TrimRight(clean(text), "\n")
	lines := strings.Count(text, "\n") + 1
	if lines <= foldedLines {
		p.put("<pre>", html.EscapeString(text), "</pre>")
		return
	}
	at := 0
	for range 5 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	p.put("<details class=\"output\"><summary><pre>", html.EscapeString(text[:at-1]), fmt.Sprintf("</pre><em>%d more lines</em></summary><pre>", lines-5), html.EscapeString(text[at:]), "</pre></details>")
}

func (p *page) diff(text string) {
	p.put("<pre class=\"diff\">")
	for line := range strings.Lines(clean(text)) {
		class := "ctx"
		switch {
		case strings.HasPrefix(line, "+"):
			class = "add"
		case strings.HasPrefix(line, "-"):
			class = "del"
		}
		p.put("<span class=\"", class, "\">", html.EscapeString(line), "</span>")
	}
	p.put("</pre>")
}
