package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSceneWalkThrough plays testdata/walkthrough.txt in both renderers. That
// it touches every command and key is held by a test of the application.
func TestSceneWalkThrough(t *testing.T) {
	script, err := os.ReadFile("testdata/walkthrough.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"fullscreen", "regular"} {
		t.Run(mode, func(t *testing.T) {
			s := newScene(t)
			notes := "hello world\n"
			for i := range 18 {
				notes += fmt.Sprintf("line %d\n", i+2)
			}
			s.file("work/notes.txt", notes)
			s.file("work/AGENTS.md", "Be brief.\n")
			for _, dir := range []string{"prompts", "skills/hello"} {
				if err := os.MkdirAll(filepath.Join(s.home, ".tau/agent", dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			s.file(".tau/agent/prompts/greet.md", "Greet $1 kindly, then say Ready\n")
			s.file(".tau/agent/skills/hello/SKILL.md", "---\nname: hello\ndescription: Says hello.\n---\nSay hello.\n")
			s.file(".tau/agent/models.json", `{"providers":{"lab":{"baseUrl":"http://127.0.0.1:1","api":"anthropic-messages","apiKey":"k","models":[{"id":"one"},{"id":"two","reasoning":true}]}}}`)
			editor := filepath.Join(s.home, "editor.sh")
			if err := os.WriteFile(editor, []byte("#!/bin/sh\nprintf ' from the editor' >> \"$1\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			s.file(".tau/agent/settings.json", fmt.Sprintf(`{"externalEditor":%q}`, editor))
			s.start(100, 40, "--model demo --offline --tui-mode "+mode)
			s.walk(string(script), mode)
		})
	}
}

// walk plays a script, see its head.
func (s *scene) walk(script, mode string) {
	s.t.Helper()
	step, skip, steps := "", false, 0
	for n, line := range strings.Split(script, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		if s.t.Failed() {
			s.t.Fatalf("line %d, step %q", n+1, step)
		}
		switch {
		case line == "" || word == "#" || line == "#":
			continue
		case word == "==":
			step, skip = rest, false
			steps++
			continue
		case word == "only":
			skip = rest != mode
		}
		if skip {
			continue
		}
		where := fmt.Sprintf("line %d, step %q: ", n+1, step)
		switch word {
		case "only":
		case "type":
			s.tmux("send-keys", "-l", rest)
		case "key":
			_, name, _ := strings.Cut(rest, " ")
			s.press(name)
		case "press":
			s.press(rest)
		case "see":
			s.untilAt(where+rest, func(screen string) bool { return strings.Contains(screen, rest) })
		case "gone":
			s.untilAt(where+"no "+rest, func(screen string) bool { return !strings.Contains(screen, rest) })
		default:
			s.t.Fatalf("line %d: %q is no step", n+1, line)
		}
	}
	s.t.Logf("%d steps", steps)
}

func (s *scene) untilAt(what string, ok func(string) bool) { s.t.Helper(); s.until([]string{what}, ok) }

// press sends a key by its name in key bindings: as older terminals do if they
// have a way, else in the Kitty protocol.
func (s *scene) press(name string) {
	s.t.Helper()
	plain := map[string]string{
		"enter": "\r", "escape": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "backspace": "\x7f", "alt+backspace": "\x1b\x7f", "delete": "\x1b[3~", "home": "\x1b[H", "end": "\x1b[F",
		"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "pageUp": "\x1b[5~", "pageDown": "\x1b[6~", "alt+enter": "\x1b\r", "ctrl+]": "\x1d", "ctrl+alt+]": "\x1b\x1d", "ctrl+-": "\x1f",
	}
	seq, ok := plain[name]
	if !ok {
		parts := strings.Split(name, "+")
		base, mod := parts[len(parts)-1], 1
		for _, m := range parts[:len(parts)-1] {
			mod += map[string]int{"shift": 1, "alt": 2, "ctrl": 4}[m]
		}
		switch {
		case len(base) == 1 && mod == 5 && base[0] >= 'a' && base[0] <= 'z':
			seq = string(rune(base[0] & 0x1f))
		case len(base) == 1 && mod == 2:
			seq = strings.ToUpper(base)
		case len(base) == 1 && mod == 3:
			seq = "\x1b" + base
		case len(base) == 1:
			seq = fmt.Sprintf("\x1b[%d;%du", base[0], mod)
		case base == "enter":
			seq = fmt.Sprintf("\x1b[13;%du", mod)
		case base == "backspace":
			seq = fmt.Sprintf("\x1b[127;%du", mod)
		case base == "pageUp" || base == "pageDown":
			seq = fmt.Sprintf("\x1b[%d;%d~", map[string]int{"pageUp": 5, "pageDown": 6}[base], mod)
		default:
			final := map[string]string{"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}[base]
			if final == "" {
				s.t.Fatalf("no bytes for the key %s", name)
			}
			seq = fmt.Sprintf("\x1b[1;%d%s", mod, final)
		}
	}
	args := []string{"send-keys", "-H"}
	for _, b := range []byte(seq) {
		args = append(args, fmt.Sprintf("%02x", b))
	}
	s.tmux(args...)
}
