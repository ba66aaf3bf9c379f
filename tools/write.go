package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"tau/agent"
)

const writeDescription = `Write a file: create it, with its parent folders, or replace all of its content. For changes to a file that exists use edit.`

const writeSchema = `{"type":"object","properties":{"path":{"type":"string","description":"File to write, relative to the working folder or absolute"},"content":{"type":"string","description":"The whole content of the file"}},"required":["path","content"]}`

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (s *Set) write() *agent.Tool {
	return &agent.Tool{
		Name: "write", Label: "Write", Description: writeDescription, Parameters: json.RawMessage(writeSchema),
		Snippet:    "create a file or replace all of it",
		Guidelines: []string{"Use write for new files and whole rewrites only."},
		Prepare: func(args json.RawMessage) (json.RawMessage, error) {
			var m map[string]json.RawMessage
			if json.Unmarshal(args, &m) != nil || !rename(m, "path", "file_path", "filePath", "filename") {
				return args, nil
			}
			return json.Marshal(m)
		},
		Execute: func(ctx context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
			var a writeArgs
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return agent.Result{}, fmt.Errorf("arguments of write: %w", err)
			}
			return s.runWrite(ctx, a)
		},
	}
}

func (s *Set) runWrite(ctx context.Context, a writeArgs) (r agent.Result, err error) {
	if a.Path == "" {
		return r, errors.New("path is empty; name the file to write")
	}
	path := s.resolve(a.Path)
	err = s.changes.with(ctx, path, func() error {
		st, err := s.ops.Stat(path)
		existed := err == nil
		unread := existed && st.Mode().IsRegular() && st.Size() > 0 && !s.seen.knows(path)
		if err := s.ops.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("could not write %s: %s", a.Path, cause(err))
		}
		if err := replaceFile(s.ops, path, []byte(a.Content)); err != nil {
			return fmt.Errorf("could not write %s: %s", a.Path, cause(err))
		}
		s.seen.note(path)
		text := fmt.Sprintf("Wrote %d bytes to %s.", len(a.Content), a.Path)
		if unread {
			text += fmt.Sprintf(" It replaced a file of %d bytes that you had not read.", st.Size())
		}
		r = agent.TextResult(text)
		return nil
	})
	return r, err
}
