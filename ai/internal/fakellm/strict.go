package fakellm

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// sign is the signature of thoughts and calls in answers of api.
func sign(api, text string) string {
	sum := sha256.Sum256([]byte(api + "\x00" + text))
	return base64.StdEncoding.EncodeToString(sum[:18])
}

// validID reports whether id has the form of the ids of calls in api.
func validID(api, id string) bool {
	plain := strings.IndexFunc(id, func(c rune) bool { return !letter(c) && c != '_' && c != '-' }) < 0
	switch api {
	case "anthropic-messages":
		return plain && id != ""
	case "bedrock-converse-stream":
		return plain && id != "" && len(id) <= 64
	case "mistral-conversations":
		return plain && len(id) == 9 && !strings.ContainsAny(id, "_-")
	case "openai-completions":
		return id != "" && len(id) <= 40
	case "openai-responses":
		return id != "" && len(id) <= 64
	}
	return true
}

func letter(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// check returns why a strict vendor refuses the prompt, "" if it does not.
func (p *prompt) check(proto *protocol) string {
	for _, t := range p.tools {
		if !validID("bedrock-converse-stream", t.name) {
			return fmt.Sprintf("tools: name %q is invalid", t.name)
		}
		if len(t.schema) > 0 && (!json.Valid(t.schema) || t.schema[0] != '{') {
			return fmt.Sprintf("tools: the schema of %s is not an object", t.name)
		}
	}
	first := 0
	for first < len(p.turns) && p.turns[first].role == "system" {
		first++
	}
	if first == len(p.turns) {
		return "messages: at least one message is required"
	}
	if p.turns[first].role != "user" && proto.api != "openai-completions" && proto.api != "openai-responses" {
		return "messages: the first message must be the user's"
	}
	if last := p.turns[len(p.turns)-1].role; last != "user" && last != "tool" {
		return "messages: the last message must be the user's or a tool's"
	}
	used := map[string]bool{}
	for i := first; i < len(p.turns); i++ {
		t := &p.turns[i]
		where := fmt.Sprintf("messages.%d", i)
		switch {
		case t.role == "system" && proto.api != "openai-completions" && proto.api != "openai-responses":
			return where + ": a system message must come first"
		case t.blank:
			return where + ": text content blocks must be non-empty"
		case t.role == "tool" && (i == 0 || p.turns[i-1].role != "assistant" || len(p.turns[i-1].calls) == 0):
			return where + ": a result without a call directly before it"
		case i > 0 && t.role == "user" && proto.api == "mistral-conversations" && p.turns[i-1].role == "tool":
			return where + `: Unexpected role "user" after role "tool"`
		}
		for _, th := range t.thoughts {
			if want := sign(proto.api, th.text); signed(proto.api) && th.signature != want {
				return where + ": invalid signature in thinking block"
			}
		}
		if len(t.calls) == 0 {
			continue
		}
		if why := pair(proto.api, t.calls, i, p.turns); why != "" {
			return where + ": " + why
		}
		for n, c := range t.calls {
			if !validID(proto.api, c.id) {
				return fmt.Sprintf("%s: the id %q of a call has a wrong form", where, c.id)
			}
			if c.id != "" && used[c.id] {
				return fmt.Sprintf("%s: the id %q of a call is not unique", where, c.id)
			}
			used[c.id] = true
			if !json.Valid([]byte(c.args)) || !strings.HasPrefix(c.args, "{") {
				return where + ": the arguments of a call are not an object"
			}
			if proto.api == "bedrock-converse-stream" && len(p.tools) == 0 {
				return "The toolConfig field must be defined when using toolUse and toolResult content blocks."
			}
			if proto.api == "google-generative-ai" && n == 0 && !strings.Contains(p.model, "gemini-2") && // which do not sign
				c.signature != sign(proto.api, c.name) && c.signature != "skip_thought_signature_validator" {
				return fmt.Sprintf("%s: function call %s is missing a thought_signature", where, c.name)
			}
			if c.name == "" {
				return where + ": a call has no name"
			}
		}
	}
	return ""
}

// signed reports whether thoughts of the protocol carry a signature.
func signed(api string) bool {
	switch api {
	case "anthropic-messages", "bedrock-converse-stream", "openai-responses":
		return true
	}
	return false
}

// pair checks that each call of turn i has exactly one result in the turn after
// it, and each result a call.
func pair(api string, calls []call, i int, turns []turn) string {
	if i+1 == len(turns) || turns[i+1].role != "tool" {
		return "calls without a result directly after them"
	}
	results := turns[i+1].results
	if len(results) != len(calls) {
		return fmt.Sprintf("%d calls but %d results", len(calls), len(results))
	}
	open := map[string]int{}
	for n, c := range calls {
		open[c.id]++
		if api == "google-generative-ai" && (results[n].name != c.name || results[n].id != c.id) {
			return fmt.Sprintf("the response %d is to %s, the call was %s", n, results[n].name, c.name)
		}
	}
	for _, r := range results {
		if open[r.id]--; open[r.id] < 0 {
			return fmt.Sprintf("the result %q has no call", r.id)
		}
	}
	return ""
}
