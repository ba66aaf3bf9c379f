package plain

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session"
	"tau/tui/text"
)

// resultLines is how much of a result is read out.
const resultLines = 8

// show writes what an event says. Answers come line by line, so that a screen
// reader does not hear half words.
func (t *talk) show(ev session.Event) {
	switch ev.Type {
	case session.RetryStart:
		t.say("tau", fmt.Sprintf("%s Trying again in %s.", ev.Retry.Reason, ev.Retry.Delay.Round(time.Second)))
	case session.CompactionStart:
		t.say("tau", "Summarising the conversation to make room.")
	case session.SaveFailed:
		t.say("Error", ev.Err.Error())
	case session.ShellUpdate:
		t.words("Command", ev.Delta)
	case session.ShellEnd:
		t.finishLine()
		t.runs--
		if ev.Err != nil {
			t.say("Error", ev.Err.Error())
		}
		if m := ev.Shell; m != nil && m.ExitCode != nil && *m.ExitCode != 0 {
			t.say("Command", fmt.Sprintf("exit status %d", *m.ExitCode))
		}
	case session.Settled:
		t.runs--
		t.say("tau", "Ready.")
	}
	switch ev.Agent.Type {
	case agent.MessageUpdate:
		if s := ev.Agent.Stream; s != nil && s.Type == ai.EventTextDelta {
			t.words("Answer", s.Delta)
		}
	case agent.MessageEnd:
		t.finishLine()
		if m, ok := ev.Agent.Message.(*ai.AssistantMessage); ok {
			switch m.StopReason {
			case ai.StopError:
				t.say("Error", m.ErrorMessage)
			case ai.StopAborted:
				t.say("tau", "Stopped.")
			case ai.StopLength:
				t.say("tau", "The answer was cut at the model's output limit.")
			}
		}
	case agent.ToolExecutionStart:
		what := ev.Agent.ToolName + " " + subject(ev.Agent.Args)
		t.calls[ev.Agent.ToolCallID] = ev.Agent.ToolName
		t.say("Tool", what)
	case agent.ToolExecutionEnd:
		t.result(ev.Agent)
	}
}

// subject is the argument that says most about a call.
func subject(args json.RawMessage) string {
	var m map[string]any
	if json.Unmarshal(args, &m) != nil {
		return ""
	}
	for _, key := range []string{"command", "path", "file_path", "pattern", "query", "url"} {
		if s, ok := m[key].(string); ok && s != "" {
			first, _, _ := strings.Cut(s, "\n")
			return first
		}
	}
	return ""
}

func (t *talk) result(ev agent.Event) {
	name := t.calls[ev.ToolCallID]
	delete(t.calls, ev.ToolCallID)
	if ev.Result == nil {
		return
	}
	out := strings.TrimRight(ai.ContentText(ev.Result.Content), "\n")
	lines := strings.Split(out, "\n")
	word := "done"
	if ev.Result.IsError {
		word = "failed"
	}
	switch {
	case out == "":
		t.say("Result", name+" "+word)
	case ev.Result.IsError || name == "bash":
		shown := lines[max(0, len(lines)-resultLines):]
		t.say("Result", fmt.Sprintf("%s %s, %d lines\n%s", name, word, len(lines), strings.Join(shown, "\n")))
	default:
		t.say("Result", fmt.Sprintf("%s %s, %d lines", name, word, len(lines)))
	}
}

// words takes a piece of a text and writes the lines that are whole.
func (t *talk) words(who, piece string) {
	if t.who != who && t.partial.Len() > 0 {
		t.finishLine()
	}
	t.partial.WriteString(piece)
	all := t.partial.String()
	i := strings.LastIndexByte(all, '\n')
	if i < 0 {
		if t.who != who {
			t.begin(who)
		}
		return
	}
	t.partial.Reset()
	t.partial.WriteString(all[i+1:])
	if t.who != who {
		t.begin(who)
	}
	fmt.Fprintln(t.out, text.Sanitize(all[:i]))
}

// begin starts the words of somebody.
func (t *talk) begin(who string) {
	fmt.Fprint(t.out, who+": ")
	t.who = who
}

// finishLine writes what there is of the last line.
func (t *talk) finishLine() {
	if t.partial.Len() == 0 {
		return
	}
	fmt.Fprintln(t.out, text.Sanitize(t.partial.String()))
	t.partial.Reset()
	t.who = ""
}
