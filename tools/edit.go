package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"
	"unicode/utf8"

	"tau/agent"
)

const editDescription = `Replace text in one file. Each edit gives oldText, which must occur exactly once in the file, and newText to put there. All edits of a call are matched against the file as it is before the call, must not overlap, and are applied together or not at all. Keep oldText as short as is unique; put changes that lie close together into one edit.`

const editSchema = `{"type":"object","properties":{"path":{"type":"string","description":"File to change, relative to the working folder or absolute"},"edits":{"type":"array","description":"One or more replacements","items":{"type":"object","properties":{"oldText":{"type":"string","description":"Text as it stands in the file, unique in it"},"newText":{"type":"string","description":"Text to put in its place"}},"required":["oldText","newText"]}}},"required":["path","edits"]}`

type editArgs struct {
	Path  string `json:"path"`
	Edits []Edit `json:"edits"`
}

// Edit is one replacement.
type Edit struct {
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
}

// EditDetails is the details of an edit's result.
type EditDetails struct {
	Diff             string `json:"diff"`  // sign, line number, text
	Patch            string `json:"patch"` // unified; empty if the lines are too long for one
	FirstChangedLine int    `json:"firstChangedLine,omitempty"`
}

func (s *Set) edit() *agent.Tool {
	return &agent.Tool{
		Name: "edit", Label: "Edit", Description: editDescription, Parameters: json.RawMessage(editSchema),
		Snippet: "change text in a file, one or more places at once",
		Guidelines: []string{
			"Change existing files with edit, not by writing them anew.",
			"Read what you are about to edit; give oldText exactly as it stands, without line numbers.",
		},
		Prepare: prepareEdit,
		Execute: func(ctx context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
			var a editArgs
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return agent.Result{}, fmt.Errorf("arguments of edit: %w", err)
			}
			return s.runEdit(ctx, a)
		},
	}
}

// prepareEdit takes the shapes that models are used to from other tools.
func prepareEdit(args json.RawMessage) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil {
		return args, nil
	}
	changed := rename(m, "path", "file_path", "filePath", "filename")
	var text string
	if json.Unmarshal(m["edits"], &text) == nil && json.Valid([]byte(text)) {
		m["edits"] = json.RawMessage(text)
		changed = true
	}
	edit := map[string]json.RawMessage{}
	for _, k := range []string{"oldText", "old_text", "old_string", "oldString", "newText", "new_text", "new_string", "newString"} {
		if v, ok := m[k]; ok {
			edit[k] = v
		}
	}
	if m["edits"] == nil && len(edit) > 0 {
		b, err := json.Marshal([]any{edit})
		if err != nil {
			return nil, err
		}
		m["edits"] = b
		for k := range edit {
			delete(m, k)
		}
		changed = true
	}
	if list := asList(m["edits"]); list != nil {
		touched := false
		for _, e := range list {
			touched = rename(e, "oldText", "old_text", "old_string", "oldString") || touched
			touched = rename(e, "newText", "new_text", "new_string", "newString") || touched
		}
		if touched {
			b, err := json.Marshal(list)
			if err != nil {
				return nil, err
			}
			m["edits"] = b
			changed = true
		}
	}
	if !changed {
		return args, nil
	}
	return json.Marshal(m)
}

func asList(raw json.RawMessage) []map[string]json.RawMessage {
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var one map[string]json.RawMessage
	if json.Unmarshal(raw, &one) == nil && one != nil {
		return []map[string]json.RawMessage{one}
	}
	return nil
}

// rename moves the first of the other names to name.
func rename(m map[string]json.RawMessage, name string, others ...string) bool {
	if _, ok := m[name]; ok {
		return false
	}
	for _, o := range others {
		if v, ok := m[o]; ok {
			m[name] = v
			delete(m, o)
			return true
		}
	}
	return false
}

func (s *Set) runEdit(ctx context.Context, a editArgs) (r agent.Result, err error) {
	if len(a.Edits) == 0 {
		return r, errors.New("no edits were given; edits needs at least one {oldText, newText}")
	}
	path := s.existing(a.Path)
	err = s.changes.with(ctx, path, func() error {
		before, enc, err := s.readWhole(path, a.Path)
		if err != nil {
			return err
		}
		after, err := ApplyEdits(before, a.Edits)
		if err != nil {
			var miss *notFoundError
			if errors.As(err, &miss) && s.seen.changed(path) {
				return fmt.Errorf("%s: the file has changed since you last read it; %w", a.Path, err)
			}
			return fmt.Errorf("%s: %w", a.Path, err)
		}
		if enc == bytes8 {
			for _, e := range a.Edits {
				if !ascii(e.NewText) {
					return fmt.Errorf("%s is not UTF-8 and its encoding is not known, so only ASCII text can be put into it; nothing was changed", a.Path)
				}
			}
		}
		out, err := encode(after, enc)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Path, err)
		}
		// The last moment at which a cancelled call leaves no trace.
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := replaceFile(s.ops, path, out); err != nil {
			return fmt.Errorf("could not edit file: %s. %s", a.Path, cause(err))
		}
		s.seen.note(path)
		r = agent.TextResult(fmt.Sprintf("Successfully replaced %s in %s.", blocks(len(a.Edits)), a.Path))
		r.Details, err = json.Marshal(editDetails(a.Path, before, after))
		return err
	})
	return r, err
}

func blocks(n int) string {
	if n == 1 {
		return "1 block"
	}
	return fmt.Sprintf("%d blocks", n)
}

// maxPatch bounds what a result carries along in the session file.
const maxPatch = 256 << 10

func editDetails(path, before, after string) EditDetails {
	d := diffLines(strings.ToValidUTF8(before, "\ufffd"), strings.ToValidUTF8(after, "\ufffd"))
	var e EditDetails
	e.Diff, e.FirstChangedLine = d.display()
	if len(e.Diff) > maxPatch {
		e.Diff = cutLine(e.Diff, maxPatch)
	}
	size := 0
	for _, c := range d.changes {
		size += len(c.text)
	}
	if size <= maxPatch {
		e.Patch = d.unified(path)
	}
	return e
}

// readWhole reads a text file for changing it.
func (s *Set) readWhole(path, shown string) (string, encoding, error) {
	st, err := s.ops.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", 0, fmt.Errorf("could not edit file: %s. It does not exist; create it with write", shown)
	case err != nil:
		return "", 0, fmt.Errorf("could not edit file: %s. %s", shown, cause(err))
	case !st.Mode().IsRegular():
		return "", 0, fmt.Errorf("could not edit file: %s. It is %s", shown, kind(st.Mode()))
	case st.Mode().Perm()&0o222 == 0:
		return "", 0, fmt.Errorf("could not edit file: %s. It is read-only", shown)
	case st.Size() > maxEditable:
		return "", 0, fmt.Errorf("could not edit file: %s. It has %d MB; files up to %d MB can be edited", shown, st.Size()>>20, maxEditable>>20)
	}
	b, err := readAll(s.ops, path, st.Size())
	if err != nil {
		return "", 0, fmt.Errorf("could not edit file: %s. %s", shown, cause(err))
	}
	text, enc, err := decode(b)
	if err != nil {
		return "", 0, fmt.Errorf("could not edit file: %s. %w", shown, err)
	}
	return text, enc, nil
}

const maxEditable = 1 << 30

func readAll(ops Operations, path string, size int64) ([]byte, error) {
	f, err := ops.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// notFoundError is an oldText that is not in the file.
type notFoundError struct{ text string }

func (e *notFoundError) Error() string { return e.text }

// ApplyEdits returns text with all edits applied, or an error that says which
// edit cannot be and what to do. Every edit is matched against text as it is.
func ApplyEdits(text string, edits []Edit) (string, error) {
	f := newFinder(text)
	type cut struct {
		place
		index int
		new   string
	}
	cuts := make([]cut, 0, len(edits))
	for i, e := range edits {
		which := "oldText"
		if len(edits) > 1 {
			which = fmt.Sprintf("edits[%d].oldText", i)
		}
		if e.OldText == "" {
			return "", fmt.Errorf("%s is empty; give the text to replace (to fill a new file use write)", which)
		}
		if e.OldText == e.NewText {
			return "", fmt.Errorf("%s and its newText are the same, so there is no change to make", which)
		}
		old, new := normalizeLF(e.OldText).text, normalizeLF(e.NewText).text
		if !utf8.ValidString(new) {
			new = strings.ToValidUTF8(new, "")
		}
		places := f.find(old)
		switch {
		case len(places) == 0:
			msg := which + " was not found in the file; nothing was changed."
			if near := f.nearest(old); near != "" {
				msg += " The nearest passage, as it stands now (line number, text):\n" + near
			}
			return "", &notFoundError{strings.TrimSuffix(msg, "\n")}
		case len(places) > 1:
			return "", fmt.Errorf("%s occurs %s in the file (%s), but must be unique; nothing was changed. Add lines around it", which, times(len(places)), f.lineNumbers(places))
		}
		out, err := f.rendered(places[0], old, new)
		if err != nil {
			return "", fmt.Errorf("%s: %w; nothing was changed", which, err)
		}
		cuts = append(cuts, cut{places[0], i, out})
	}
	sort.SliceStable(cuts, func(i, j int) bool { return cuts[i].from < cuts[j].from })
	for i := 1; i < len(cuts); i++ {
		if a, b := cuts[i-1], cuts[i]; b.from < a.to {
			lo, hi := min(a.index, b.index), max(a.index, b.index)
			return "", fmt.Errorf("edits[%d] and edits[%d] overlap in the file; nothing was changed. Make one edit of them", lo, hi)
		}
	}
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, c := range cuts {
		f.lf.restore(&b, at, c.from)
		b.WriteString(c.new)
		at = c.to
	}
	f.lf.restore(&b, at, len(f.lf.text))
	if b.String() == text {
		return "", errors.New("the edits change nothing: the file has this text already")
	}
	return b.String(), nil
}

func times(n int) string {
	if n >= maxPlaces {
		return fmt.Sprintf("%d times or more", n)
	}
	return fmt.Sprintf("%d times", n)
}

func (f *finder) lineNumbers(places []place) string {
	var at []string
	for i, p := range places {
		if i == 5 {
			at = append(at, "…")
			break
		}
		at = append(at, fmt.Sprint(1+strings.Count(f.lf.text[:p.from], "\n")))
	}
	return "lines " + strings.Join(at, ", ")
}
