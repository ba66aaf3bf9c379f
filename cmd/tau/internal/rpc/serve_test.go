package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/cli"
)

// serve runs a connection in this process, where the race detector sees it. It
// returns what sends a line, what reads the next record, and what ends it and
// gives the status.
func serve(t *testing.T, script string) (send func(string), next func() map[string]any, end func() int) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TAU_AGENT_DIR", filepath.Join(dir, "agent"))
	path := filepath.Join(dir, "script.json")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := app.NewIn(dir, cli.Options{Mode: "rpc", Script: path}, "test")
	if err != nil {
		t.Fatal(err)
	}
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	var errs bytes.Buffer
	status := make(chan int, 1)
	go func() {
		status <- Serve(a, in, out, &errs)
		a.Close()
		out.Close()
	}()
	lines := bufio.NewReaderSize(outR, 1<<20)
	next = func() map[string]any {
		t.Helper()
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("no record: %v; %s", err, errs.String())
		}
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		return r
	}
	send = func(s string) {
		if _, err := io.WriteString(inW, s+"\n"); err != nil {
			t.Error(err)
		}
	}
	return send, next, func() int {
		inW.Close()
		go io.Copy(io.Discard, lines)
		return <-status
	}
}

// All commands in any state, as fast as they are taken: each is answered, once.
func TestEveryCommandIsAnswered(t *testing.T) {
	turns := strings.TrimSuffix(strings.Repeat(`{"text":"one two three","toolCalls":[{"name":"ls","arguments":{"path":"."}}]},{"text":"done"},`, 200), ",")
	send, next, end := serve(t, `{"paceMs":0,"turns":[`+turns+`]}`)
	commands := []string{
		`"prompt","message":"a"`, `"prompt","message":"b","streamingBehavior":"steer"`, `"steer","message":"c"`, `"follow_up","message":"d"`,
		`"get_state"`, `"get_messages"`, `"get_entries"`, `"get_tree"`, `"get_session_stats"`, `"get_last_assistant_text"`, `"get_commands"`,
		`"get_fork_messages"`, `"bash","command":"echo x"`, `"bash","command":"sleep 30"`, `"abort_bash"`, `"set_session_name","name":"n"`,
		`"set_auto_retry","enabled":true`, `"set_auto_compaction","enabled":true`, `"abort_retry"`, `"set_steering_mode","mode":"all"`,
		`"set_follow_up_mode","mode":"all"`, `"get_available_models"`, `"set_model","provider":"demo","modelId":"demo"`, `"cycle_model"`,
		`"set_thinking_level","level":"off"`, `"cycle_thinking_level"`, `"get_available_thinking_levels"`, `"clear_queue"`, `"compact"`,
		`"export_html"`, `"clone"`, `"fork","entryId":"none"`, `"abort"`, `"new_session"`, `"switch_session","sessionPath":"none"`, `"nonesuch"`,
	}
	for name := range handlers() {
		found := false
		for _, c := range commands {
			found = found || strings.HasPrefix(c, `"`+name+`"`)
		}
		if !found {
			t.Errorf("%s is not tried", name)
		}
	}
	const rounds = 4
	go func() {
		for round := range rounds {
			for i, c := range commands {
				send(fmt.Sprintf(`{"id":%d,"type":%s}`, round*len(commands)+i, c))
			}
		}
	}()
	answers := map[float64]int{}
	for len(answers) < rounds*len(commands) {
		r := next()
		if r["type"] != "response" {
			continue
		}
		answers[r["id"].(float64)]++
		if answers[r["id"].(float64)] > 1 {
			t.Errorf("answered twice: %v", r)
		}
	}
	if status := end(); status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestMCPCommand(t *testing.T) {
	send, next, end := serve(t, `{"turns":[]}`)
	until := func(typ string) map[string]any {
		t.Helper()
		for {
			if r := next(); r["type"] == typ {
				return r
			}
		}
	}
	send(`{"type":"get_commands","id":"1"}`)
	b, err := json.Marshal(until("response"))
	if err != nil || !strings.Contains(string(b), `"builtin:mcp"`) {
		t.Errorf("%s %v", b, err)
	}
	send(`{"type":"prompt","id":"2","message":"/mcp"}`)
	if r := until("extension_ui_request"); r["method"] != "notify" || !strings.Contains(fmt.Sprint(r["message"]), "no MCP servers") {
		t.Errorf("%v", r)
	}
	if r := until("response"); r["id"] != "2" || fmt.Sprint(r["data"]) != "map[disposition:handled]" {
		t.Errorf("%v", r)
	}
	if status := end(); status != 0 {
		t.Errorf("status %d", status)
	}
}
