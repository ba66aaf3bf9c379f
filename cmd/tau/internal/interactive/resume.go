package interactive

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tau/components"
	"tau/components/picker"
	"tau/session/finder"
	"tau/tui/key"
)

// searchPause is how long typing has to rest before the texts are searched.
const searchPause = 120 * time.Millisecond

// inText is the rank of a session in whose text the query was found: as much as
// a match of its first message, see finder.Query.Rank.
const inText = 500

// sessionPicker lists sessions and searches in them. The list fills while the
// files are read. What is typed matches rows at once, and texts as they are
// found.
type sessionPicker struct {
	p      *program
	box    *picker.Picker
	rows   []finder.Session
	listed bool
	all    bool              // of all folders
	named  bool              // only those with a name
	paths  bool              // show where the files are
	order  int               // of sortOrders
	hits   map[string]string // path → the text around the first match
	query  finder.Query
	cancel func() // ends listing
	stop   func() // ends searching
}

// resume is the command /resume: sessions of this folder, or with "all" those
// of all folders; other words are searched for.
func (p *program) resume(arg string) {
	if p.picker != nil {
		return
	}
	if p.session.Busy() {
		p.hint("the agent is working; stop it first")
		return
	}
	s := &sessionPicker{p: p, cancel: func() {}, stop: func() {}}
	if rest, ok := strings.CutPrefix(arg+" ", "all "); ok {
		s.all, arg = true, strings.TrimSpace(rest)
	}
	s.box = picker.New(picker.Options{
		Title: "Sessions", Query: arg, Rows: p.pickerRows(12), Bindings: p.keys, Style: p.pickerStyle(), Empty: "none",
		Hint:    "↵ open · tab all folders · ctrl+s order · ctrl+r rename · ctrl+d delete · esc close",
		OnQuery: s.search, OnKey: s.key,
		OnSelect: func(it components.Item) { s.close(); p.open(it.Value) },
		OnCancel: s.close,
	})
	s.list()
	s.search(arg)
	p.show(s.box)
}

func (s *sessionPicker) close() {
	s.cancel()
	s.stop()
	s.p.closePicker()
}

// list reads the rows anew.
func (s *sessionPicker) list() {
	s.cancel()
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.rows, s.listed = cancel, nil, false
	lib, cwd, ui := s.p.app.Library, s.folder(), s.p.ui
	go func() {
		seen := map[string]int{}
		err := finder.List(ctx, lib, cwd, func(row finder.Session) {
			ui.PostSoon(func() {
				if ctx.Err() != nil {
					return
				}
				if i, ok := seen[row.Path]; ok {
					s.rows[i] = row // a second, whole look
				} else {
					seen[row.Path] = len(s.rows)
					s.rows = append(s.rows, row)
				}
				// Long lists are sorted when they are complete.
				if len(s.rows) <= 50 {
					s.show()
				}
			})
		})
		ui.PostSoon(func() {
			if ctx.Err() != nil {
				return
			}
			s.listed = true
			if err != nil {
				s.p.hint(err.Error())
			}
			s.show()
		})
	}()
}

func (s *sessionPicker) folder() string {
	if s.all {
		return ""
	}
	return s.p.session.CWD()
}

// search follows what is typed.
func (s *sessionPicker) search(text string) {
	s.stop()
	s.stop, s.hits = func() {}, nil
	q, err := finder.Parse(text)
	if err != nil {
		s.p.hint("search: " + err.Error())
		return
	}
	s.query = q
	s.show()
	if q.Empty() {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.hits = stop, map[string]string{}
	lib, cwd, ui := s.p.app.Library, s.folder(), s.p.ui
	go func() {
		select {
		case <-time.After(searchPause):
		case <-ctx.Done():
			return
		}
		paths, err := finder.Paths(lib, cwd)
		if err == nil {
			err = finder.Search(ctx, paths, q, func(r finder.Result) {
				ui.PostSoon(func() {
					if ctx.Err() != nil {
						return
					}
					s.hits[r.Path] = ""
					if len(r.Hits) > 0 {
						s.hits[r.Path] = r.Hits[0].Text
					}
					s.show()
				})
			})
		}
		if err != nil && ctx.Err() == nil {
			ui.PostSoon(func() { s.p.hint("search: " + err.Error()) })
		}
	}()
}

// show puts the rows that match into the box.
func (s *sessionPicker) show() {
	if s.box == nil {
		return // it is just being made
	}
	title := "Sessions of this folder"
	if s.all {
		title = "Sessions of all folders"
	}
	if s.named {
		title += ", named"
	}
	if order := sortOrders()[s.order]; order != "" {
		title += ", " + order
	}
	if !s.listed {
		title += " …"
	}
	var items []components.Item
	for _, r := range s.matching() {
		items = append(items, s.item(r))
	}
	s.box.SetItems(title, items)
	s.p.ui.RequestRender()
}

// sortOrders are the orders of the rows. The first takes what suits: forks below
// what they were made of, or the best matches of a query.
func sortOrders() []string { return []string{"", "threaded", "recent", "relevance"} }

func (s *sessionPicker) matching() []finder.Session {
	var rows []finder.Session
	rank := map[string]int{}
	for _, r := range s.rows {
		look := r
		if !s.all {
			look.CWD = "" // it is that of all rows
		}
		n := s.query.Rank(look)
		if _, ok := s.hits[r.Path]; ok {
			n = max(n, inText)
		}
		if r.Path == s.p.session.Store().Path() || s.named && r.Name == "" || !s.query.Empty() && n == 0 {
			continue
		}
		rank[r.Path] = n
		rows = append(rows, r)
	}
	finder.Recent(rows)
	order := sortOrders()[s.order]
	if order == "" && s.query.Empty() {
		order = "threaded"
	}
	switch order {
	case "threaded":
		return finder.Threads(rows)
	case "recent":
	default:
		slices.SortStableFunc(rows, func(a, b finder.Session) int { return rank[b.Path] - rank[a.Path] })
	}
	return rows
}

func (s *sessionPicker) item(r finder.Session) components.Item {
	label := r.Name
	if label == "" {
		label = r.First
	}
	if label == "" {
		label = r.ID
	}
	facts := ago(r.Modified)
	if r.Messages > 0 {
		facts += fmt.Sprintf(" · %d messages", r.Messages)
	}
	if s.all {
		facts += " · " + homeShort(r.CWD)
	}
	if s.paths {
		facts = filepath.Base(r.Path) + " · " + facts
	}
	if hit := s.hits[r.Path]; hit != "" {
		facts = "…" + oneLine(hit) + "… · " + facts
	}
	return components.Item{Value: r.Path, Label: strings.Repeat("  ", r.Depth) + oneLine(label), Description: facts}
}

func (s *sessionPicker) key(ev key.Event, path string) bool {
	is := func(id string) bool { return s.p.keys.Matches(ev, id) }
	switch {
	case ev.Is("tab"):
		s.all = !s.all
		s.list()
		s.search(s.box.Query())
	case is("app.session.toggleNamedFilter"):
		s.named = !s.named
		s.show()
	case is("app.session.togglePath"):
		s.paths = !s.paths
		s.show()
	case is("app.session.toggleSort"):
		s.order = (s.order + 1) % len(sortOrders())
		s.show()
	case is("app.session.rename"):
		s.rename(path)
	case is("app.session.delete"), is("app.session.deleteNoninvasive") && s.box.Query() == "":
		s.remove(path)
	default:
		return false
	}
	return true
}

// back opens the picker again after a question.
func (s *sessionPicker) back() {
	arg := s.box.Query()
	if s.all {
		arg = "all " + arg
	}
	s.p.resume(arg)
}

func (s *sessionPicker) rename(path string) {
	if path == "" {
		return
	}
	name := ""
	for _, r := range s.rows {
		if r.Path == path {
			name = r.Name
		}
	}
	s.close()
	s.p.prompt("Name of the session", name, func(name string) {
		if err := finder.Rename(path, name); err != nil {
			s.p.hint("rename: " + err.Error())
		}
		s.back()
	})
}

func (s *sessionPicker) remove(path string) {
	if path == "" {
		return
	}
	s.close()
	s.p.pick("Delete this session?", []components.Item{
		{Value: "no", Label: "Keep it"},
		{Value: "yes", Label: "Delete it", Description: path},
	}, "no", "", func(v string) {
		if v != "yes" {
			s.back()
			return
		}
		current, ui := s.p.session.Store().Path(), s.p.ui
		go func() { // the trash is another program's, and may take its time
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			trashed, err := finder.Delete(ctx, path, current)
			ui.PostSoon(func() {
				switch {
				case err != nil:
					s.p.hint("delete: " + err.Error())
				case trashed:
					s.p.hint("moved to the trash")
				default:
					s.p.hint("deleted")
				}
				s.back()
			})
		}()
	})
}
