package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"

	"tau/ai"
)

// replace reads the file, edits it, and says what was done.
func (p *planner) replace() turn {
	file := p.in.path
	last := p.last()
	if last == nil {
		if !p.tools["read"] || !p.tools["edit"] {
			return p.noTool()
		}
		return call("To edit the file I have to know it first.", "I'll read "+file+" first.", "read", args{{"path", file}})
	}
	if last.ToolName == "edit" {
		return turn{text: p.replaced()}
	}
	text, next := p.fileText()
	if next > 0 {
		return call("The file goes on.", "", "read", args{{"path", file}, {"offset", next}})
	}
	if p.in.old == p.in.new {
		return turn{text: "The old and the new text are the same, so there is nothing to do."}
	}
	edits := makeEdits(text, p.in.old, p.in.new)
	if len(edits) == 0 {
		return turn{thinking: "The text is not there.", text: fmt.Sprintf("`%s` does not contain %q. I changed nothing.", file, p.in.old)}
	}
	n := strings.Count(text, p.in.old)
	return call(fmt.Sprintf("I count %d of them. Each edit needs lines that occur only once.", n),
		fmt.Sprintf("Replacing %s.", plural(n, "occurrence", "occurrences")), "edit", args{{"path", file}, {"edits", edits}})
}

func (p *planner) replaced() string {
	text, _ := p.fileText()
	return fmt.Sprintf("I replaced %s of %q with %q in `%s`.", plural(strings.Count(text, p.in.old), "occurrence", "occurrences"), p.in.old, p.in.new, p.in.path)
}

var notice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\n*\[[^\[\]\n]*offset[= ](\d+)[^\[\]\n]*\]\s*$`)
})

// fileText puts together what the read calls gave. next is the line at which
// reading has to go on, 0 at the end of the file.
func (p *planner) fileText() (text string, next int) {
	var parts []string
	for _, r := range p.results() {
		if r.ToolName != "read" || r.IsError {
			continue
		}
		part := ai.ContentText(r.Content)
		next = 0
		// A read that was cut ends in a note in brackets that names the next line.
		if m := notice().FindStringSubmatch(part); m != nil && cut(r) {
			fmt.Sscan(m[1], &next)
			part = notice().ReplaceAllString(part, "")
		}
		parts = append(parts, part)
	}
	return strings.ReplaceAll(strings.Join(parts, "\n"), "\r\n", "\n"), next
}

// cut tells a real note from a file that ends in such a line: the details say
// whether the result was truncated.
func cut(r *ai.ToolResultMessage) bool {
	var details struct {
		Truncation *struct{ Truncated bool } `json:"truncation"`
	}
	if len(r.Details) == 0 || json.Unmarshal(r.Details, &details) != nil || details.Truncation == nil {
		return false
	}
	return details.Truncation.Truncated
}

// edit is one replacement of the edit tool.
type edit struct {
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
}

// span is a range of lines, the last excluded.
type span struct{ from, to int }

// makeEdits replaces every occurrence of old. Each edit takes whole lines, as
// many as it needs for its text to be the only one of its kind in the file.
func makeEdits(text, old, new string) []edit {
	if old == "" || !strings.Contains(text, old) {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	starts := make([]int, len(lines)+1)
	for i, l := range lines {
		starts[i+1] = starts[i] + len(l)
	}
	lineAt := func(offset int) int { return sort.SearchInts(starts, offset+1) - 1 }
	var spans []span
	for at := 0; ; {
		i := strings.Index(text[at:], old)
		if i < 0 {
			break
		}
		from := at + i
		at = from + len(old)
		spans = join(append(spans, span{lineAt(from), lineAt(at-1) + 1}))
	}
	loose := looseLines(lines)
	all := strings.Join(loose, "\n")
	for i := 0; i < len(spans); {
		s := spans[i]
		if unique(all, loose, s) || s.to-s.from == len(lines) {
			i++
			continue
		}
		s = span{max(s.from-1, 0), min(s.to+1, len(lines))}
		spans[i] = s
		before := len(spans)
		spans = join(spans)
		if len(spans) < before {
			i = max(i-1, 0) // it has grown into a neighbour
		}
	}
	edits := make([]edit, len(spans))
	for i, s := range spans {
		piece := text[starts[s.from]:starts[s.to]]
		if !strings.Contains(old, "\n") {
			piece = strings.TrimSuffix(piece, "\n")
		}
		edits[i] = edit{piece, strings.ReplaceAll(piece, old, new)}
	}
	return edits
}

// join merges spans that overlap or touch; they are in order. Touching ones
// share a line end.
func join(spans []span) []span {
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			out[n-1].from = min(out[n-1].from, s.from)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// looseLines folds what the edit tool folds when it counts how often a text
// occurs: look-alike quotes, dashes and spaces, and spaces at line ends.
func looseLines(lines []string) []string {
	fold := strings.NewReplacer("‘", "'", "’", "'", "‚", "'", "“", `"`, "”", `"`, "„", `"`, "–", "-", "—", "-", "‑", "-", "\u00a0", " ", "\u202f", " ")
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(fold.Replace(l), " \t\r\n")
	}
	return out
}

func unique(all string, loose []string, s span) bool {
	piece := strings.Join(loose[s.from:s.to], "\n")
	first := strings.Index(all, piece)
	return piece != "" && first >= 0 && !strings.Contains(all[first+1:], piece)
}
