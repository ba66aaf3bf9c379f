package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tau/tui/text"
	"tau/tui/vt"
)

func lines(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(prefix, i+1)
	}
	return out
}

// O7-O21: where overlays stand. at is the corner the overlay must be drawn in.
func TestOverlayPlacement(t *testing.T) {
	for _, c := range []struct {
		name    string
		w, h    int
		rows    int
		opt     OverlayOptions
		x, y    int
		width   int
		visible int
	}{
		{"O7 percent", 100, 24, 1, OverlayOptions{Width: Percent(50)}, 25, 11, 50, 1},
		{"O8 minimum", 100, 24, 1, OverlayOptions{Width: Percent(10), MinWidth: 30}, 35, 11, 30, 1},
		{"O9 top left", 80, 24, 1, OverlayOptions{Anchor: TopLeft, Width: Cells(10)}, 0, 0, 10, 1},
		{"O10 bottom right", 80, 24, 1, OverlayOptions{Anchor: BottomRight, Width: Cells(10)}, 70, 23, 10, 1},
		{"O11 top center", 80, 24, 1, OverlayOptions{Anchor: TopCenter, Width: Cells(10)}, 35, 0, 10, 1},
		{"O12 negative margins", 80, 24, 1, OverlayOptions{Anchor: TopLeft, Width: Cells(10), Margin: Margin{Top: -5, Left: -10}}, 0, 0, 10, 1},
		{"O13 margin", 80, 24, 1, OverlayOptions{Anchor: TopLeft, Width: Cells(10), Margin: Margin{5, 5, 5, 5}}, 5, 5, 10, 1},
		{"O14 two margins", 80, 24, 1, OverlayOptions{Anchor: TopLeft, Width: Cells(10), Margin: Margin{Top: 2, Left: 3}}, 3, 2, 10, 1},
		{"O15 offsets", 80, 24, 1, OverlayOptions{Anchor: TopLeft, Width: Cells(10), OffsetX: 10, OffsetY: 5}, 10, 5, 10, 1},
		{"O16 percent of free", 80, 24, 1, OverlayOptions{Width: Cells(10), Row: Percent(50), Col: Percent(50)}, 35, 11, 10, 1},
		{"O17 row 0", 80, 24, 1, OverlayOptions{Width: Cells(10), Row: Percent(0)}, 35, 0, 10, 1},
		{"O18 row 100", 80, 24, 1, OverlayOptions{Width: Cells(10), Row: Percent(100)}, 35, 23, 10, 1},
		{"O19 max height", 80, 24, 5, OverlayOptions{Anchor: TopLeft, Width: Cells(10), MaxHeight: Cells(3)}, 0, 0, 10, 3},
		{"O20 max height percent", 80, 10, 10, OverlayOptions{Anchor: TopLeft, Width: Cells(10), MaxHeight: Percent(50)}, 0, 0, 10, 5},
		{"O21 absolute wins", 80, 24, 1, OverlayOptions{Width: Cells(10), Row: Cells(3), Col: Cells(5), Anchor: BottomRight}, 5, 3, 10, 1},
		{"O5 at the edge", 80, 24, 1, OverlayOptions{Width: Cells(20), Col: Cells(60), Row: Cells(0)}, 60, 0, 20, 1},
		{"default width", 60, 10, 1, OverlayOptions{}, 0, 4, 60, 1},
		{"too big", 5, 3, 9, OverlayOptions{Width: Cells(50), Margin: Margin{9, 9, 9, 9}}, 9, 9, 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := text1(lines("L", c.rows)...)
			var ov *Overlay
			r := start(t, c.w, c.h, Options{}, func(u *UI) {
				u.SetRoot(text1("base"))
				ov = u.ShowOverlay(o, c.opt)
			})
			x, y, w, h := ov.Bounds()
			if x != c.x || y != c.y || w != c.width || h != c.visible {
				t.Errorf("%s: %d,%d %dx%d, want %d,%d %dx%d", c.name, x, y, w, h, c.x, c.y, c.width, c.visible)
			}
			if got := o.widths[len(o.widths)-1]; got != c.width {
				t.Errorf("%s: asked for %d columns, want %d", c.name, got, c.width)
			}
			r.dev.Screen(func(v *vt.Terminal) {
				if c.x < c.w-1 && c.y < c.h && v.Cell(c.y, c.x).Text != "L" {
					t.Errorf("%s: not drawn there:\n%s", c.name, v)
				}
				if c.y+c.visible < c.h && strings.Contains(v.Lines()[c.y+c.visible], "L") {
					t.Errorf("%s: too high:\n%s", c.name, v)
				}
			})
			r.stop()
		})
	}
}

// O1-O6, O22-O27: what it looks like.
func TestOverlayDrawing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := text1("\x1b[3mitalic base line\x1b[23m", "日本語日本語", "\x1b]8;;file:///x\x07linked line\x1b]8;;\x07", "plain")
		r := start(t, 16, 4, Options{}, func(u *UI) {
			u.SetRoot(base)
			u.ShowOverlay(text1(strings.Repeat("#", 100), "[한]", "mid"), OverlayOptions{Width: Cells(3), Row: Cells(0), Col: Cells(5)})
		})
		r.want("itali###ase line\n日本 [한本語\nlinkemidine\nplain")
		r.dev.Screen(func(v *vt.Terminal) {
			if v.Cell(0, 5).Style.Italic || !v.Cell(0, 0).Style.Italic || !v.Cell(0, 8).Style.Italic {
				t.Error("italic of the base")
			}
			if v.Cell(1, 0).Style.Italic || v.Cell(3, 0).Style.Italic {
				t.Error("italic runs into other rows")
			}
			if v.Cell(2, 0).Style.Link != "file:///x" || v.Cell(2, 6).Style.Link != "" || v.Cell(2, 9).Style.Link != "file:///x" {
				t.Error("links around the overlay")
			}
		})
		r.stop()
	})
	synctest.Test(t, func(t *testing.T) {
		r := start(t, 20, 6, Options{}, func(u *UI) {
			u.SetRoot(text1("base", "base"))
			u.ShowOverlay(text1("one"), OverlayOptions{Width: Cells(3), Anchor: TopLeft})
			u.ShowOverlay(text1("two"), OverlayOptions{Width: Cells(3), Anchor: TopLeft})
			u.ShowOverlay(text1("end"), OverlayOptions{Width: Cells(3), Anchor: BottomRight})
		})
		r.want("twoe\nbase\n\n\n\n                 end")
		r.do(func() { r.ui.HideOverlay(); r.ui.HideOverlay() })
		r.want("onee\nbase")
		r.stop()
	})
	// A gutter is blank, cuts wide characters and ends where the screen does.
	for col, want := range map[int]string{0: "### 語日本語", 4: "日  ### 本語", 5: "日本 ###  語", 9: "日本語日 ###"} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, 12, 2, Options{}, func(u *UI) {
				u.SetRoot(text1("日本語日本語", "日本語日本語"))
				u.ShowOverlay(text1(strings.Repeat("#", 9)), OverlayOptions{Width: Cells(3), Row: Cells(0), Col: Cells(col), Gutter: 1})
			})
			r.want(want + "\n日本語日本語")
			r.stop()
		})
	}
}

// O4: no width, however odd, breaks the borders.
func TestOverlayAlignment(t *testing.T) {
	box := []string{"┌─────────┐", "│ 中文한글│", "└─────────┘"}
	for col := range 12 {
		for _, l := range box {
			got := text.Overlay("日本語日本語日本語日本語", l, col, 11)
			if w := text.Width(got); w != 24 {
				t.Errorf("column %d: %q is %d wide", col, got, w)
			}
			if !strings.Contains(got, l) {
				t.Errorf("column %d: %q lost %q", col, got, l)
			}
		}
	}
}

// F1-F24. Steps: "show NAME" (capital: capturing), "hide", "close" (the topmost),
// "off"/"on" (hidden), "focus", "unfocus", "gone" (turns invisible), "key".
func TestOverlayFocus(t *testing.T) {
	for _, c := range []struct{ name, steps, focus, top string }{
		{"F1", "show a", "editor", ""},
		{"F2", "show a; focus a", "a", ""},
		{"F3", "show a; focus a; unfocus a", "editor", ""},
		{"F4", "show a; off a; on a", "editor", ""},
		{"F5", "show a; hide a", "editor", ""},
		{"F6", "show a; focus a; hide a", "editor", ""},
		{"F7", "show a; show B; hide B", "editor", ""},
		{"F8", "show a; show B; hide a; close", "editor", ""},
		{"F9", "show a; key; show B; hide a; hide B", "editor", ""},
		{"F10", "show A; show b; show C; gone C; key", "A", ""},
		{"F11", "show A; show b; close", "A", ""},
		{"F12", "show A; show b; show C; show d; hide C", "A", ""},
		{"F12 end", "show A; show b; show C; show d; hide C; hide A", "editor", ""},
		{"F13", "show A; unfocus A", "editor", ""},
		{"F14", "show A; off A; focus A", "editor", ""},
		{"F15", "show A; hide A; focus A", "editor", ""},
		{"F16", "show a; unfocus a", "editor", ""},
		{"F17", "nobody; show A; unfocus A; key", "nil", ""},
		{"F18", "show a; show b; focus a; focus b; focus a; unfocus a", "editor", ""},
		{"F19", "show A; show B; focus A; show C", "C", "C"},
		{"F19 again", "show A; show B; focus A; show C; focus A", "A", "A"},
		{"F20", "show a; show b", "editor", "b"},
		{"F21", "show a; show b; focus a", "a", "a"},
		{"F22", "show A; show B; show C; focus B", "B", "B"},
		{"F22 hide", "show A; show B; show C; focus B; hide B", "C", "C"},
		{"F22 end", "show A; show B; show C; focus B; hide B; hide C", "A", "A"},
		{"F23", "show A; show B; off B; show C", "C", "C"},
		{"F23 back", "show A; show B; off B; show C; on B", "B", "B"},
		{"F24", "show a; show b; focus a; unfocus a", "editor", "a"},
		{"F24 end", "show a; show b; focus a; unfocus a; focus b", "b", "b"},
		{"closing re-targets", "show A; show B; hide A; hide B", "editor", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			editor := text1("editor")
			comps := map[string]*label{}
			overlays := map[string]*Overlay{}
			gone := map[string]bool{}
			r := start(t, 20, 6, Options{}, func(u *UI) {
				u.SetRoot(editor)
				u.Focus(editor)
			})
			for step := range strings.SplitSeq(c.steps, "; ") {
				verb, name, _ := strings.Cut(step, " ")
				if verb == "key" {
					r.typing("x")
					continue
				}
				r.do(func() {
					switch verb {
					case "nobody":
						r.ui.Focus(nil)
					case "show":
						comps[name] = text1(name)
						overlays[name] = r.ui.ShowOverlay(comps[name], OverlayOptions{
							Width: Cells(1), Anchor: TopLeft, NonCapturing: name >= "a",
							Visible: func(int, int) bool { return !gone[name] },
						})
					case "hide":
						overlays[name].Hide()
					case "close":
						r.ui.HideOverlay()
					case "off":
						overlays[name].SetHidden(true)
					case "on":
						overlays[name].SetHidden(false)
					case "focus":
						overlays[name].Focus()
					case "unfocus":
						overlays[name].Unfocus()
					case "gone":
						gone[name] = true
					}
				})
			}
			got := "?"
			switch f := r.ui.Focused(); {
			case f == nil:
				got = "nil"
			case f == Component(editor):
				got = "editor"
			default:
				for n, l := range comps {
					if f == Component(l) {
						got = n
					}
				}
			}
			if got != c.focus {
				t.Errorf("%s (%s): %s has the focus, want %s", c.name, c.steps, got, c.focus)
			}
			if c.top != "" && !strings.HasPrefix(r.dev.String(), c.top) {
				t.Errorf("%s (%s): on top is %q, want %s", c.name, c.steps, r.dev.String(), c.top)
			}
			if c.name == "F10" && (!slices.Equal(comps["A"].keys, []string{"x"}) || len(comps["C"].keys) != 0) {
				t.Errorf("F10: keys %q, %q", comps["A"].keys, comps["C"].keys)
			}
			r.stop()
		})
	}
}

// Completions stand above the editor, over the transcript, and move nothing.
func TestOverlayAbove(t *testing.T) {
	for _, inline := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l, editor := NewList(), text1("> "+CursorMarker)
			r := start(t, 20, 6, Options{Inline: inline}, func(u *UI) {
				u.SetRoot(NewVStack(Fill(NewScrollView(u, l)), Fixed(editor), Fixed(text1("footer"))))
				u.Focus(editor)
			})
			for i := range 5 {
				r.do(func() { l.Append(text1(fmt.Sprint("line ", i))); r.ui.RequestRender() })
			}
			r.want("line 1\nline 2\nline 3\nline 4\n>\nfooter")
			var o *Overlay
			r.do(func() {
				o = r.ui.ShowOverlay(text1("one", "two"), OverlayOptions{Above: editor, NonCapturing: true, OffsetX: 2, Width: Cells(5)})
			})
			r.want("line 1\nline 2\nlione\nlitwo\n>\nfooter")
			r.dev.Screen(func(v *vt.Terminal) {
				if row, col := v.Cursor(); row != 4 || col != 2 {
					t.Errorf("cursor at %d,%d", row, col)
				}
			})
			r.do(func() { o.Hide() })
			r.want("line 1\nline 2\nline 3\nline 4\n>\nfooter")
			r.stop()
		})
	}
	// Without room above it opens below.
	synctest.Test(t, func(t *testing.T) {
		editor := text1(">")
		r := start(t, 20, 6, Options{Inline: true}, func(u *UI) {
			u.SetRoot(NewVStack(Fixed(editor), Fixed(text1("footer"))))
			u.ShowOverlay(text1("one", "two", "three"), OverlayOptions{Above: editor, NonCapturing: true})
		})
		r.want(">\none\ntwo\nthree")
		r.stop()
	})
}
