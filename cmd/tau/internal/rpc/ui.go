package rpc

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/google/uuid"

	"tau/cmd/tau/internal/wire"
)

// UI puts the questions and notices of extensions to the client. Questions
// block until they are answered, cancelled or timed out; ok is then false. All
// else is told and forgotten. It is safe for concurrent use.
type UI struct {
	out *wire.Output

	mu      sync.Mutex
	waiting map[string]chan reply
	closed  bool
}

func newUI(out *wire.Output) *UI { return &UI{out: out, waiting: map[string]chan reply{}} }

// request is what the client is asked or told.
type request struct {
	Type            string    `json:"type"` // extension_ui_request
	ID              string    `json:"id"`
	Method          string    `json:"method"`
	Title           *string   `json:"title,omitempty"`
	Options         []string  `json:"options,omitempty"`
	Message         *string   `json:"message,omitempty"`
	Placeholder     string    `json:"placeholder,omitempty"`
	Prefill         *string   `json:"prefill,omitempty"`
	Timeout         int64     `json:"timeout,omitempty"` // milliseconds
	NotifyType      string    `json:"notifyType,omitempty"`
	StatusKey       string    `json:"statusKey,omitempty"`
	StatusText      *string   `json:"statusText,omitempty"`
	WidgetKey       string    `json:"widgetKey,omitempty"`
	WidgetLines     *[]string `json:"widgetLines,omitempty"`
	WidgetPlacement string    `json:"widgetPlacement,omitempty"`
	Text            *string   `json:"text,omitempty"`
}

// reply is what the client answers; one of the members is set.
type reply struct {
	ID        string  `json:"id"`
	Value     *string `json:"value"`
	Confirmed *bool   `json:"confirmed"`
	Cancelled bool    `json:"cancelled"`
}

// Select lets the user choose one of the options.
func (u *UI) Select(ctx context.Context, title string, options []string, timeout time.Duration) (value string, ok bool) {
	return u.value(ctx, request{Method: "select", Title: &title, Options: options}, timeout)
}

// Confirm asks a question to be answered with yes or no.
func (u *UI) Confirm(ctx context.Context, title, message string, timeout time.Duration) bool {
	r := u.ask(ctx, request{Method: "confirm", Title: &title, Message: &message}, timeout)
	return r.Confirmed != nil && *r.Confirmed
}

// Input asks for a line.
func (u *UI) Input(ctx context.Context, title, placeholder string, timeout time.Duration) (value string, ok bool) {
	return u.value(ctx, request{Method: "input", Title: &title, Placeholder: placeholder}, timeout)
}

// Editor asks for a text.
func (u *UI) Editor(ctx context.Context, title, prefill string) (value string, ok bool) {
	return u.value(ctx, request{Method: "editor", Title: &title, Prefill: &prefill}, 0)
}

// Notify tells the user something; kind is info, warning, error or empty.
func (u *UI) Notify(message, kind string) {
	u.tell(request{Method: "notify", Message: &message, NotifyType: kind})
}

// SetStatus shows a text under a key; nil takes it away.
func (u *UI) SetStatus(key string, text *string) {
	u.tell(request{Method: "setStatus", StatusKey: key, StatusText: text})
}

// SetWidget shows lines under a key, aboveEditor or belowEditor; nil takes them
// away.
func (u *UI) SetWidget(key string, lines *[]string, placement string) {
	u.tell(request{Method: "setWidget", WidgetKey: key, WidgetLines: lines, WidgetPlacement: placement})
}

// SetTitle names the window.
func (u *UI) SetTitle(title string) { u.tell(request{Method: "setTitle", Title: &title}) }

// SetEditorText puts a text into the client's editor.
func (u *UI) SetEditorText(text string) { u.tell(request{Method: "set_editor_text", Text: &text}) }

func (u *UI) tell(r request) {
	r.Type, r.ID = "extension_ui_request", uuid.NewString()
	u.out.Record(r)
}

func (u *UI) value(ctx context.Context, r request, timeout time.Duration) (string, bool) {
	a := u.ask(ctx, r, timeout)
	if a.Value == nil {
		return "", false
	}
	return *a.Value, true
}

func (u *UI) ask(ctx context.Context, r request, timeout time.Duration) reply {
	none := reply{Cancelled: true}
	r.Type, r.ID, r.Timeout = "extension_ui_request", uuid.NewString(), timeout.Milliseconds()
	answer := make(chan reply, 1)
	u.mu.Lock()
	if u.closed {
		u.mu.Unlock()
		return none
	}
	u.waiting[r.ID] = answer
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.waiting, r.ID)
	}()
	u.out.Record(r)
	var late <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		late = t.C
	}
	select {
	case a := <-answer:
		return a
	case <-late:
	case <-ctx.Done():
	}
	return none
}

// answer takes a reply of the client. One to a question that nobody asks any
// more is dropped.
func (u *UI) answer(cmd command) {
	var r reply
	if json.Unmarshal(cmd.body, &r) != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if ch := u.waiting[r.ID]; ch != nil {
		ch <- r
		delete(u.waiting, r.ID)
	}
}

// close cancels all questions, also those to come.
func (u *UI) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for id, ch := range u.waiting {
		ch <- reply{Cancelled: true}
		delete(u.waiting, id)
	}
}
