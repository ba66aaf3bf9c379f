package tui

import (
	"strings"

	"tau/tui/text"
)

// PromptMark is put in front of the first line of a prompt. It never reaches
// the terminal; [ScrollView.JumpPrompt] finds it.
const PromptMark = "\x1b]133;A\x07"

const promptPrefix = "\x1b]133;A"

// JumpPrompt scrolls to the previous (-1) or next (1) line that begins with
// [PromptMark], as seen from the top row, or else to the start or end.
func (v *ScrollView) JumpPrompt(dir int) {
	l := v.list
	if v.node == nil || v.node.list != l {
		return
	}
	l.stamp++
	l.measure(v.node)
	at := v.line - (l.rows(v.node) - v.node.height)
	for i := v.node.index; i >= 0 && i < len(l.nodes); i += dir {
		n := l.nodes[i]
		h := l.measure(n)
		lines := l.slice(n, 0, h)
		from, to := 0, h-1
		if n == v.node {
			if dir < 0 {
				to = at - 1
			} else {
				from = at + 1
			}
		}
		found := -1
		for k := from; k <= to; k++ {
			if strings.HasPrefix(lines[k], promptPrefix) {
				found = k
				if dir > 0 {
					break
				}
			}
		}
		if found >= 0 {
			v.ScrollTo(n, found, 0)
			v.resumeAtEnd()
			return
		}
	}
	if dir < 0 {
		v.ScrollToStart()
	} else {
		v.ScrollToEnd()
	}
}

// resumeAtEnd follows again if the end is in sight.
func (v *ScrollView) resumeAtEnd() {
	if v.height > 0 {
		v.following = v.below(v.height+1) <= v.height
	}
}

// drawEndLabel puts the label over the last row while the end is out of sight.
func (v *ScrollView) drawEndLabel() {
	v.labelX, v.labelW = 0, 0
	if v.EndLabel == "" || v.atEnd || len(v.out) < v.height || v.height < 3 {
		return
	}
	w := min(text.Width(v.EndLabel), v.width)
	v.labelX, v.labelW = (v.width-w)/2, w
	v.out[v.height-1] = text.Overlay(v.out[v.height-1], v.EndLabel, v.labelX, w)
}

func (v *ScrollView) onLabel(x, y int) bool {
	return v.labelW > 0 && y == v.height-1 && x >= v.labelX && x < v.labelX+v.labelW
}
