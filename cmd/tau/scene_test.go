package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scene is the real program in a real tmux.
type scene struct {
	t      *testing.T
	socket string
	home   string
	work   string
}

// newScene needs TAU_SCENES=1, as it takes its time, and tmux.
func newScene(t *testing.T) *scene {
	t.Helper()
	if os.Getenv("TAU_SCENES") == "" {
		t.Skip("TAU_SCENES is not set")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux")
	}
	home := t.TempDir()
	s := &scene{t: t, socket: fmt.Sprintf("tau-%d-%d", os.Getpid(), time.Now().UnixNano()), home: home, work: filepath.Join(home, "work")}
	if err := os.MkdirAll(filepath.Join(home, ".tau", "agent"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.work, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = exec.Command("tmux", "-L", s.socket, "kill-server").Run() })
	return s
}

func (s *scene) file(name, body string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.home, name), []byte(body), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-L", s.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// start opens a shell in a window of w by h and runs tau in it.
func (s *scene) start(w, h int, args string) {
	s.t.Helper()
	bin, err := tau()
	if err != nil {
		s.t.Fatal(err)
	}
	shell := fmt.Sprintf("cd %s; export HOME=%s PS1='$ ' TERM=tmux-256color PATH=%s:$PATH; unset ANTHROPIC_API_KEY OPENAI_API_KEY TAU_AGENT_DIR; exec sh", s.work, s.home, filepath.Dir(bin))
	s.tmux("new-session", "-d", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h), shell)
	s.see("$")
	s.keys("tau "+args, "Enter")
	s.see("╰")
}

// keys types: names of keys are tmux's, anything else is text.
func (s *scene) keys(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		switch k {
		case "Enter", "Escape", "M-Enter", "M-Up", "C-c", "C-d", "C-b", "C-z", "C-o", "PageUp", "C-End", "C-l":
			s.tmux("send-keys", k)
		default:
			s.tmux("send-keys", "-l", k)
		}
	}
}

func (s *scene) screen() string {
	s.t.Helper()
	return s.tmux("capture-pane", "-p")
}

// see waits until all parts are on the screen.
func (s *scene) see(parts ...string) string {
	s.t.Helper()
	return s.until(parts, func(screen string) bool {
		for _, p := range parts {
			if !strings.Contains(screen, p) {
				return false
			}
		}
		return true
	})
}

// gone waits until a part is off the screen.
func (s *scene) gone(part string) {
	s.t.Helper()
	s.until([]string{"no " + part}, func(screen string) bool { return !strings.Contains(screen, part) })
}

func (s *scene) until(what []string, ok func(string) bool) string {
	s.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		screen := s.screen()
		if ok(screen) {
			return screen
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%q did not come to be seen:\n%s", what, screen)
		}
		time.Sleep(15 * time.Millisecond)
	}
}

// quit leaves the program and waits for the shell.
func (s *scene) quit() {
	s.t.Helper()
	s.keys("C-d")
	s.gone("╰")
	s.keys("echo status $?", "Enter")
	s.see("status 0")
	s.keys("clear", "Enter")
	s.gone("status 0")
}

func (s *scene) sessionLines() []map[string]any {
	s.t.Helper()
	files, _ := filepath.Glob(filepath.Join(s.home, ".tau/agent/sessions/*/*.jsonl"))
	if len(files) == 0 {
		s.t.Fatal("no session file")
	}
	b, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		s.t.Fatal(err)
	}
	var out []map[string]any
	for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			s.t.Fatalf("line %q: %v", l, err)
		}
		out = append(out, m)
	}
	return out
}

func (s *scene) processes(pattern string) int {
	out, _ := exec.Command("pgrep", "-f", pattern).Output()
	return len(strings.Fields(string(out)))
}

func TestSceneDemoChangesAFile(t *testing.T) {
	s := newScene(t)
	s.file("work/notes.txt", "hello world\nand hello again\n")
	s.start(100, 30, "")
	s.see("demo (offline)")
	s.keys(`replace "hello" with "goodbye" in notes.txt`, "Enter")
	s.see("✓ edit", "− hello world", "+ goodbye world")
	b, err := os.ReadFile(filepath.Join(s.work, "notes.txt"))
	if err != nil || string(b) != "goodbye world\nand goodbye again\n" {
		t.Errorf("file %q %v", b, err)
	}
	s.quit()
}

// Twenty calls, four at a time, in both protocols; a steering message typed
// during a batch goes in after its results, a follow-up when the agent would
// stop, each exactly once.
func TestSceneToolsSteeringAndFollowUp(t *testing.T) {
	for _, model := range []string{"a/m", "o/m"} {
		t.Run(model[:1], func(t *testing.T) {
			s := newScene(t)
			p := newProvider(t)
			s.file(".tau/agent/models.json", p.config())
			s.start(100, 30, "--model "+model)
			s.keys("calls 20", "Enter")
			s.see("call-")
			s.keys("look here", "Enter", "and later this", "M-Enter")
			s.see("heard: and later this")
			s.gone("working")
			var steered, followed int
			reqs := p.sent()
			for i, r := range reqs {
				last := r.turns[len(r.turns)-1]
				switch {
				case last == "user:look here":
					steered++
					if before := r.turns[len(r.turns)-2]; !strings.HasPrefix(before, "results:") {
						t.Errorf("steered after %s", before)
					}
					// The batch before it was whole.
					if n := results(r.turns); n%4 != 0 {
						t.Errorf("steered after %d results", n)
					}
				case last == "user:and later this":
					followed++
					if i != len(reqs)-1 || results(r.turns) != 20 {
						t.Errorf("follow-up in request %d of %d after %d results", i+1, len(reqs), results(r.turns))
					}
				}
			}
			if steered != 1 || followed != 1 {
				t.Errorf("steered %d times, followed up %d times", steered, followed)
			}
			s.quit()

			// The same goes on after --continue, and in print mode.
			s.keys("tau --continue", "Enter")
			s.see("heard: and later this")
			s.keys("calls 8", "Enter")
			s.see("done: calls 8")
			s.quit()
			if got := len(p.sent()); got < len(reqs)+3 {
				t.Errorf("%d requests after --continue", got-len(reqs))
			}
			s.keys("clear; tau -p --continue 'calls 20' | cat", "Enter")
			s.see("done: calls 20")
		})
	}
}

func results(turns []string) int {
	n := 0
	for _, t := range turns {
		var k int
		if _, err := fmt.Sscanf(t, "results:%d", &k); err == nil {
			n += k
		}
	}
	return n
}

func TestSceneEscStopsACommand(t *testing.T) {
	s := newScene(t)
	s.start(100, 30, "")
	s.keys("run sleep 61.5", "Enter")
	s.see("⠋ bash", "sleep 61.5")
	for s.processes("sleep 61.5") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	s.keys("queued text", "M-Enter")
	s.see("follow-up 1")
	start := time.Now()
	s.keys("Escape")
	for strings.Contains(s.screen(), "working") {
		if time.Since(start) > 3*time.Second {
			t.Fatal("still working")
		}
	}
	took := time.Since(start)
	// The measure includes a tmux command or two of some milliseconds each, and a
	// busy machine may stop everything for a second.
	t.Logf("the prompt was back after %v", took)
	if took > 1500*time.Millisecond {
		t.Errorf("the prompt was back after %v", took)
	}
	s.see("│ queued text")
	deadline := time.Now().Add(2 * time.Second)
	for s.processes("sleep 61.5") > 0 {
		if time.Now().After(deadline) {
			t.Fatal("the command is still running")
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.keys("C-c")
	s.quit()
	// Every call has its result, and the conversation goes on.
	calls, answers := 0, 0
	for _, l := range s.sessionLines() {
		b, _ := json.Marshal(l)
		calls += strings.Count(string(b), `"type":"toolCall"`)
		answers += strings.Count(string(b), `"role":"toolResult"`)
	}
	if calls != 1 || answers != 1 {
		t.Errorf("%d calls, %d results", calls, answers)
	}
	s.keys("tau -c", "Enter")
	s.see("sleep 61.5", "Stopped.")
	s.keys("run echo still-$((40+2))", "Enter")
	s.see("still-42")
	s.quit()
}

func TestSceneEscStopsAnAnswer(t *testing.T) {
	for _, model := range []string{"a/m", "o/m"} {
		t.Run(model[:1], func(t *testing.T) {
			s := newScene(t)
			p := newProvider(t)
			s.file(".tau/agent/models.json", p.config())
			s.start(90, 24, "--model "+model)
			s.keys("please hang", "Enter")
			s.see("half an answer", "working")
			start := time.Now()
			s.keys("Escape")
			s.gone("working")
			t.Logf("the prompt was back after %v", time.Since(start))
			s.see("Stopped.", "half an answer")
			s.keys("still there?", "Enter")
			s.see("heard: ", "still there?\n")
			s.quit()
		})
	}
}

func TestSceneResizeWhileItWorks(t *testing.T) {
	s := newScene(t)
	s.start(100, 30, "")
	s.keys("help", "Enter")
	for _, size := range [][2]int{{60, 20}, {40, 12}, {120, 40}, {20, 5}, {100, 30}} {
		s.tmux("resize-window", "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]))
		time.Sleep(50 * time.Millisecond)
	}
	s.see("Choose a real model", "demo (offline)")
	screen := s.screen()
	if strings.Count(screen, "Choose a real model") != 1 || strings.Count(screen, "╭─") != 1 {
		t.Errorf("after resizing:\n%s", screen)
	}
	s.quit()
}

func TestSceneSuspend(t *testing.T) {
	s := newScene(t)
	s.start(90, 24, "")
	s.keys("a draft", "C-z")
	s.until([]string{"the shell"}, func(screen string) bool { return !strings.Contains(screen, "╰") })
	s.keys("echo in-the-$((1+1))nd-shell", "Enter")
	s.see("in-the-2nd-shell")
	s.keys("fg", "Enter")
	s.see("│ a draft", "demo (offline)")
	s.keys("C-c")
	s.quit()
}

func TestScenePaste(t *testing.T) {
	s := newScene(t)
	s.start(90, 24, "")
	s.file("paste.txt", strings.Repeat("a line of pasted text\n", 30))
	s.tmux("load-buffer", filepath.Join(s.home, "paste.txt"))
	s.tmux("paste-buffer", "-p")
	s.see("[paste #1 +")
	s.keys(" what is this?", "Enter")
	s.see("a line of pasted text")
	s.gone("working")
	s.quit()
}

func TestSceneDumbTerminalAndSmallWindow(t *testing.T) {
	s := newScene(t)
	bin, err := tau()
	if err != nil {
		t.Fatal(err)
	}
	s.tmux("new-session", "-d", "-x", "80", "-y", "20", fmt.Sprintf("cd %s; HOME=%s TERM=dumb %s; echo status $?; exec sh", s.work, s.home, bin))
	s.see("TERM=dumb", "status 1")
	s.tmux("resize-window", "-x", "20", "-y", "5")
	s.keys("clear; TERM=tmux-256color HOME="+s.home+" "+bin, "Enter")
	s.see("demo")
	s.keys("hi", "Enter", "C-d")
	s.until([]string{"an end"}, func(screen string) bool { return !strings.Contains(screen, "─") })
}

func TestSceneBackground(t *testing.T) {
	s := newScene(t)
	s.start(100, 30, "")
	s.keys("run sleep 62.5", "Enter")
	s.see("sleep 62.5", "ctrl+b to background")
	for s.processes("sleep 62.5") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	s.keys("C-b")
	s.gone("working")
	s.keys("/jobs", "Enter")
	s.see("Background jobs", "job-1", "running since")
	s.keys("Escape")
	s.gone("Background jobs")
	// What runs in the background ends with the program.
	s.quit()
	if n := s.processes("sleep 62.5"); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}
