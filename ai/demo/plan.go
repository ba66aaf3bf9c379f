package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"tau/ai"
	"tau/ai/openjson"
)

// plan decides the next turn from the last message of the user and what has
// happened since.
func plan(req *ai.Request) turn {
	request, since := lastRequest(req.Messages)
	p := planner{tools: make(map[string]bool), since: since}
	for _, t := range req.Tools {
		p.tools[t.Name] = true
	}
	p.in = understand(request)
	if failed := p.lastError(); failed != "" {
		return turn{thinking: "That did not work. I should say so.", text: "That did not work: " + failed}
	}
	switch p.in.kind {
	case help:
		return turn{thinking: "The user wants to know what I am.", text: p.helpText()}
	case unknown:
		return turn{thinking: "This is beyond what I understand, so I say what I can do.", text: p.cannot(request)}
	case replace:
		return p.replace()
	}
	if len(p.results()) > 0 {
		return turn{text: p.summary()}
	}
	return p.begin()
}

// lastRequest returns the text of the user's last message and what came after
// it.
func lastRequest(msgs []ai.Message) (string, []ai.Message) {
	for i := len(msgs) - 1; i >= 0; i-- {
		if m, ok := msgs[i].(*ai.UserMessage); ok {
			return ai.ContentText(m.Content), msgs[i+1:]
		}
	}
	return "", msgs
}

type planner struct {
	tools map[string]bool
	since []ai.Message
	in    intent
}

func (p *planner) results() []*ai.ToolResultMessage {
	var out []*ai.ToolResultMessage
	for _, m := range p.since {
		if r, ok := m.(*ai.ToolResultMessage); ok {
			out = append(out, r)
		}
	}
	return out
}

func (p *planner) last() *ai.ToolResultMessage {
	if rs := p.results(); len(rs) > 0 {
		return rs[len(rs)-1]
	}
	return nil
}

func (p *planner) lastError() string {
	r := p.last()
	if r == nil || !r.IsError {
		return ""
	}
	text := strings.TrimSpace(ai.ContentText(r.Content))
	if text == "" {
		text = "the tool gave no reason"
	}
	return firstLines(text, 6)
}

// begin makes the first tool call.
func (p *planner) begin() turn {
	where := p.in.path
	if where == "" {
		where = "this folder"
	}
	switch p.in.kind {
	case list:
		if p.tools["ls"] {
			return call("I list "+where+" with the ls tool.", "Let me look into "+where+".", "ls", args{{"path", orDot(p.in.path)}})
		}
		return p.shell("Let me look into "+where+".", "ls -la -- "+quoteShell(orDot(p.in.path)))
	case read:
		if p.tools["read"] {
			return call("The user wants to see "+p.in.path+".", "I'll read "+p.in.path+".", "read", args{{"path", p.in.path}})
		}
		return p.shell("I'll read "+p.in.path+".", "cat -- "+quoteShell(p.in.path))
	case search:
		if p.tools["grep"] {
			return call("I search for the text as it stands.", fmt.Sprintf("Searching for %q in %s.", p.in.pattern, where), "grep",
				args{{"pattern", p.in.pattern}, {"path", orDot(p.in.path)}, {"literal", true}})
		}
		return p.shell(fmt.Sprintf("Searching for %q in %s.", p.in.pattern, where), "grep -rnIF -e "+quoteShell(p.in.pattern)+" -- "+quoteShell(orDot(p.in.path))+" | head -n 100")
	case find:
		if p.tools["find"] {
			return call("I look for file names.", fmt.Sprintf("Looking for %s in %s.", p.in.pattern, where), "find",
				args{{"pattern", p.in.pattern}, {"path", orDot(p.in.path)}})
		}
		return p.shell(fmt.Sprintf("Looking for %s in %s.", p.in.pattern, where), "find "+quoteShell(orDot(p.in.path))+" -not -path '*/.git/*' -name "+quoteShell(p.in.pattern)+" | head -n 1000")
	case write:
		if p.tools["write"] {
			return call("The content is given; I write it as it is.", "I'll write "+p.in.path+".", "write", args{{"path", p.in.path}, {"content", p.in.new}})
		}
	case run:
		return p.shell("", p.in.pattern)
	}
	return p.noTool()
}

func (p *planner) shell(text, command string) turn {
	if !p.tools["bash"] {
		return p.noTool()
	}
	return call("The shell can do this.", text, "bash", args{{"command", command}})
}

func (p *planner) noTool() turn {
	return turn{text: "I understood the request (" + string(p.in.kind) + "), but the tool for it is not switched on."}
}

// summary says what came out of a request of one step.
func (p *planner) summary() string {
	text := strings.TrimRight(ai.ContentText(p.last().Content), "\n")
	lines := strings.Split(text, "\n")
	where := orDot(p.in.path)
	nothing := strings.TrimSpace(text) == "" || strings.HasPrefix(text, "No ") || strings.HasPrefix(text, "(no output)") || strings.HasPrefix(text, "(empty")
	switch p.in.kind {
	case list:
		if nothing {
			return "The folder `" + where + "` is empty."
		}
		return fmt.Sprintf("`%s` has %s:\n\n%s", where, plural(len(lines), "entry", "entries"), bullets(lines, 20))
	case read:
		return fmt.Sprintf("`%s` has %s. It begins with:\n\n%s", p.in.path, plural(len(lines), "line", "lines"), block(firstLines(text, 8)))
	case search:
		if nothing {
			return fmt.Sprintf("%q does not occur in `%s`.", p.in.pattern, where)
		}
		return fmt.Sprintf("%s for %q:\n\n%s", plural(len(lines), "line", "lines"), p.in.pattern, block(firstLines(text, 12)))
	case find:
		if nothing {
			return fmt.Sprintf("No file is named like `%s` in `%s`.", p.in.pattern, where)
		}
		return fmt.Sprintf("%s:\n\n%s", plural(len(lines), "file", "files"), bullets(lines, 20))
	case write:
		return fmt.Sprintf("I wrote `%s` (%s).", p.in.path, plural(len(p.in.new), "byte", "bytes"))
	}
	if nothing {
		return "The command ran without output."
	}
	return "The command printed:\n\n" + block(firstLines(text, 12))
}

func (p *planner) helpText() string {
	return "I am the demo model of tau: a small planner of fixed rules that runs without a network. The tools I call are the real ones, " +
		"so that what I read, write and run is on your disk.\n\nThings I understand:\n\n" + abilities +
		"\n\nChoose a real model with `/model`."
}

func (p *planner) cannot(request string) string {
	if strings.TrimSpace(request) == "" {
		return "There is no request. " + p.helpText()
	}
	return "I am only the offline demo model and did not understand that. I can do these things:\n\n" + abilities +
		"\n\nFor anything else, choose a real model with `/model`."
}

const abilities = "- list files in `src`\n- read `README.md`\n- search for \"TODO\" in `src`\n- find `*.go`\n- create `notes.txt` with \"hello\"\n" +
	"- replace \"a\" with \"b\" in `notes.txt`\n- run `go version`"

// arg keeps the order in which arguments are written.
type arg struct {
	name  string
	value any
}

type args []arg

func (a args) json() string {
	var out strings.Builder
	out.WriteByte('{')
	for i, x := range a {
		if i > 0 {
			out.WriteByte(',')
		}
		value, err := openjson.Encode(x.value)
		if err != nil {
			value = []byte("null")
		}
		name, _ := json.Marshal(x.name)
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.String()
}

func call(thinking, text, tool string, a args) turn {
	return turn{thinking: thinking, text: text, calls: []callPlan{{name: tool, args: a.json()}}}
}

func orDot(s string) string {
	if s == "" {
		return "."
	}
	return s
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return itoa(n) + " " + many
}

func firstLines(text string, n int) string {
	lines := strings.SplitN(text, "\n", n+1)
	if len(lines) > n {
		lines[n] = "…"
	}
	return strings.Join(lines, "\n")
}

func bullets(lines []string, most int) string {
	var out []string
	for i, l := range lines {
		if i == most {
			out = append(out, "- … and "+itoa(len(lines)-most)+" more")
			break
		}
		out = append(out, "- `"+strings.TrimSpace(l)+"`")
	}
	return strings.Join(out, "\n")
}

// block is a code block whose fence the text does not have.
func block(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}
