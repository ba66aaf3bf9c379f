package themes

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a file must be quiet before it is read again: editors
// write in several steps.
const settle = 50 * time.Millisecond

// Watch reads a theme file again whenever it changes and calls changed with
// the new theme, or with what is wrong in it (an *Error, or a file that is
// gone); the program then keeps the theme it has. The calls come from another
// goroutine, one at a time. Stop ends them: after it none is running.
func Watch(path string, d Depth, changed func(*Theme, error)) (stop func(), err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("watching theme: %w", err)
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching theme: %w", err)
	}
	// The folder, not the file: editors put a new file in the place of the
	// old one.
	if err := w.Add(filepath.Dir(path)); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("watching theme: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(0)
		if !timer.Stop() {
			<-timer.C
		}
		for {
			select {
			case ev, ok := <-w.Events:
				if !ok {
					timer.Stop()
					return
				}
				if filepath.Clean(ev.Name) == path && !ev.Has(fsnotify.Chmod) {
					timer.Reset(settle)
				}
			case _, ok := <-w.Errors:
				if !ok {
					timer.Stop()
					return
				}
			case <-timer.C:
				changed(loadFile(path, d))
			}
		}
	}()
	return func() {
		_ = w.Close()
		<-done
	}, nil
}
