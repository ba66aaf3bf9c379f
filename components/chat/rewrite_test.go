package chat

import (
	"math"
	"strings"
	"testing"
	"time"

	"tau/themes"
	"tau/tui"
	"tau/tui/text"
)

// editor is somebody who rewrites messages when the test says so.
type editor struct {
	by    int
	asked []Rewrite
	done  []func(string)
}

func (e *editor) look(t *testing.T) *Look {
	t.Helper()
	th, err := themes.Load("dark", themes.Options{Depth: themes.Truecolor})
	if err != nil {
		t.Fatal(err)
	}
	return &Look{Theme: th, Rewriting: func(string) int { return e.by }, Rewrite: func(r Rewrite, done func(string)) {
		e.asked, e.done = append(e.asked, r), append(e.done, done)
	}}
}

func (e *editor) answer() { e.done[len(e.done)-1](strings.ToUpper(e.asked[len(e.asked)-1].Text)) }

func shown(c tui.Component, width int) string {
	var out []string
	for _, l := range c.Render(width) {
		out = append(out, strings.TrimSpace(text.StripSequences(l)))
	}
	return strings.Join(out, "|")
}

// One request is under way at most, and the next is for the latest text.
func TestAnswerIsRewrittenWhileItComes(t *testing.T) {
	e := &editor{by: 1}
	a := NewAnswer(e.look(t))
	a.Rewritten(Origin{})
	a.Append("one ")
	if got := shown(a, 80); got != "one" || len(e.asked) != 1 || !e.asked[0].Streaming || e.asked[0].Width != 76 || e.asked[0].Kind != "assistant" {
		t.Fatalf("%q, asked %+v", got, e.asked)
	}
	for _, piece := range []string{"two ", "three "} {
		v := a.Version()
		a.Append(piece)
		if a.Version() == v {
			t.Error("a piece changes nothing")
		}
		shown(a, 80)
	}
	if len(e.asked) != 1 || a.Settled(80) != 0 {
		t.Fatalf("asked %d times, settled %d", len(e.asked), a.Settled(80))
	}
	e.answer()
	if got := shown(a, 80); got != "ONE" || len(e.asked) != 2 || e.asked[1].Text != "one two three " {
		t.Fatalf("%q, asked %+v", got, e.asked)
	}
	e.answer()
	a.SetText("one two three end")
	shown(a, 80)
	if len(e.asked) != 3 || e.asked[2].Streaming || a.Settled(80) != 0 {
		t.Fatalf("asked %+v, settled %d", e.asked, a.Settled(80))
	}
	e.answer()
	a.SetText("one two three end")
	if got := shown(a, 80); got != "ONE TWO THREE END" || len(e.asked) != 3 || a.Text() != "one two three end" {
		t.Fatalf("%q, asked %d times, text %q", got, len(e.asked), a.Text())
	}
	shown(a, 60) // another width is another form
	if len(e.asked) != 4 {
		t.Errorf("asked %d times", len(e.asked))
	}
	e.answer()
	e.by = 0
	a.Invalidate()
	if got := shown(a, 60); got != "one two three end" {
		t.Errorf("after it was taken away: %q", got)
	}
}

// What is in the scrollback is not rewritten.
func TestSettledIsNotRewritten(t *testing.T) {
	e := &editor{}
	u := NewUser(e.look(t), "hello", time.Time{})
	u.Rewritten(Origin{})
	shown(u, 80)
	if u.Settled(80) != math.MaxInt {
		t.Fatal("not settled")
	}
	e.by = 1
	u.Invalidate()
	if got := shown(u, 80); len(e.asked) != 0 || got != "▌ hello" {
		t.Errorf("asked %d times, %q", len(e.asked), got)
	}
}

func TestPartsThatAreRewritten(t *testing.T) {
	for name, part := range map[string]func(l *Look) (c tui.Component, kind, before, after string){
		"user": func(l *Look) (tui.Component, string, string, string) {
			u := NewUser(l, "some words", time.Time{})
			u.Rewritten(Origin{ID: "e"})
			return u, "user", "▌ some words", "▌ SOME WORDS"
		},
		"thinking": func(l *Look) (tui.Component, string, string, string) {
			c := NewThinking(l)
			c.Rewritten(Origin{ID: "e"})
			c.SetText("some words")
			return c, "assistant-thinking", "┊ some words", "┊ SOME WORDS"
		},
		"custom": func(l *Look) (tui.Component, string, string, string) {
			return NewCustom(l, CustomMessage{Kind: "message", Type: "x", Text: "some words", Origin: Origin{ID: "e"}}), "custom", "· some words", "· SOME WORDS"
		},
		"summary": func(l *Look) (tui.Component, string, string, string) {
			n := NewNotice(l, Info, "some words")
			n.Rewritten("summary", "Head:\n", Origin{ID: "e"})
			return n, "summary", "· Head:|some words", "· Head:|SOME WORDS"
		},
	} {
		e := &editor{by: 3}
		c, kind, before, after := part(e.look(t))
		told := 0
		c.(interface{ OnRewrite(func()) }).OnRewrite(func() { told++ })
		if got := shown(c, 58); got != strings.NewReplacer("▌ ", "", "┊ ", "").Replace(before) {
			t.Errorf("%s: %q, want %q", name, got, before)
		}
		if len(e.asked) != 1 || e.asked[0].Kind != kind || e.asked[0].Text != "some words" || e.asked[0].ID != "e" || e.asked[0].Streaming {
			t.Errorf("%s: asked %+v", name, e.asked)
			continue
		}
		if s := c.(tui.Settler); s.Settled(58) != 0 {
			t.Errorf("%s is settled before it is rewritten", name)
		}
		e.answer()
		if got := shown(c, 58); got != strings.NewReplacer("▌ ", "", "┊ ", "").Replace(after) || told != 1 {
			t.Errorf("%s: %q, want %q; told %d times", name, got, after, told)
		}
		if s := c.(tui.Settler); s.Settled(58) != math.MaxInt {
			t.Errorf("%s is not settled after it was rewritten", name)
		}
	}
	// Remarks of the program itself are nobody's to rewrite.
	e := &editor{by: 1}
	shown(NewNotice(e.look(t), Info, "some words"), 80)
	a := NewAnswer(e.look(t))
	a.SetText("help")
	shown(a, 80)
	if len(e.asked) > 0 {
		t.Errorf("asked %+v", e.asked)
	}
}
