package ai

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func sections(pairs ...string) Sections {
	var s Sections
	for i := 0; i < len(pairs); i += 2 {
		sec := Section{Name: pairs[i]}
		if pairs[i+1] != "-" {
			sec.Text = &pairs[i+1]
		}
		s = append(s, sec)
	}
	return s
}

// sketch writes a prepared request in one line for each part.
func sketch(p *Prepared) string {
	lines := []string{"system " + p.System, "tools " + toolNames(p.Tools), "effort " + string(p.Effort)}
	for _, m := range p.Messages {
		c, ok := m.(*Change)
		if !ok {
			lines = append(lines, short([]Message{m})...)
			continue
		}
		line := "change"
		if c.Text != "" {
			line += fmt.Sprintf(" %q", c.Text)
		}
		if len(c.Add) > 0 {
			line += " +" + toolNames(c.Add)
		}
		if len(c.Remove) > 0 {
			line += " -" + strings.Join(c.Remove, ",")
		}
		if c.Effort != "" {
			line += " effort " + string(c.Effort)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func toolNames(tools []ToolDef) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, ",")
}

func TestPrepareMidway(t *testing.T) {
	said := func(level ThinkingLevel, text string) *AssistantMessage {
		m := answer(StopEnd, &Text{Text: text})
		m.ThinkingLevel = level
		return m
	}
	ls, grep := ToolDef{Name: "ls"}, ToolDef{Name: "grep"}
	begin := &SystemMessage{Sections: sections("preamble", "be brief", "cwd", "/a"), ToolsAdded: []ToolDef{ls}}
	const (
		all    = `"supportsMidConvoSystemMessages":true,"supportsMidConvoToolChanges":true,"supportsMidConvoEffort":true`
		onlyA  = "be brief\n\n<cwd>\n/a\n</cwd>"
		onlyB  = "be brief\n\n<cwd>\n/b\n</cwd>"
		update = "The system prompt has changed. Each part below is new or takes the place of the part of the same name:"
	)
	patch := &SystemMessage{Sections: sections("cwd", "/b")}
	for _, tt := range []struct {
		name, api, compat string
		req               Request
		thinking          ThinkingLevel
		want              string
	}{
		{"folded", "", "", Request{System: onlyB, Tools: []ToolDef{ls}, Messages: []Message{begin, user("1"), said("high", "a"), patch, user("2")}}, "high",
			"system " + onlyB + "\ntools ls\neffort high\nuser \"1\"\nassistant \"a\"\nuser \"2\""},
		{"in place", "", all, Request{System: onlyB, Tools: []ToolDef{ls}, Messages: []Message{begin, user("1"), said("high", "a"), patch, user("2")}}, "high",
			"system " + onlyA + "\ntools ls\neffort high\nuser \"1\"\nassistant \"a\"\nchange \"" + update + `\n\n<cwd>\n/b\n</cwd>"` + "\nuser \"2\""},
		{"a section less", "", all, Request{System: "be brief", Tools: []ToolDef{ls}, Messages: []Message{begin, user("1"), said("high", "a"), &SystemMessage{Sections: sections("cwd", "-")}, user("2")}}, "high",
			"system " + onlyA + "\ntools ls\neffort high\nuser \"1\"\nassistant \"a\"\nchange \"No longer part of the system prompt: <cwd>\"\nuser \"2\""},
		{"the caller says something else", "", all, Request{System: "mine", Tools: []ToolDef{ls}, Messages: []Message{begin, user("1"), said("high", "a"), patch, user("2")}}, "high",
			"system mine\ntools ls\neffort high\nuser \"1\"\nassistant \"a\"\nuser \"2\""},
		{"no beginning", "", all, Request{System: onlyB, Messages: []Message{user("1"), said("high", "a"), patch, user("2")}}, "high",
			"system " + onlyB + "\ntools \neffort high\nuser \"1\"\nassistant \"a\"\nuser \"2\""},
		{"tools", "", all, Request{System: onlyA, Tools: []ToolDef{grep}, Messages: []Message{begin, user("1"), said("high", "a"),
			&SystemMessage{ToolsAdded: []ToolDef{grep}, ToolsRemoved: []ToolName{{"ls"}}}, user("2")}}, "high",
			"system " + onlyA + "\ntools ls\neffort high\nuser \"1\"\nassistant \"a\"\nchange +grep -ls\nuser \"2\""},
		{"a tool declared anew", "", all, Request{System: onlyA, Tools: []ToolDef{{Name: "ls", Description: "new"}}, Messages: []Message{begin, user("1"), said("high", "a"),
			&SystemMessage{ToolsAdded: []ToolDef{{Name: "ls", Description: "new"}}}, user("2")}}, "high",
			"system " + onlyA + "\ntools ls\neffort high\nuser \"1\"\nassistant \"a\"\nuser \"2\""},
		{"removal is not possible", "openai-completions", `"supportsMidConvoSystemMessages":true,"supportsMidConvoToolAdditions":true`,
			Request{System: onlyA, Tools: nil, Messages: []Message{begin, user("1"), said("high", "a"), &SystemMessage{ToolsRemoved: []ToolName{{"ls"}}}, user("2")}}, "high",
			"system " + onlyA + "\ntools \neffort high\nuser \"1\"\nassistant \"a\"\nuser \"2\""},
		{"text where tools are not possible", "openai-completions", `"supportsMidConvoSystemMessages":true`,
			Request{System: onlyB, Tools: []ToolDef{ls, grep}, Messages: []Message{begin, user("1"), said("high", "a"), &SystemMessage{Sections: sections("cwd", "/b"), ToolsAdded: []ToolDef{grep}}, user("2")}}, "high",
			"system " + onlyA + "\ntools ls,grep\neffort high\nuser \"1\"\nassistant \"a\"\nchange \"" + update + `\n\n<cwd>\n/b\n</cwd>"` + "\nuser \"2\""},
		{"effort", "", all, Request{Messages: []Message{user("1"), said("high", "a"), user("2"), said("low", "b"), user("3")}}, "max",
			"system \ntools \neffort high\nuser \"1\"\nassistant \"a\"\nuser \"2\"\nchange effort low\nassistant \"b\"\nuser \"3\"\nchange effort max"},
		{"effort that the model lacks", "", all, Request{Messages: []Message{user("1"), said("xhigh", "a"), user("2")}}, "high",
			"system \ntools \neffort high\nuser \"1\"\nassistant \"a\"\nuser \"2\""},
		{"effort is not possible", "", "", Request{Messages: []Message{user("1"), said("high", "a"), user("2")}}, "low",
			"system \ntools \neffort low\nuser \"1\"\nassistant \"a\"\nuser \"2\""},
		{"effort off", "", all, Request{Messages: []Message{user("1"), said("high", "a"), user("2")}}, "off",
			"system \ntools \neffort off\nuser \"1\"\nassistant \"a\"\nuser \"2\""},
	} {
		top := "max"
		m := &Model{ID: "m", Provider: "p", API: "anthropic-messages", Reasoning: true, Compat: json.RawMessage("{" + tt.compat + "}"),
			ThinkingLevelMap: map[ThinkingLevel]*string{ThinkingMax: &top, ThinkingXHigh: nil, ThinkingMedium: nil}}
		if tt.name == "effort that the model lacks" {
			m.ThinkingLevelMap = nil
		}
		if tt.api != "" {
			m.API = tt.api
		}
		got := sketch(Prepare(m, &tt.req, &Options{Thinking: tt.thinking}))
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// A conversation that grows keeps its beginning, and a change of level is no
// change of the prompt.
func TestPrepareGrows(t *testing.T) {
	m := &Model{ID: "m", Provider: "p", API: "anthropic-messages", Reasoning: true,
		Compat: json.RawMessage(`{"supportsMidConvoSystemMessages":true,"supportsMidConvoToolChanges":true,"supportsMidConvoEffort":true}`)}
	msgs := []Message{&SystemMessage{Sections: sections("preamble", "p", "n", "0"), ToolsAdded: []ToolDef{{Name: "t0"}}}}
	tools := []ToolDef{{Name: "t0"}}
	var before *Prepared
	var prefix *Prefix
	levels := []ThinkingLevel{ThinkingLow, ThinkingHigh, ThinkingHigh, ThinkingMedium}
	memo := &Memo{}
	for i := range 20 {
		n := fmt.Sprint(i)
		if i > 0 {
			tools = append(tools, ToolDef{Name: "t" + n})
			msgs = append(msgs, &SystemMessage{Sections: sections("n", n), ToolsAdded: []ToolDef{{Name: "t" + n}}})
		}
		msgs = append(msgs, user(n))
		req := &Request{System: "p\n\n<n>\n" + n + "\n</n>", Tools: tools, Messages: msgs}
		opts := &Options{Thinking: levels[i%len(levels)]}
		now := Prepare(m, req, opts)
		if before != nil && (now.System != before.System || !reflect.DeepEqual(now.Tools, before.Tools) || now.Effort != before.Effort ||
			!reflect.DeepEqual(now.Messages[:len(before.Messages)], before.Messages)) {
			t.Fatalf("round %d has another beginning:\n%s\nbefore\n%s", i, sketch(now), sketch(before))
		}
		opts.Memo = memo
		if again := Prepare(m, req, opts); sketch(again) != sketch(now) || again.Tokens != now.Tokens {
			t.Fatalf("round %d: with a memo\n%s\nwithout\n%s", i, sketch(again), sketch(now))
		}
		next := PrefixOf(m, req, opts)
		if prefix != nil {
			if change := prefix.Diff(next, 0, 0); change.Cause != PrefixSame {
				t.Fatalf("round %d: %s", i, change)
			}
		}
		before, prefix = now, next
		said := answer(StopEnd, &Text{Text: "answer " + n})
		said.ThinkingLevel = opts.Thinking
		msgs = append(msgs, said)
	}
}
