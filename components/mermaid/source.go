package mermaid

import (
	"strings"

	"tau/tui/text"
)

// statements returns the lines of a diagram without blanks, comments and
// directives, and the title of its front matter.
func statements(src string) (lines []string, title string) {
	src = strings.ReplaceAll(src, "\t", " ")
	head := true
	front := false
	for l := range strings.SplitSeq(src, "\n") {
		l = strings.TrimSpace(l)
		switch {
		case l == "" || strings.HasPrefix(l, "%%"):
		case l == "---" && head:
			front = !front
			if !front {
				head = false
			}
		case front:
			if t, ok := strings.CutPrefix(l, "title:"); ok {
				title = label(t)
			}
		case strings.HasPrefix(l, "accTitle") || strings.HasPrefix(l, "accDescr"):
			head = false
		default:
			head = false
			lines = append(lines, strings.TrimSpace(strings.TrimSuffix(l, ";")))
		}
	}
	if front {
		return nil, ""
	}
	return lines, title
}

// label turns the text of a label into what is shown: without quotes and
// mark-up, with <br> as a line break.
func label(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	if len(s) >= 2 && s[0] == '`' && s[len(s)-1] == '`' {
		s = s[1 : len(s)-1]
	}
	s = strings.NewReplacer("<br/>", "\n", "<br>", "\n", "<br />", "\n", "<BR>", "\n", `\n`, "\n", "<b>", "", "</b>", "", "<i>", "", "</i>", "", "<strong>", "", "</strong>", "",
		"<em>", "", "</em>", "", "#quot;", `"`, "#35;", "#", "#amp;", "&", "#lt;", "<", "#gt;", ">", "#59;", ";", "&quot;", `"`, "&amp;", "&", "&lt;", "<", "&gt;", ">", "&nbsp;", " ").Replace(s)
	if i := strings.Index(s, "fa:fa-"); i >= 0 { // an icon of Font Awesome
		_, rest, _ := strings.Cut(s[i:], " ")
		s = s[:i] + rest
	}
	var out []string
	for l := range strings.SplitSeq(s, "\n") {
		out = append(out, strings.Join(strings.Fields(l), " "))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// wrapLabel breaks a label into lines of about width columns, at blanks only.
func wrapLabel(s string, width int) []string {
	var out []string
	for l := range strings.SplitSeq(s, "\n") {
		cur, w := "", 0
		for word := range strings.FieldsSeq(l) {
			n := text.Width(word)
			if w > 0 && w+1+n > width {
				out = append(out, cur)
				cur, w = "", 0
			}
			if w > 0 {
				cur, w = cur+" ", w+1
			}
			cur, w = cur+word, w+n
		}
		out = append(out, cur)
	}
	return out
}

func widest(lines []string) (w int) {
	for _, l := range lines {
		w = max(w, text.Width(l))
	}
	return w
}
