package interactive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tau/cmd/tau/internal/cli"
	"tau/session/store"
)

const (
	up   = "\x1b[A"
	down = "\x1b[B"
)

func TestTreeGoesBackAndForth(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "One."}, {Text: "Two."}, {Text: "Another two."}}, func(r *rig) {
		r.ask("first question")
		r.finish()
		r.ask("second question")
		r.finish()
		// Esc twice on an empty editor opens the tree.
		r.dev.Type(esc)
		r.wait(100 * time.Millisecond)
		r.dev.Type(esc)
		r.settle()
		r.golden("tree")
		// Up once is the second question: its text comes back to be changed.
		r.typing(up)
		r.typing(enter)
		r.has("Leave this branch")
		r.typing(enter)
		r.hasNot("Two.", "Leave this branch")
		if got := r.p.editor.Text(); got != "second question" {
			t.Errorf("editor %q", got)
		}
		r.typing(" again")
		r.typing(enter)
		r.finish()
		r.has("One.", "second question again", "Another two.")
		r.hasNot("  Two.")
		// Both branches are there still.
		r.ask("/tree")
		r.settle()
		r.has("Two.", "Another two.")
		r.golden("tree-branched")
		r.typing(esc)
		r.hasNot("Session tree")
	})
}

func TestUndoTakesANavigationBack(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "One."}, {Text: "Two."}}, func(r *rig) {
		r.ask("a")
		r.finish()
		r.ask("b")
		r.finish()
		r.ask("/tree")
		r.settle()
		r.typing(up)
		r.typing(up)
		r.typing(enter)
		r.typing(enter)
		r.hasNot("Two.")
		r.p.editor.SetText("")
		r.ask("/undo")
		r.settle()
		r.has("One.", "Two.")
		r.p.editor.SetText("")
		r.ask("/undo")
		r.settle()
		r.has("Two.")
	})
}

func TestBranchSummary(t *testing.T) {
	launch(t, 90, 30, cli.Options{}, []turn{{Text: "One."}, {Text: "Two."}, {Text: "What the branch taught."}}, func(r *rig) {
		r.ask("a")
		r.finish()
		r.ask("b")
		r.finish()
		r.ask("/tree")
		r.settle()
		r.typing(up)
		r.typing(up)
		r.typing(enter)
		r.typing(down)
		r.typing(enter)
		r.finish()
		r.has("One.", "What the branch taught.")
		r.hasNot("Two.")
	})
}

func TestEscStopsABranchSummary(t *testing.T) {
	launch(t, 90, 30, cli.Options{}, []turn{{Text: "One."}, {Text: "Two."}, {Text: "Late.", DelayMs: 60_000}}, func(r *rig) {
		r.ask("a")
		r.finish()
		r.ask("b")
		r.finish()
		r.ask("/tree")
		r.settle()
		r.typing(up)
		r.typing(up)
		r.typing(enter)
		r.typing(down)
		r.typing(enter)
		r.has("summarising the branch")
		r.typing(esc)
		r.finish()
		r.has("Two.", "you are where you were")
		r.hasNot("summarising")
	})
}

func TestLabelInTheTree(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "One."}}, func(r *rig) {
		r.ask("a")
		r.finish()
		r.ask("/tree")
		r.settle()
		r.typing("l")
		r.typing("good point")
		r.typing(enter)
		r.has("★ good point")
		r.typing(esc)
		r.hasNot("good point")
	})
}

func TestCompact(t *testing.T) {
	long := strings.Repeat("words that fill the window ", 4000)
	turns := []turn{}
	for range 4 {
		turns = append(turns, turn{Text: "An answer."})
	}
	turns = append(turns, turn{Text: "## Goal\nWords."}, turn{Text: "After it."})
	launch(t, 90, 24, cli.Options{}, turns, func(r *rig) {
		for range 4 {
			r.p.editor.SetText(long)
			r.dev.Type(enter)
			r.finish()
		}
		r.ask("/compact the words")
		r.finish()
		r.has("was summarised")
		r.ask("go on")
		r.finish()
		r.has("After it.")
	})
}

func TestCompactNothing(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "One."}}, func(r *rig) {
		r.ask("/compact")
		r.finish()
		r.has("Not compacted")
	})
}

func TestForkCloneAndResume(t *testing.T) {
	launch(t, 90, 24, cli.Options{}, []turn{{Text: "One."}, {Text: "Two."}, {Text: "Forked."}}, func(r *rig) {
		r.ask("first question")
		r.finish()
		r.ask("second question")
		r.finish()
		first := r.session().Store().Path()
		r.ask("/fork")
		r.settle()
		r.has("Fork before")
		r.typing(enter)
		r.hasNot("Two.")
		if got := r.p.editor.Text(); got != "second question" {
			t.Errorf("editor %q", got)
		}
		if r.session().Store().Path() == first {
			t.Error("the fork has the file of the session")
		}
		r.typing(enter)
		r.finish()
		r.has("One.", "Forked.")
		forked := r.session().Store().Path()
		r.ask("/clone")
		r.settle()
		r.has("One.", "Forked.")
		if r.session().Store().Path() == forked {
			t.Error("the clone has the file of the session")
		}
		r.ask("/resume Two")
		r.wait(time.Second)
		r.has("Sessions of this folder", "first question")
		r.typing(enter)
		r.finish()
		r.has("Two.")
		r.hasNot("Forked.")
		if r.session().Store().Path() != first {
			t.Error("another session was opened")
		}
	})
}

func TestSessionPicker(t *testing.T) {
	work := home(t)
	for _, q := range []string{"apples", "pears", "plums"} {
		relaunch(t, work, 100, 24, cli.Options{}, []turn{{Text: "Answer about " + q + "."}}, func(r *rig) {
			r.ask("a question of " + q)
			r.finish()
		})
	}
	relaunch(t, work, 100, 24, cli.Options{Name: "current"}, []turn{{Text: "Here."}}, func(r *rig) {
		r.ask("/resume")
		r.wait(time.Second)
		r.has("apples", "pears", "plums")
		// What is typed is searched for in the texts too.
		r.typing("about pears")
		r.wait(time.Second)
		r.has("a question of pears")
		r.hasNot("apples", "plums")
		r.typing("\x12") // Ctrl+R
		r.has("Name of the session")
		r.typing("fruit")
		r.typing(enter)
		r.wait(time.Second)
		r.has("fruit")
		r.typing("\x04") // Ctrl+D
		r.has("Delete this session?")
		r.typing(down)
		r.typing(enter)
		r.wait(time.Second)
		r.hasNot("fruit")
		r.typing(strings.Repeat("\x7f", 20))
		r.wait(time.Second)
		r.has("apples", "plums")
		r.hasNot("pears")
		r.typing("\t")
		r.wait(time.Second)
		r.has("Sessions of all folders")
		r.typing(esc)
		r.hasNot("Sessions of")
	})
}

func TestForkFlag(t *testing.T) {
	work := home(t)
	relaunch(t, work, 100, 24, cli.Options{}, []turn{{Text: "One."}}, func(r *rig) {
		r.ask("apples")
		r.finish()
	})
	relaunch(t, work, 100, 24, cli.Options{Fork: "0"}, nil, func(r *rig) {
		r.has("apples", "One.")
	})
}

func TestSessionThatIsOpenElsewhereIsForked(t *testing.T) {
	work := home(t)
	var path string
	relaunch(t, work, 100, 24, cli.Options{}, []turn{{Text: "One."}}, func(r *rig) {
		r.ask("apples")
		r.finish()
		path = r.session().Store().Path()
	})
	other, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Acquire(); err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	relaunch(t, work, 100, 24, cli.Options{}, nil, func(r *rig) {
		r.p.ui.Post(func() { r.p.open(path) })
		r.settle()
		r.has("It is open in another process", "Go on in a copy")
		r.typing(enter)
		r.has("apples", "One.", "This is a fork of")
		if r.session().Store().Path() == path {
			t.Error("two write to one file")
		}
	})
}

func TestExportAndImport(t *testing.T) {
	launch(t, 100, 24, cli.Options{}, []turn{{Text: "One."}, {Text: "Two."}}, func(r *rig) {
		r.ask("/export")
		r.settle()
		r.has("there is nothing in this session yet")
		r.ask("apples")
		r.finish()
		r.ask("/export page.html")
		r.settle()
		r.has("Written to", "page.html")
		r.ask("/export branch.jsonl")
		r.settle()
		b, err := os.ReadFile(filepath.Join(r.dir, "branch.jsonl"))
		if err != nil || !strings.Contains(string(b), "One.") {
			t.Errorf("branch.jsonl: %v", err)
		}
		r.ask("/new")
		r.settle()
		r.ask("/import branch.jsonl")
		r.settle()
		r.has("apples", "One.")
		r.ask("/import")
		r.settle()
		r.has("/import needs")
		r.ask("/import none.jsonl")
		r.settle()
		r.has("none.jsonl")
	})
}

func TestScreenModes(t *testing.T) {
	launch(t, 80, 20, cli.Options{TUIMode: "regular"}, []turn{{Text: "One."}, {Text: "Two."}, {Text: "Three."}}, func(r *rig) {
		r.ask("a")
		r.finish()
		r.has("One.")
		r.ask("/screen")
		r.settle()
		r.ask("b")
		r.finish()
		r.has("One.", "Two.")
		r.ask("/screen regular")
		r.settle()
		r.ask("c")
		r.finish()
		r.has("Three.")
		r.ask("/screen nope")
		r.settle()
		r.has("there are fullscreen and regular")
	})
}
