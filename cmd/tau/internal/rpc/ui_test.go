package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/cmd/tau/internal/wire"
)

// asked runs a question in a UI whose client answers with reply, in which %s is
// the question's id, and returns the request without the id.
func asked(t *testing.T, reply string, question func(u *UI)) string {
	t.Helper()
	var request string
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		out := wire.NewOutput(w)
		u := newUI(out)
		client := make(chan struct{})
		go func() {
			defer close(client)
			line, err := bufio.NewReader(r).ReadString('\n')
			if err != nil {
				t.Error(err)
				return
			}
			var head struct{ ID string }
			if err := json.Unmarshal([]byte(line), &head); err != nil || head.ID == "" {
				t.Errorf("%q: %v", line, err)
			}
			request = strings.Replace(strings.TrimSpace(line), `"id":"`+head.ID+`",`, "", 1)
			if reply != "" {
				u.answer(command{body: []byte(fmt.Sprintf(reply, head.ID))})
				u.answer(command{body: []byte(fmt.Sprintf(reply, head.ID))}) // twice is no harm
			}
		}()
		question(u)
		<-client
		if err := out.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return request
}

func TestUIQuestions(t *testing.T) {
	ctx := context.Background()
	var got any
	value := func(v string, ok bool) { got = fmt.Sprint(v, " ", ok) }
	const head = `{"type":"extension_ui_request","method":`
	for _, tt := range []struct {
		ask     func(u *UI)
		reply   string
		request string
		want    any
	}{
		{func(u *UI) { value(u.Select(ctx, "Pick", []string{"a", "b"}, 0)) }, `{"id":%q,"value":"b"}`, `"select","title":"Pick","options":["a","b"]}`, "b true"},
		{func(u *UI) { value(u.Select(ctx, "Pick", []string{"a"}, 0)) }, `{"id":%q,"cancelled":true}`, `"select","title":"Pick","options":["a"]}`, " false"},
		{func(u *UI) { value(u.Select(ctx, "Pick", []string{"a"}, time.Second)) }, ``, `"select","title":"Pick","options":["a"],"timeout":1000}`, " false"},
		{func(u *UI) { got = u.Confirm(ctx, "Sure?", "Really", 0) }, `{"id":%q,"confirmed":true}`, `"confirm","title":"Sure?","message":"Really"}`, true},
		{func(u *UI) { got = u.Confirm(ctx, "Sure?", "", 2*time.Second) }, ``, `"confirm","title":"Sure?","message":"","timeout":2000}`, false},
		{func(u *UI) { value(u.Input(ctx, "Name", "yours", 0)) }, `{"id":%q,"value":""}`, `"input","title":"Name","placeholder":"yours"}`, " true"},
		{func(u *UI) { value(u.Editor(ctx, "Text", "old")) }, `{"id":%q,"value":"x\ny"}`, `"editor","title":"Text","prefill":"old"}`, "x\ny true"},
		{func(u *UI) { value(u.Input(ctx, "Name", "", time.Second)) }, `{"id":"another %s","value":"x"}`, `"input","title":"Name","timeout":1000}`, " false"},
		{func(u *UI) { u.Notify("hello", "") }, ``, `"notify","message":"hello"}`, nil},
		{func(u *UI) { u.Notify("oh", "error") }, ``, `"notify","message":"oh","notifyType":"error"}`, nil},
		{func(u *UI) { u.SetStatus("k", nil) }, ``, `"setStatus","statusKey":"k"}`, nil},
		{func(u *UI) { u.SetWidget("k", &[]string{"l"}, "belowEditor") }, ``, `"setWidget","widgetKey":"k","widgetLines":["l"],"widgetPlacement":"belowEditor"}`, nil},
		{func(u *UI) { u.SetTitle("t") }, ``, `"setTitle","title":"t"}`, nil},
		{func(u *UI) { u.SetEditorText("") }, ``, `"set_editor_text","text":""}`, nil},
	} {
		got = nil
		if request := asked(t, tt.reply, tt.ask); request != head+tt.request {
			t.Errorf("request %s, want %s", request, head+tt.request)
		}
		if got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.request, got, tt.want)
		}
	}
}

func TestUIEnds(t *testing.T) {
	out := wire.NewOutput(io.Discard)
	u := newUI(out)
	answered := make(chan bool)
	go func() {
		_, ok := u.Editor(context.Background(), "t", "")
		answered <- ok
	}()
	u.close()
	if <-answered || u.Confirm(context.Background(), "t", "", 0) {
		t.Error("a question was answered by nobody")
	}
}

func FuzzCommand(f *testing.F) {
	for _, s := range []string{`{"id":1,"type":"prompt","message":"x"}`, `[]`, `{"type":{}}`, `{"id":"a","type":"bash","command":"ls"}`, `{`, `{"type":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		c, err := parse(line)
		if (err == nil) != json.Valid(line) {
			t.Fatalf("%q: %v", line, err)
		}
		if err != nil {
			return
		}
		_, _, _ = c.message()
		_, _ = c.mode()
		_, _ = c.enabled()
		// Whatever came must be answerable.
		if b, err := json.Marshal(response{ID: c.id, Type: "response", Command: c.typ}); err != nil || !json.Valid(b) {
			t.Errorf("%q: %v", line, err)
		}
	})
}
