package picker

import (
	"fmt"
	"strings"
	"testing"

	"tau/components"
	"tau/tui/key"
	"tau/tui/keymap"
	"tau/tui/text"
)

// family is a tree written as "parent" numbers.
type family struct {
	parent []int
	hidden map[int]bool
	active map[int]bool
}

func (f family) Roots() (out []int) { return f.kids(-1) }
func (f family) kids(p int) (out []int) {
	for i, q := range f.parent {
		if q == p {
			out = append(out, i)
		}
	}
	return out
}

func (f family) FirstChild(i int) int {
	if k := f.kids(i); len(k) > 0 {
		return k[0]
	}
	return -1
}

func (f family) NextSibling(i int) int {
	for j := i + 1; j < len(f.parent); j++ {
		if f.parent[j] == f.parent[i] {
			return j
		}
	}
	return -1
}
func (f family) Active(i int) bool        { return f.active[i] }
func (f family) Shows(i, filter int) bool { return filter == 1 || !f.hidden[i] }
func (f family) Row(i int) (string, string) {
	return fmt.Sprintf("node %d", i), fmt.Sprintf("%02d", i)
}
func (f family) Words(i int) string { return fmt.Sprintf("node %d", i) }

func bindings() *keymap.Map {
	b := components.DefaultBindings()
	b.Bind("app.tree.foldOrUp", "ctrl+left")
	b.Bind("app.tree.unfoldOrDown", "ctrl+right")
	b.Bind("app.tree.filter.cycleForward", "ctrl+o")
	return b
}

func newTree(f family, current int) (*Tree, *int) {
	chosen := -1
	return NewTree(TreeOptions{
		Title: "Tree", Source: f, Current: current, Filters: []string{"default", "all"}, Bindings: bindings(), Hint: "↵ go",
		Rows: func() int { return 8 }, OnSelect: func(i int) { chosen = i }, OnCancel: func() { chosen = -2 },
	}), &chosen
}

func press(t *Tree, keys ...string) {
	for _, k := range keys {
		ev := key.Event{ID: key.ID(k)}
		if len(k) == 1 {
			ev.Text = k
		}
		t.HandleKey(ev)
	}
}

func body(t *Tree) string {
	lines := t.Render(40)
	var out []string
	for _, l := range lines[1 : len(lines)-1] {
		if l = strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(l, "│ "), "│"), " "); l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

func TestTreeIsDrawn(t *testing.T) {
	f := family{parent: []int{-1, 0, 1, 2, 1, 4}, active: map[int]bool{0: true, 1: true, 4: true, 5: true}, hidden: map[int]bool{3: true}}
	tree, _ := newTree(f, 5)
	want := "● node 0                          00\n● node 1                          01\n├─○ node 2                        02\n└─● node 4                        04\n  ● node 5                        05"
	if got := body(tree); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	press(tree, "ctrl+o")
	if got := body(tree); !strings.Contains(got, "○ node 3") {
		t.Errorf("filter: \n%s", got)
	}
}

func TestTreeKeys(t *testing.T) {
	f := family{parent: []int{-1, 0, 1, 2, 1, 4}}
	tree, chosen := newTree(f, 5)
	press(tree, "up", "enter")
	if *chosen != 4 {
		t.Errorf("chose %d", *chosen)
	}
	press(tree, "ctrl+left")
	if got := body(tree); strings.Contains(got, "node 5") || !strings.Contains(got, "⊞ node 4") {
		t.Errorf("folded:\n%s", got)
	}
	press(tree, "ctrl+right")
	if got := body(tree); !strings.Contains(got, "node 5") {
		t.Errorf("unfolded:\n%s", got)
	}
	press(tree, "/", "3")
	if got := body(tree); strings.Contains(got, "node 1") || !strings.Contains(got, "node 3") {
		t.Errorf("search:\n%s", got)
	}
	press(tree, "enter")
	press(tree, "enter")
	if *chosen != 3 {
		t.Errorf("chose %d after a search", *chosen)
	}
	press(tree, "escape")
	if got := body(tree); !strings.Contains(got, "node 1") {
		t.Errorf("the search stays:\n%s", got)
	}
	press(tree, "escape")
	if *chosen != -2 {
		t.Error("not cancelled")
	}
}

// A conversation is a chain that is as long as it likes.
func TestLongChain(t *testing.T) {
	n := 100_000
	c := chain(n)
	tree := NewTree(TreeOptions{Source: c, Current: n - 1, Filters: []string{"x"}, Bindings: bindings(), Rows: func() int { return 10 }})
	if tree.Selected() != n-1 || len(tree.Render(60)) != 12 {
		t.Errorf("selected %d", tree.Selected())
	}
}

// chain is a source where each node is the child of the one before.
type chain int

func (c chain) Roots() []int { return []int{0} }
func (c chain) FirstChild(i int) int {
	if i+1 < int(c) {
		return i + 1
	}
	return -1
}
func (chain) NextSibling(int) int        { return -1 }
func (chain) Active(int) bool            { return true }
func (chain) Shows(int, int) bool        { return true }
func (chain) Row(i int) (string, string) { return fmt.Sprint(i), "" }
func (chain) Words(i int) string         { return fmt.Sprint(i) }

func TestNothingIsTooWide(t *testing.T) {
	f := family{parent: []int{-1, 0, 0, 1, 1, 3, 3, 5, 5, 7, 7}}
	tree, _ := newTree(f, 10)
	p := New(Options{Title: "A long title for a small box", Items: []components.Item{{Value: "日本語のモデル", Description: "👍 described"}, {Value: "b"}}})
	for w := 1; w < 120; w++ {
		for name, lines := range map[string][]string{"tree": tree.Render(w), "picker": p.Render(w)} {
			for _, l := range lines {
				if text.Width(l) > w {
					t.Fatalf("%s at %d: %q is %d wide", name, w, l, text.Width(l))
				}
			}
		}
	}
}

func BenchmarkTreeOpen100k(b *testing.B) {
	c := chain(100_000)
	for b.Loop() {
		NewTree(TreeOptions{Source: c, Current: 99_999, Filters: []string{"x"}, Bindings: bindings(), Rows: func() int { return 30 }}).Render(120)
	}
}

func BenchmarkTreeKey100k(b *testing.B) {
	tree := NewTree(TreeOptions{Source: chain(100_000), Current: 50_000, Filters: []string{"x"}, Bindings: bindings(), Rows: func() int { return 30 }})
	for b.Loop() {
		press(tree, "up")
		tree.Render(120)
	}
}

func TestFitHint(t *testing.T) {
	const hint = "↵ open · tab all · ctrl+d delete · esc close"
	for width, want := range map[int]string{
		60: hint, 44: hint, 43: "↵ open · tab all · esc close", 20: "↵ open · esc close", 12: "esc close", 5: "esc …", 0: "", -3: "",
	} {
		if got := fitHint(hint, width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}
