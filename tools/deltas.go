package tools

import "sync"

// deltas cleans the output of a command piece by piece. What a piece takes back
// of an earlier one, as a progress bar does, cannot be unsaid.
type deltas struct {
	mu    sync.Mutex
	send  func(text string)
	text  tail
	clean cleaner
	over  bool
}

func newDeltas(send func(string)) *deltas {
	d := &deltas{send: send}
	d.clean.to = &d.text
	return d
}

func (d *deltas) write(p []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.send == nil {
		return
	}
	d.clean.write(p)
	if len(d.text.text) > 0 {
		d.send(string(d.text.text))
		d.text = tail{}
	}
}

// stop returns when no piece is on its way any more, and none will be.
func (d *deltas) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
}
