//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// driven is the program as another program runs it: with pipes.
type driven struct {
	t    testing.TB
	cmd  *exec.Cmd
	home string
	in   io.WriteCloser
	out  *os.File
	errs bytes.Buffer
	read *bufio.Reader
}

// drive starts the program with the demo model playing a script.
func drive(t testing.TB, script string, args ...string) *driven {
	t.Helper()
	bin, err := tau()
	if err != nil {
		t.Fatal(err)
	}
	d := &driven{t: t, home: t.TempDir()}
	path := filepath.Join(d.home, "script.json")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	d.cmd = exec.Command(bin, append([]string{"--demo-script", path}, args...)...)
	d.cmd.Dir = d.home
	d.cmd.Env = append(os.Environ(), "HOME="+d.home, "TAU_AGENT_DIR="+filepath.Join(d.home, "agent"))
	d.cmd.Stderr = &d.errs
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	// A pipe of our own, so that a test can leave it unread, or close it.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	d.cmd.Stdout, d.out, d.read = w, r, bufio.NewReaderSize(r, 1<<16)
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		d.cmd.Process.Kill()
		r.Close()
	})
	return d
}

func (d *driven) send(lines ...string) {
	d.t.Helper()
	if _, err := io.WriteString(d.in, strings.Join(lines, "\n")+"\n"); err != nil {
		d.t.Fatal(err)
	}
}

// record is what tests look at of a record.
type record struct {
	ID      json.RawMessage
	Type    string
	Command string
	Success bool
	Error   string
	Data    json.RawMessage
	Aborted bool
	Delta   string
	Message struct {
		Role       string
		StopReason string
		Usage      struct {
			Input, Output, TotalTokens int
			Cost                       struct{ Total float64 }
		}
	}
	line string
}

// next returns the next record. Everything on standard output must be one.
func (d *driven) next() (record, bool) {
	d.t.Helper()
	line, err := d.read.ReadString('\n')
	if err != nil {
		if line != "" {
			d.t.Errorf("half a record: %q", line)
		}
		return record{}, false
	}
	r := record{line: line}
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		d.t.Fatalf("no record: %v: %q", err, line)
	}
	return r, true
}

// until reads to the first record that fits and returns all up to it.
func (d *driven) until(what string, fits func(record) bool) []record {
	d.t.Helper()
	watchdog := time.AfterFunc(30*time.Second, func() { d.cmd.Process.Kill() })
	defer watchdog.Stop()
	var all []record
	for {
		r, ok := d.next()
		if !ok {
			d.t.Fatalf("never seen: %s; %d records, stderr: %s", what, len(all), d.errs.String())
		}
		if all = append(all, r); fits(r) {
			return all
		}
	}
}

func (d *driven) untilType(typ string) []record {
	d.t.Helper()
	return d.until(typ, func(r record) bool { return r.Type == typ })
}

// answer reads to the answer with this id.
func (d *driven) answer(id string) record {
	d.t.Helper()
	all := d.until("the answer "+id, func(r record) bool { return r.Type == "response" && string(r.ID) == id })
	return all[len(all)-1]
}

// end waits for the program and returns its exit status, reading what is left.
func (d *driven) end() (status int, rest []record) {
	d.t.Helper()
	watchdog := time.AfterFunc(30*time.Second, func() { d.cmd.Process.Kill() })
	defer watchdog.Stop()
	for {
		r, ok := d.next()
		if !ok {
			break
		}
		rest = append(rest, r)
	}
	d.cmd.Wait()
	return d.cmd.ProcessState.ExitCode(), rest
}

// sound checks the session file: whole lines, and the last answer as it should
// be.
func (d *driven) sound(lastStop string) {
	d.t.Helper()
	files, _ := filepath.Glob(filepath.Join(d.home, "agent", "sessions", "*", "*.jsonl"))
	if len(files) != 1 {
		d.t.Fatalf("%d session files", len(files))
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		d.t.Fatal(err)
	}
	if !bytes.HasSuffix(b, []byte("\n")) {
		d.t.Errorf("the file ends in the middle of a line: %q", b[max(0, len(b)-80):])
	}
	stop := ""
	for _, line := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			d.t.Errorf("a broken line: %q", line)
		}
		if r.Message.Role == "assistant" {
			stop = r.Message.StopReason
		}
	}
	if stop != lastStop {
		d.t.Errorf("the last answer in the file is %q, want %q", stop, lastStop)
	}
	if locks, _ := filepath.Glob(files[0] + ".*"); len(locks) > 1 {
		d.t.Errorf("left behind: %v", locks)
	}
}

// gone checks that the command that wrote its id to the file pid has ended.
func (d *driven) gone() {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.home, "pid"))
	if err != nil {
		d.t.Fatal(err)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	for end := time.Now().Add(5 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			d.t.Fatalf("the command (process %d) still runs", pid)
		}
	}
}

const (
	saysDone = `{"turns":[{"text":"Done."},{"text":"Done."}]}`
	sleeps   = `{"turns":[{"text":"I wait.","toolCalls":[{"name":"bash","arguments":{"command":"echo $$ > pid; echo ready; exec sleep 60"}}]},{"text":"Done."}]}`
)

// inTool waits until the command of sleeps runs.
func (d *driven) inTool() {
	d.t.Helper()
	d.until("output of the tool", func(r record) bool { return r.Type == "tool_execution_update" && strings.Contains(r.line, "ready") })
}

func TestRPCBadInput(t *testing.T) {
	d := drive(t, saysDone, "--mode", "rpc")
	for i, tt := range []struct{ in, command, err string }{
		{`{not json`, "parse", "failed to parse command"},
		{`[1,2]`, "undefined", "Unknown command: undefined"},
		{`null`, "undefined", "Unknown command: undefined"},
		{`{"type":"nonesuch"}`, "nonesuch", "Unknown command: nonesuch"},
		{`{"type":7}`, "7", "Unknown command: 7"},
		{`{"type":"prompt"}`, "prompt", "message is missing"},
		{`{"type":"prompt","message":5}`, "prompt", "message must be a string, not number"},
		{`{"type":"prompt","message":"x","images":"y"}`, "prompt", "images must be a list"},
		{`{"type":"prompt","message":"x","images":[{"data":"?","mimeType":"image/png"}]}`, "prompt", "is not base64"},
		{`{"type":"prompt","message":"x","streamingBehavior":"later"}`, "prompt", "there are steer and followUp"},
		{`{"type":"set_auto_retry"}`, "set_auto_retry", "enabled is missing"},
		{`{"type":"set_auto_retry","enabled":"yes"}`, "set_auto_retry", "enabled must be true or false"},
		{`{"type":"set_steering_mode","mode":"some"}`, "set_steering_mode", "there are all and one-at-a-time"},
		{`{"type":"set_thinking_level","level":"huge"}`, "set_thinking_level", "is no level"},
		{`{"type":"set_model","provider":"no","modelId":"such"}`, "set_model", "model not found: no/such"},
		{`{"type":"bash","command":[]}`, "bash", "command must be a string, not array"},
		{`{"type":"bash","command":" "}`, "bash", "command is empty"},
		{`{"type":"fork","entryId":"none"}`, "fork", "none"},
		{`{"type":"clone"}`, "clone", "not saved yet"},
		{`{"type":"switch_session","sessionPath":"script.json"}`, "switch_session", "not a session"},
		{`{"type":"export_html"}`, "export_html", "nothing in this session"},
		{`{"type":"compact"}`, "compact", "nothing to compact"},
		{`{"type":"extension_ui_response","id":"nobody","value":"x"}`, "", ""},
	} {
		d.send(tt.in)
		if tt.command == "" {
			continue
		}
		all := d.untilType("response")
		r := all[len(all)-1]
		if r.Success || r.Command != tt.command || !strings.Contains(r.Error, tt.err) {
			t.Errorf("%d: %s: %s", i, tt.in, r.line)
		}
	}
	// Any id comes back as it was; a CR and U+2028 break nothing.
	d.send(`{"id":{"a":[1]},"type":"get_last_assistant_text"}`+"\r", "", "  ", "{\"id\":\"x\",\"type\":\"set_session_name\",\"name\":\"a\u2028b\"}")
	if r := d.answer(`{"a":[1]}`); !r.Success || string(r.Data) != "{}" {
		t.Errorf("%s", r.line)
	}
	if r := d.answer(`"x"`); !r.Success {
		t.Errorf("%s", r.line)
	}
	d.in.Close()
	if status, _ := d.end(); status != 0 {
		t.Errorf("status %d, stderr %s", status, d.errs.String())
	}
}

func TestRPCTwoPromptsAtOnce(t *testing.T) {
	d := drive(t, `{"paceMs":5,"turns":[{"text":"one two three four five six seven eight nine ten"},{"text":"again"}]}`, "--mode", "rpc")
	d.send(`{"id":1,"type":"prompt","message":"a"}`, `{"id":2,"type":"prompt","message":"b"}`, `{"id":3,"type":"prompt","message":"c","streamingBehavior":"followUp"}`)
	if r := d.answer("1"); !r.Success || string(r.Data) != `{"disposition":"started"}` {
		t.Errorf("%s", r.line)
	}
	if r := d.answer("2"); r.Success || !strings.Contains(r.Error, "streamingBehavior") {
		t.Errorf("%s", r.line)
	}
	if r := d.answer("3"); !r.Success || string(r.Data) != `{"disposition":"queued"}` {
		t.Errorf("%s", r.line)
	}
	d.untilType("agent_settled")
	d.send(`{"id":4,"type":"get_last_assistant_text"}`)
	if r := d.answer("4"); string(r.Data) != `{"text":"again"}` {
		t.Errorf("%s", r.line)
	}
	d.in.Close()
	d.end()
	d.sound("stop")
}

func TestRPCEndsInGoodOrder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		end    func(d *driven)
		status int
		silent bool // nobody reads any more
	}{
		{"input closed during a tool", func(d *driven) { d.in.Close() }, 0, false},
		{"SIGTERM during a tool", func(d *driven) { d.cmd.Process.Signal(syscall.SIGTERM) }, 143, false},
		{"SIGINT during a tool", func(d *driven) { d.cmd.Process.Signal(syscall.SIGINT) }, 130, false},
		{"SIGHUP during a tool", func(d *driven) { d.cmd.Process.Signal(syscall.SIGHUP) }, 129, false},
		{"broken output during a tool", func(d *driven) {
			d.out.Close()
			d.send(`{"type":"get_state"}`)
		}, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := drive(t, sleeps, "--mode", "rpc")
			d.send(`{"id":1,"type":"prompt","message":"wait"}`)
			d.inTool()
			tt.end(d)
			if tt.silent {
				d.cmd.Wait()
				if status := d.cmd.ProcessState.ExitCode(); status != tt.status {
					t.Errorf("status %d", status)
				}
			} else {
				status, rest := d.end()
				if status != tt.status {
					t.Errorf("status %d, want %d; stderr %s", status, tt.status, d.errs.String())
				}
				if n := len(rest); n == 0 || rest[n-1].Type != "agent_settled" || !rest[n-1].Aborted {
					t.Errorf("it does not end with agent_settled: %v", rest)
				}
			}
			d.gone()
			d.sound("aborted")
		})
	}
}

// What a parent needs of a sub-agent: it can be cancelled, its status says how
// it ended, what it said and cost can be read.
func TestSubAgent(t *testing.T) {
	t.Run("answers", func(t *testing.T) {
		t.Parallel()
		d := drive(t, saysDone, "--mode", "json", "-p", "--no-session", "do it")
		d.in.Close()
		status, all := d.end()
		types := []string{}
		tokens, text := 0, ""
		for _, r := range all {
			types = append(types, r.Type)
			if r.Type == "message_end" && r.Message.Role == "assistant" {
				tokens += r.Message.Usage.TotalTokens
				text = r.line
			}
		}
		if status != 0 || types[0] != "session" || types[len(types)-1] != "agent_settled" || !strings.Contains(text, `"text":"Done."`) || tokens == 0 {
			t.Errorf("status %d, %d tokens, %v", status, tokens, types)
		}
		if files, _ := filepath.Glob(filepath.Join(d.home, "agent", "sessions", "*", "*")); len(files) > 0 {
			t.Errorf("it left %v", files)
		}
	})
	for _, tt := range []struct {
		signal syscall.Signal
		status int
	}{{syscall.SIGTERM, 143}, {syscall.SIGINT, 130}, {syscall.SIGHUP, 129}} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			t.Parallel()
			d := drive(t, sleeps, "--mode", "json", "-p", "--no-session", "wait")
			d.in.Close()
			d.inTool()
			began := time.Now()
			d.cmd.Process.Signal(tt.signal)
			status, rest := d.end()
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			if n := len(rest); n == 0 || rest[n-1].Type != "agent_settled" || !rest[n-1].Aborted {
				t.Errorf("it does not end with agent_settled: %v", rest)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			d.gone()
		})
	}
}

// resident returns the memory of the program in bytes.
func (d *driven) resident() int64 {
	d.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	if err != nil {
		d.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		d.t.Fatal(err)
	}
	return n << 10
}

// A client that does not read stalls what makes the records: the model's answer,
// the output of a command, its own commands. Nothing piles up meanwhile, and all
// goes on when it reads again.
func TestStalledClient(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	// 32 MB more than the program needs when it is idle is far less than what would
	// pile up.
	const most = 32 << 20
	stalled := func(t *testing.T, d *driven) {
		t.Helper()
		// It has stalled when its processor time stands still, or soon.
		highest := int64(0)
		for range 30 {
			time.Sleep(50 * time.Millisecond) // what is watched for is that nothing happens
			highest = max(highest, d.resident())
		}
		if highest > idle(t)+most {
			t.Errorf("%d MB, %d when idle", highest>>20, idle(t)>>20)
		}
	}
	t.Run("answer", func(t *testing.T) {
		words := strings.Repeat("word ", 60_000)
		d := drive(t, fmt.Sprintf(`{"paceMs":0,"turns":[{"text":%q}]}`, words), "--mode", "rpc")
		d.send(`{"id":1,"type":"prompt","message":"go"}`)
		d.answer("1")
		stalled(t, d)
		if files, _ := filepath.Glob(filepath.Join(d.home, "agent", "sessions", "*", "*.jsonl")); len(files) == 1 {
			if b, _ := os.ReadFile(files[0]); bytes.Contains(b, []byte("word word")) {
				t.Error("the agent went on without its client")
			}
		}
		var text strings.Builder
		for _, r := range d.untilType("agent_settled") {
			if r.Type == "message_update" {
				var u struct {
					Event struct{ Delta string } `json:"assistantMessageEvent"`
				}
				if err := json.Unmarshal([]byte(r.line), &u); err != nil {
					t.Fatal(err)
				}
				text.WriteString(u.Event.Delta)
			}
		}
		if text.String() != words {
			t.Errorf("%d bytes arrived, want %d", text.Len(), len(words))
		}
		d.in.Close()
		d.end()
	})
	t.Run("command", func(t *testing.T) {
		d := drive(t, saysDone, "--mode", "rpc")
		d.send(`{"id":1,"type":"bash","command":"yes"}`)
		d.untilType("bash_execution_update")
		stalled(t, d)
		d.send(`{"id":2,"type":"abort_bash"}`)
		if r := d.answer("1"); !r.Success || !strings.Contains(r.line, `"cancelled":true`) {
			t.Errorf("%.200s", r.line)
		}
		d.in.Close()
		d.end()
	})
	t.Run("commands", func(t *testing.T) {
		d := drive(t, saysDone, "--mode", "rpc")
		const n = 60_000
		sent := make(chan error, 1)
		go func() {
			_, err := io.WriteString(d.in, strings.Repeat(`{"type":"get_state"}`+"\n", n))
			sent <- err
		}()
		stalled(t, d)
		select {
		case <-sent:
			t.Error("all commands were taken, without an answer being read")
		default:
		}
		for range n {
			if _, ok := d.next(); !ok {
				t.Fatal("an answer is missing")
			}
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		d.in.Close()
		d.end()
	})
	t.Run("and leaves", func(t *testing.T) {
		d := drive(t, fmt.Sprintf(`{"turns":[{"text":%q}]}`, strings.Repeat("word ", 50_000)), "--mode", "rpc")
		d.send(`{"id":1,"type":"prompt","message":"go"}`)
		d.answer("1")
		d.cmd.Process.Signal(syscall.SIGTERM)
		d.cmd.Wait()
		if status := d.cmd.ProcessState.ExitCode(); status != 143 {
			t.Errorf("status %d", status)
		}
		d.sound("aborted")
	})
}

// idle is the memory of a program that has nothing to do.
func idle(t *testing.T) int64 {
	t.Helper()
	d := drive(t, saysDone, "--mode", "rpc")
	d.send(`{"id":1,"type":"get_state"}`)
	d.answer("1")
	n := d.resident()
	d.in.Close()
	d.end()
	return n
}

func BenchmarkRPCGetState(b *testing.B) {
	d := drive(b, saysDone, "--mode", "rpc")
	d.send(`{"id":0,"type":"get_state"}`)
	d.answer("0")
	for b.Loop() {
		// One op is 10,000 commands, the next sent only when the last is answered by a
		// program that pipelines a hundred.
		for range 100 {
			d.send(slices.Repeat([]string{`{"id":1,"type":"get_state"}`}, 100)...)
			for range 100 {
				if _, err := d.read.ReadSlice('\n'); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	d.in.Close()
}

func BenchmarkRPCGetStateOneByOne(b *testing.B) {
	d := drive(b, saysDone, "--mode", "rpc")
	for b.Loop() {
		for range 10_000 {
			d.send(`{"id":1,"type":"get_state"}`)
			if _, err := d.read.ReadSlice('\n'); err != nil {
				b.Fatal(err)
			}
		}
	}
	d.in.Close()
}
