package tools

import (
	"context"
	"errors"
	"io/fs"
)

// Files goes through what is below a folder as the find tool does: .git and
// what ignore files exclude is left out, links are not followed, a folder comes
// before what is in it. path is relative to the folder, with slashes. It ends
// when each returns false or ctx ends. Folders that cannot be read are passed
// over.
func (s *Set) Files(ctx context.Context, root string, each func(path string, dir bool) bool) error {
	w := &walk{set: s, root: root}
	err := w.each(ctx, func(v visit) bool { return each(v.rel, v.mode&fs.ModeDir != 0) })
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
