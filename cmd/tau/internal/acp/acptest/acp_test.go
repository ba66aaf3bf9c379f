package acptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"
)

// build makes the program and the stand-in for providers, once.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tau-acp-*")
	if err != nil {
		return "", err
	}
	// With the race detector where there is one: it makes the exit status 66.
	var last error
	for _, race := range []string{"-race=true", "-race=false"} {
		cmd := exec.Command("go", "build", race, "-o", dir+string(os.PathSeparator), "./cmd/tau", "./ai/internal/fakellm/serve")
		cmd.Dir = filepath.Join("..", "..", "..", "..", "..")
		out, err := cmd.CombinedOutput()
		if err == nil {
			return dir, nil
		}
		last = fmt.Errorf("build: %w\n%s", err, out)
	}
	return "", last
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := build(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// client is an editor: it keeps what it is told and answers what it is asked.
type client struct {
	mu      sync.Mutex
	updates []acp.SessionUpdate
	asked   []acp.RequestPermissionRequest
	answer  string // option id; empty cancels
	changed chan struct{}
}

func newClient() *client { return &client{answer: "allow", changed: make(chan struct{})} }

func (c *client) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.updates = append(c.updates, n.Update)
	close(c.changed)
	c.changed = make(chan struct{})
	return nil
}

func (c *client) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, p)
	if c.answer == "" {
		return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{Cancelled: &acp.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}}, nil
	}
	return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{
		Selected: &acp.RequestPermissionOutcomeSelected{Outcome: "selected", OptionId: acp.PermissionOptionId(c.answer)},
	}}, nil
}

var errUnused = errors.New("the agent should not need this")

func (c *client) ReadTextFile(context.Context, acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	return acp.ReadTextFileResponse{}, errUnused
}
func (c *client) WriteTextFile(context.Context, acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, errUnused
}
func (c *client) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, errUnused
}
func (c *client) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, errUnused
}
func (c *client) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, errUnused
}
func (c *client) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, errUnused
}
func (c *client) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, errUnused
}

// seen waits until an update fits, and returns all so far.
func (c *client) seen(t *testing.T, what string, fits func(acp.SessionUpdate) bool) []acp.SessionUpdate {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		c.mu.Lock()
		all, changed := slices.Clone(c.updates), c.changed
		c.mu.Unlock()
		if slices.ContainsFunc(all, fits) {
			return all
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("never seen: %s\n%s", what, kinds(all))
		}
	}
}

func (c *client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.updates, c.asked = nil, nil
}

func (c *client) set(answer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = answer
}

func (c *client) permissions() []acp.RequestPermissionRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}

func kinds(all []acp.SessionUpdate) string {
	var b strings.Builder
	for _, u := range all {
		j, _ := json.Marshal(u)
		fmt.Fprintf(&b, "%.300s\n", j)
	}
	return b.String()
}

// home is a user's: models behind a stand-in for a provider.
type home struct {
	dir, work string
	bin       string
}

func newHome(t *testing.T) home {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	h := home{dir: t.TempDir(), bin: bin}
	if h.dir, err = filepath.EvalSymlinks(h.dir); err != nil {
		t.Fatal(err)
	}
	h.work = filepath.Join(h.dir, "work")
	agent := filepath.Join(h.dir, "agent")
	for _, d := range []string{h.work, agent} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	addrFile := filepath.Join(h.dir, "addr")
	fake := exec.Command(filepath.Join(bin, "serve"), "-addr-file", addrFile)
	if err := fake.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fake.Process.Kill()
		fake.Wait()
	})
	var addr []byte
	for end := time.Now().Add(10 * time.Second); len(addr) == 0; addr, _ = os.ReadFile(addrFile) {
		if time.Now().After(end) {
			t.Fatal("the stand-in did not start")
		}
		time.Sleep(10 * time.Millisecond) // a real process; there is nothing to wait for
	}
	write(t, filepath.Join(agent, "models.json"), fmt.Sprintf(`{"providers":{"bench":{"baseUrl":"http://%s","api":"anthropic-messages","apiKey":"k","models":[
		{"id":"one","name":"One","contextWindow":200000,"maxTokens":32000,"cost":{"input":1,"output":2,"cacheRead":0.1,"cacheWrite":1}},
		{"id":"two","name":"Two","reasoning":true,"contextWindow":100000,"maxTokens":32000,"cost":{"input":1,"output":2,"cacheRead":0.1,"cacheWrite":1}}]}}}`, addr))
	if err := os.Mkdir(filepath.Join(agent, "prompts"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(agent, "prompts", "repeat.md"), "---\ndescription: Say it again\n---\nBENCH:echo again: $1")
	write(t, filepath.Join(agent, "settings.json"), `{"defaultProvider":"bench","defaultModel":"one"}`)
	return h
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// connect starts the agent. end closes its input and waits.
func (h home) connect(t *testing.T, c *client, args ...string) (conn *acp.ClientSideConnection, end func()) {
	t.Helper()
	cmd := exec.Command(filepath.Join(h.bin, "tau"), append([]string{"acp"}, args...)...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "HOME="+h.dir, "USERPROFILE="+h.dir, "TAU_AGENT_DIR="+filepath.Join(h.dir, "agent"), "TMPDIR="+os.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// A pipe of our own: Wait must not close it while it is read.
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { cmd.Process.Kill() })
	conn = acp.NewClientSideConnection(c, in, io.Reader(out))
	return conn, func() {
		t.Helper()
		in.Close()
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("the agent ended with %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the agent did not end with its input")
		}
	}
}

func initialize(t *testing.T, conn *acp.ClientSideConnection) acp.InitializeResponse {
	t.Helper()
	r, err := conn.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func say(t *testing.T, conn *acp.ClientSideConnection, id acp.SessionId, text string) acp.PromptResponse {
	t.Helper()
	r, err := conn.Prompt(t.Context(), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func completed(u acp.SessionUpdate) bool {
	return u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil && *u.ToolCallUpdate.Status == acp.ToolCallStatusCompleted
}

func failed(u acp.SessionUpdate) bool {
	return u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil && *u.ToolCallUpdate.Status == acp.ToolCallStatusFailed
}

func TestWholeSession(t *testing.T) {
	h := newHome(t)
	c := newClient()
	conn, end := h.connect(t, c)
	caps := initialize(t, conn)
	if caps.ProtocolVersion != 1 || !caps.AgentCapabilities.LoadSession || !caps.AgentCapabilities.PromptCapabilities.Image {
		t.Errorf("capabilities %+v", caps)
	}
	if _, err := conn.Authenticate(t.Context(), acp.AuthenticateRequest{MethodId: caps.AuthMethods[0].Agent.Id}); err != nil {
		t.Error(err)
	}
	ses, err := conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: h.work, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	if ses.Modes.CurrentModeId != "auto" || len(ses.ConfigOptions) != 3 {
		t.Errorf("modes %+v, options %+v", ses.Modes, ses.ConfigOptions)
	}
	c.seen(t, "commands", func(u acp.SessionUpdate) bool {
		return u.AvailableCommandsUpdate != nil && slices.ContainsFunc(u.AvailableCommandsUpdate.AvailableCommands, func(k acp.AvailableCommand) bool {
			return k.Name == "repeat" && k.Description == "Say it again"
		})
	})
	say(t, conn, ses.SessionId, "/repeat this")
	text := ""
	for _, u := range c.seen(t, "usage", func(u acp.SessionUpdate) bool { return u.UsageUpdate != nil }) {
		if u.AgentMessageChunk != nil {
			text += u.AgentMessageChunk.Content.Text.Text
		}
	}
	if text != "again: this" {
		t.Errorf("the template gave %q", text)
	}
	c.forget()

	// Text, thoughts and usage.
	r := say(t, conn, ses.SessionId, "BENCH:thinking think=4 tokens=4")
	if r.StopReason != acp.StopReasonEndTurn {
		t.Errorf("stop reason %s", r.StopReason)
	}
	all := c.seen(t, "usage", func(u acp.SessionUpdate) bool {
		return u.UsageUpdate != nil && u.UsageUpdate.Used > 0 && u.UsageUpdate.Size == 200000
	})
	if !slices.ContainsFunc(all, func(u acp.SessionUpdate) bool { return u.AgentThoughtChunk != nil }) ||
		!slices.ContainsFunc(all, func(u acp.SessionUpdate) bool { return u.AgentMessageChunk != nil }) {
		t.Errorf("no thought or no message:\n%s", kinds(all))
	}

	// A call with a diff: a new file, and a change of it.
	c.forget()
	say(t, conn, ses.SessionId, `BENCH:call name=write args={"path":"a.txt","content":"one\ntwo\n"}`)
	all = c.seen(t, "the end of write", completed)
	for _, u := range all {
		if completed(u) {
			d := u.ToolCallUpdate.Content[0].Diff
			if d == nil || d.Path != filepath.Join(h.work, "a.txt") || d.OldText != nil || d.NewText != "one\ntwo\n" {
				t.Errorf("diff of write %+v", u.ToolCallUpdate.Content)
			}
		}
	}
	c.forget()
	say(t, conn, ses.SessionId, `BENCH:call name=edit args={"path":"a.txt","edits":[{"oldText":"two","newText":"three"}]}`)
	all = c.seen(t, "the end of edit", completed)
	order := ""
	for _, u := range all {
		switch {
		case u.ToolCall != nil:
			order += fmt.Sprintf("%s:%s:%s ", u.ToolCall.Kind, u.ToolCall.Status, u.ToolCall.Title)
		case completed(u):
			x := u.ToolCallUpdate
			d := x.Content[0].Diff
			if d == nil || *d.OldText != "two" || d.NewText != "three" || len(x.Locations) != 1 || x.Locations[0].Path != filepath.Join(h.work, "a.txt") || *x.Locations[0].Line != 2 {
				t.Errorf("diff of edit %s", kinds([]acp.SessionUpdate{u}))
			}
			order += "completed "
		case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
			order += string(*u.ToolCallUpdate.Status) + " "
		}
	}
	if order != "edit:pending:edit in_progress completed " {
		t.Errorf("order %q", order)
	}
	if b, _ := os.ReadFile(filepath.Join(h.work, "a.txt")); string(b) != "one\nthree\n" {
		t.Errorf("the file has %q", b)
	}
	if n := len(c.permissions()); n != 0 {
		t.Errorf("asked %d times without having been told to", n)
	}

	// Permission.
	if _, err := conn.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: ses.SessionId, ModeId: "ask"}); err != nil {
		t.Fatal(err)
	}
	c.seen(t, "the new mode", func(u acp.SessionUpdate) bool {
		return u.CurrentModeUpdate != nil && u.CurrentModeUpdate.CurrentModeId == "ask"
	})
	c.forget()
	c.set("reject")
	say(t, conn, ses.SessionId, `BENCH:call name=write args={"path":"b.txt","content":"no"}`)
	c.seen(t, "the refused call", failed)
	asked := c.permissions()
	if len(asked) != 1 || asked[0].ToolCall.Content[0].Diff == nil || len(asked[0].Options) != 3 {
		t.Errorf("asked %+v", asked)
	}
	if _, err := os.Stat(filepath.Join(h.work, "b.txt")); err == nil {
		t.Error("the refused file was written")
	}
	c.forget()
	c.set("always")
	say(t, conn, ses.SessionId, `BENCH:call name=write args={"path":"b.txt","content":"yes"}`)
	say(t, conn, ses.SessionId, `BENCH:call name=write args={"path":"c.txt","content":"yes"}`)
	say(t, conn, ses.SessionId, `BENCH:call name=read args={"path":"c.txt"}`)
	if n := len(c.permissions()); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
	if b, _ := os.ReadFile(filepath.Join(h.work, "c.txt")); string(b) != "yes" {
		t.Errorf("the file has %q", b)
	}

	// Options.
	set, err := conn.SetSessionConfigOption(t.Context(), acp.SetSessionConfigOptionRequest{
		ValueId: &acp.SetSessionConfigOptionValueId{SessionId: ses.SessionId, ConfigId: "model", Value: "bench/two"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range set.ConfigOptions {
		if o.Select.Id == "model" && o.Select.CurrentValue != "bench/two" {
			t.Errorf("option %+v", o.Select)
		}
	}
	if _, err := conn.SetSessionConfigOption(t.Context(), acp.SetSessionConfigOptionRequest{
		ValueId: &acp.SetSessionConfigOptionValueId{SessionId: ses.SessionId, ConfigId: "thinking", Value: "high"},
	}); err != nil {
		t.Error(err)
	}
	if _, err := conn.SetSessionConfigOption(t.Context(), acp.SetSessionConfigOptionRequest{
		ValueId: &acp.SetSessionConfigOptionValueId{SessionId: ses.SessionId, ConfigId: "model", Value: "no/such"},
	}); err == nil {
		t.Error("a model that does not exist was chosen")
	}

	// Cancel: in an answer, and in a command.
	for _, prompt := range []string{"BENCH:hang after=3", `BENCH:call name=bash args={"command":"sleep 60"}`} {
		c.forget()
		c.set("allow")
		done := make(chan acp.PromptResponse, 1)
		go func() {
			r, err := conn.Prompt(context.Background(), acp.PromptRequest{SessionId: ses.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock(prompt)}})
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		c.seen(t, "a beginning", func(u acp.SessionUpdate) bool {
			return u.AgentMessageChunk != nil || u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil && *u.ToolCallUpdate.Status == acp.ToolCallStatusInProgress
		})
		if _, err := conn.Prompt(t.Context(), acp.PromptRequest{SessionId: ses.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("me too")}}); err == nil {
			t.Error("two prompts at once")
		}
		if err := conn.Cancel(t.Context(), acp.CancelNotification{SessionId: ses.SessionId}); err != nil {
			t.Fatal(err)
		}
		select {
		case r := <-done:
			if r.StopReason != acp.StopReasonCancelled {
				t.Errorf("%s: stop reason %s", prompt, r.StopReason)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: not cancelled", prompt)
		}
	}

	// A failure of the provider is an error of the prompt.
	if _, err := conn.Prompt(t.Context(), acp.PromptRequest{SessionId: ses.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("BENCH:error 400 id=x")}}); err == nil {
		t.Error("a failed request was no error")
	}

	// A name.
	say(t, conn, ses.SessionId, "/name my work")
	c.seen(t, "the name", func(u acp.SessionUpdate) bool {
		return u.SessionInfoUpdate != nil && *u.SessionInfoUpdate.Title == "my work"
	})
	end()

	// Another process finds the session and what was said.
	c = newClient()
	conn, end = h.connect(t, c)
	initialize(t, conn)
	list, err := conn.ListSessions(t.Context(), acp.ListSessionsRequest{Cwd: &h.work})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != ses.SessionId || *list.Sessions[0].Title != "my work" {
		t.Fatalf("list %+v %v", list, err)
	}
	loaded, err := conn.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: ses.SessionId, Cwd: h.work, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range loaded.ConfigOptions {
		if o.Select.Id == "model" && o.Select.CurrentValue != "bench/two" {
			t.Errorf("the model is %s", o.Select.CurrentValue)
		}
	}
	all = c.seen(t, "a call of the history", completed)
	users := 0
	for _, u := range all {
		if u.UserMessageChunk != nil {
			users++
		}
	}
	if users < 8 {
		t.Errorf("%d messages of the user in the history:\n%s", users, kinds(all))
	}
	c.forget()
	say(t, conn, ses.SessionId, "BENCH:echo here again")
	text = ""
	for _, u := range c.seen(t, "the answer", func(u acp.SessionUpdate) bool { return u.UsageUpdate != nil }) {
		if u.AgentMessageChunk != nil {
			text += u.AgentMessageChunk.Content.Text.Text
		}
	}
	if text != "here again" {
		t.Errorf("answer %q", text)
	}
	if _, err := conn.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: ses.SessionId}); err != nil {
		t.Error(err)
	}
	if _, err := conn.Prompt(t.Context(), acp.PromptRequest{SessionId: ses.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("x")}}); err == nil {
		t.Error("a closed session answered")
	}
	if _, err := conn.ResumeSession(t.Context(), acp.ResumeSessionRequest{SessionId: ses.SessionId, Cwd: h.work}); err != nil {
		t.Error(err)
	}
	if _, err := conn.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: "nothere", Cwd: h.work, McpServers: []acp.McpServer{}}); err == nil {
		t.Error("a session that does not exist was loaded")
	}
	end()
}

func TestContentOfPrompts(t *testing.T) {
	h := newHome(t)
	c := newClient()
	conn, end := h.connect(t, c, "--ask", "--no-session")
	initialize(t, conn)
	ses, err := conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: h.work, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	if ses.Modes.CurrentModeId != "ask" {
		t.Errorf("mode %s", ses.Modes.CurrentModeId)
	}
	r, err := conn.Prompt(t.Context(), acp.PromptRequest{SessionId: ses.SessionId, Prompt: []acp.ContentBlock{
		acp.TextBlock("look at "), acp.ResourceLinkBlock("a.txt", "file:///w/a.txt"),
		acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: "file:///w/b.txt", Text: "BBB"}}),
		acp.TextBlock("\nBENCH:echo seen"),
	}})
	if err != nil || r.StopReason != acp.StopReasonEndTurn {
		t.Errorf("%+v %v", r, err)
	}
	for what, bad := range map[string][]acp.ContentBlock{
		"audio": {acp.AudioBlock("AA==", "audio/wav")}, "nothing": {acp.TextBlock("  ")},
	} {
		if _, err := conn.Prompt(t.Context(), acp.PromptRequest{SessionId: ses.SessionId, Prompt: bad}); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
	if _, err := conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: filepath.Join(h.dir, "nowhere"), McpServers: []acp.McpServer{}}); err == nil {
		t.Error("a session in a folder that does not exist")
	}
	end()
}
