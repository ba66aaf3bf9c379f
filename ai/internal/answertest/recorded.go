package answertest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"tau/ai"
)

// Updating reports whether golden files are to be written.
func Updating() bool { return *update }

var update = flag.Bool("update", false, "write what the recorded answers give into their files")

// recorded is one recorded exchange.
type recorded struct {
	name   string
	header []string // lines "name: value": status, headers, and what is special
	body   string
}

func (r *recorded) get(name string) string {
	for _, line := range r.header {
		if key, value, _ := strings.Cut(line, ": "); strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// Recorded plays the recorded HTTP answers in a file through stream, each whole,
// byte by byte and cut at random, and compares what comes of them. The file has
// sections:
//
//	=== name of the case
//	status: 429
//	Retry-After: 2
//	want: what Brief gives
//	body, after an empty line
//
// "abort: n" cancels the request after n deltas, "hang: yes" keeps the
// connection open at the end, "request: text" must be part of the request, which
// has a system prompt, a picture and two tools. encode makes the body of a
// section, nil leaves it as it is.
func Recorded(t *testing.T, path string, model *ai.Model, stream ai.StreamFunc, encode func(string) string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cases := parseRecorded(string(data))
	if len(cases) < 10 {
		t.Errorf("%s has %d cases only", path, len(cases))
	}
	for i := range cases {
		r := &cases[i]
		t.Run(strings.ReplaceAll(r.name, " ", "-"), func(t *testing.T) {
			body := r.body
			if encode != nil && r.get("status") == "200" {
				body = encode(body)
			}
			if *update {
				r.set("want", Brief(r.play(t, model, stream, strings.NewReader(body))))
				return
			}
			feeds := map[string]io.Reader{"whole": strings.NewReader(body), "byte by byte": iotest.OneByteReader(strings.NewReader(body))}
			for seed := range uint64(10) {
				feeds[fmt.Sprint("cut at random ", seed)] = &cutReader{body, rand.New(rand.NewPCG(seed, 3))}
			}
			for name, feed := range feeds {
				if got, want := Brief(r.play(t, model, stream, feed)), r.get("want"); got != want {
					t.Errorf("%s:\n got %s\nwant %s", name, got, want)
				}
			}
		})
	}
	if *update {
		var out strings.Builder
		for _, r := range cases {
			fmt.Fprintf(&out, "=== %s\n%s\n\n%s\n", r.name, strings.Join(r.header, "\n"), strings.Trim(r.body, "\n")+"\n")
		}
		if err := os.WriteFile(path, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *recorded) set(name, value string) {
	for i, line := range r.header {
		if strings.HasPrefix(line, name+": ") || line == name+":" {
			r.header[i] = name + ": " + value
			return
		}
	}
	r.header = append(r.header, name+": "+value)
}

func parseRecorded(text string) []recorded {
	var out []recorded
	for _, section := range strings.Split("\n"+text, "\n=== ")[1:] {
		head, body, _ := strings.Cut(section, "\n\n")
		lines := strings.Split(head, "\n")
		out = append(out, recorded{name: lines[0], header: lines[1:], body: strings.TrimRight(body, "\n") + "\n\n"})
	}
	return out
}

// play asks the model, whose server answers with the record.
func (r *recorded) play(t *testing.T, model *ai.Model, stream ai.StreamFunc, feed io.Reader) *ai.AssistantMessage {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if r.get("hang") != "" {
		feed = io.MultiReader(feed, &hanging{ctx})
	}
	var sent string
	client := &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
		data, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		sent = string(data)
		status := 200
		fmt.Sscan(r.get("status"), &status)
		resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(feed), Request: req, ProtoMajor: 1, ProtoMinor: 1}
		for _, line := range r.header {
			if name, value, ok := strings.Cut(line, ": "); ok && name[0] >= 'A' && name[0] <= 'Z' {
				resp.Header.Set(name, value)
			}
		}
		return resp, nil
	})}
	abortAt := -1
	fmt.Sscan(r.get("abort"), &abortAt)
	req := ai.Request{
		System: "be brief",
		Messages: []ai.Message{&ai.UserMessage{Content: []ai.Block{
			&ai.Text{Text: "What is this?"}, &ai.Image{Data: "iVBORw0KGgo=", MimeType: "image/png"}}}},
		Tools: []ai.ToolDef{
			{Name: "read", Description: "Read a file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
			{Name: "ls", Description: "List a folder", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
	}
	deltas := 0
	m := Check(t, func(yield func(ai.Event) bool) {
		for ev := range stream(ctx, model, req, ai.Options{APIKey: "key-123456", Client: client, Thinking: ai.ThinkingLow, SessionID: "s1"}) {
			if strings.HasSuffix(string(ev.Type), "_delta") {
				if deltas++; deltas == abortAt {
					cancel()
				}
			}
			if !yield(ev) {
				return
			}
		}
	})
	if want := r.get("request"); !strings.Contains(sent, want) {
		t.Errorf("the request has no %s:\n%s", want, sent)
	}
	return m
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// hanging is a connection on which nothing comes any more.
type hanging struct{ ctx context.Context }

func (h *hanging) Read([]byte) (int, error) {
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

// Brief is an answer in one line, for comparing.
func Brief(m *ai.AssistantMessage) string {
	var s []string
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			s = append(s, fmt.Sprintf("text %q", b.Text)+signed(b.Signature))
		case *ai.Thinking:
			if b.Redacted {
				s = append(s, "redacted "+b.Signature)
				continue
			}
			s = append(s, fmt.Sprintf("thinking %q", b.Thinking)+signed(b.Signature))
		case *ai.ToolCall:
			id := b.ID
			if strings.HasPrefix(id, "gcall_") { // made up, and random
				id = "gcall_…"
			}
			call := fmt.Sprintf("call %s %s %s", id, b.Name, b.Arguments) + signed(b.ThoughtSignature)
			if b.ArgumentsError != "" {
				call += " not readable: " + b.ArgumentsText
			}
			s = append(s, call)
		}
	}
	u := m.Usage
	end := fmt.Sprintf("%s, tokens %d+%d read %d written %d", m.StopReason, u.Input, u.Output, u.CacheRead, u.CacheWrite)
	if f := m.Failure; f != nil {
		end += fmt.Sprintf(", %s", f.Class)
		if f.RetryAfter > 0 {
			end += " after " + f.RetryAfter.String()
		}
		end += ": " + f.Message
	}
	return strings.Join(append(s, end), " | ")
}

func signed(signature string) string {
	if signature == "" {
		return ""
	}
	return " signed " + signature
}
