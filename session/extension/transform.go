package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// TransformLimit is how long an extension may take to transform a text. One that
// takes longer is not asked again.
const TransformLimit = 3 * time.Second

var errSlowTransform = fmt.Errorf("it took more than %v and is not asked any more", TransformLimit)

// Shown is a text of a message that is about to be shown.
type Shown struct {
	Kind      string `json:"messageType"` // user, assistant, assistant-thinking, custom or summary
	Streaming bool   `json:"isStreaming"`
	Width     int    `json:"availableWidth"`      // columns for it
	ID        string `json:"messageId,omitempty"` // of its entry, if it was read from the session
	Time      string `json:"timestamp,omitempty"`
}

// Transformers returns a number for those who transform texts of a kind, which
// is another when that changes; 0 if there are none.
func (r *Runner) Transformers(kind string) int {
	if len(r.transformers(kind)) == 0 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.transforms
}

func (r *Runner) transformers(kind string) []*Extension {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*Extension
	for _, e := range r.exts {
		if e.markdown != nil && !e.mute.Load() && slices.Contains(e.markdown.Types, kind) {
			list = append(list, e)
		}
	}
	return list
}

// Transform has extensions change the Markdown of a message for the screen, one
// after another. One that fails is told of once and passed over.
func (r *Runner) Transform(ctx context.Context, text string, s Shown) string {
	for _, e := range r.transformers(s.Kind) {
		out, err := r.transform(ctx, e, text, s)
		switch {
		case err == nil:
			text = out
		case ctx.Err() == nil && !errors.Is(err, ErrGone):
			r.reportOnce(e, "markdown transformer", err)
		}
	}
	return text
}

func (r *Runner) transform(ctx context.Context, e *Extension, text string, s Shown) (string, error) {
	short, cancel := context.WithTimeout(ctx, TransformLimit)
	defer cancel()
	raw, err := e.call(short, 0, MethodTransform, map[string]any{"markdown": text, "context": s})
	if err != nil {
		if ctx.Err() == nil && short.Err() != nil {
			e.mute.Store(true)
			err = errSlowTransform
		}
		return "", err
	}
	var out *string
	if err := json.Unmarshal(raw, &out); err != nil || out == nil {
		return text, nil // pi takes what is no text as no change
	}
	return *out, nil
}
