package toolargs

import (
	"encoding/json"
	"hash/fnv"
	"sort"

	"tau/ai"
	"tau/ai/openjson"
)

// Plain are the tools that a model calls with plain text instead of an object,
// because they have a grammar: by name, the argument that takes the text.
type Plain map[string]string

// PlainOf returns those among tools that have a grammar.
func PlainOf(lists ...[]ai.ToolDef) Plain {
	var plain Plain
	for _, tools := range lists {
		for _, t := range tools {
			if t.Grammar != nil && t.Grammar.Argument != "" {
				if plain == nil {
					plain = Plain{}
				}
				plain[t.Name] = t.Grammar.Argument
			}
		}
	}
	return plain
}

// State is a number that differs for other tools, 0 for none.
func (p Plain) State() int {
	if len(p) == 0 {
		return 0
	}
	lines := make([]string, 0, len(p))
	for name, arg := range p {
		lines = append(lines, name+"\x00"+arg+"\n")
	}
	sort.Strings(lines)
	h := fnv.New32a()
	for _, line := range lines {
		h.Write([]byte(line))
	}
	return int(h.Sum32()>>2) + 1
}

// Text returns the text that a call of tool name was made with, and whether
// the tool is called with text and the arguments have it.
func (p Plain) Text(name string, args json.RawMessage) (string, bool) {
	arg, ok := p[name]
	if !ok {
		return "", false
	}
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal(args, &members) != nil || json.Unmarshal(members[arg], &text) != nil {
		return "", false
	}
	return text, true
}

// Open begins the object of arguments of a call of tool name; pieces of text,
// escaped by [Escape], and [Shut] follow.
func (p Plain) Open(name string) string {
	arg := p[name]
	if arg == "" {
		arg = "input"
	}
	key, _ := openjson.Encode(arg) // strings can be encoded
	return "{" + string(key) + `:"`
}

// Escape writes text as the inside of a JSON string.
func Escape(text string) string {
	quoted, _ := openjson.Encode(text) // strings can be encoded
	return string(quoted[1 : len(quoted)-1])
}

// Shut ends what [Plain.Open] began.
const Shut = `"}`
