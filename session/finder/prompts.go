package finder

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"

	"tau/ai"
	"tau/session/library"
	"tau/session/message"
	"tau/session/store"
)

// promptTail is how much of the end of each session Prompts looks at.
const promptTail = 4 << 20

// Prompts lists what the user has asked in the sessions of a folder, newest
// first: of the newest session first, each text once, at most a number of them.
// Of long sessions only the end is read. Sessions that cannot be read are left
// out.
func Prompts(ctx context.Context, lib library.Library, cwd string, most int) ([]string, error) {
	paths, err := Paths(lib, cwd)
	if err != nil {
		return nil, err
	}
	var out []string
	seen := map[string]bool{}
	for _, path := range paths {
		if len(out) >= most || ctx.Err() != nil {
			break
		}
		own := promptsOf(path)
		for i := len(own) - 1; i >= 0 && len(out) < most; i-- {
			if !seen[own[i]] {
				seen[own[i]] = true
				out = append(out, own[i])
			}
		}
	}
	return out, ctx.Err()
}

// promptsOf reads the user's texts at the end of a file, oldest first.
func promptsOf(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, st.Size()-promptTail)
	b, err := io.ReadAll(io.NewSectionReader(f, from, st.Size()-from))
	if err != nil {
		return nil
	}
	if from > 0 {
		_, b, _ = bytes.Cut(b, []byte("\n")) // the first line is not whole
	}
	var out []string
	for line := range bytes.Lines(b) {
		switch store.LineRole(line[:min(len(line), 512)]) {
		case ai.RoleUser, message.RoleBash:
		default:
			continue
		}
		var e struct {
			Message json.RawMessage `json:"message"`
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		m, err := message.Unmarshal(e.Message)
		if err != nil {
			continue
		}
		text := ""
		switch m := m.(type) {
		case *ai.UserMessage:
			text = ai.ContentText(m.Content)
		case *message.Bash:
			text = "!" + m.Command
			if m.ExcludeFromContext {
				text = "!" + text
			}
		}
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}
