package fakellm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"sync"
)

// prompt is a request, by whatever protocol it came.
type prompt struct {
	model string
	tools []tool
	turns []turn
	parts []promptPart
	marks bool // the request asks for its cache to be reported
}

type tool struct {
	name   string
	schema json.RawMessage
}

// turn is one message, or a part of one: results of tools are turns of their
// own, with the role tool.
type turn struct {
	role     string // system, user, assistant, tool
	text     string
	blank    bool // there is a text without anything in it
	images   int
	calls    []call
	results  []result
	thoughts []thought
}

type call struct {
	id, name, args string
	signature      string
}

type result struct{ id, name string }

type thought struct{ text, signature string }

// promptPart is a piece of the prompt, in order; its hash covers all before it.
type promptPart struct {
	hash   uint64
	tokens int
}

// add appends raw JSON to the parts that a cache of prompts would know again.
func (p *prompt) add(raw []byte) {
	raw = marks().ReplaceAll(raw, nil)
	h := fnv.New64a()
	if n := len(p.parts); n > 0 {
		fmt.Fprintf(h, "%x|", p.parts[n-1].hash)
	}
	h.Write(raw)
	p.parts = append(p.parts, promptPart{h.Sum64(), max(1, len(raw)/4)})
}

// marks are what vendors want where a cache should end; they move from request
// to request and are no part of the prompt.
var marks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`,\{"cachePoint":\{[^}]*\}\}|,"cache_control":\{[^}]*\}`)
})

// directive is what the newest user turn that has one asks for.
func (p *prompt) directive() directive {
	d, _ := p.find()
	return d
}

func (p *prompt) find() (directive, int) {
	for i := len(p.turns) - 1; i >= 0; i-- {
		if p.turns[i].role == "user" {
			if d, ok := parseDirective(p.turns[i].text); ok {
				return d, i
			}
		}
	}
	return directive{}, -1
}

// callsAfter counts the calls made after turn at.
func (p *prompt) callsAfter(at int) int {
	n := 0
	for _, t := range p.turns[at+1:] {
		n += len(t.calls)
	}
	return n
}

// decode reads a request and refuses members that it does not know.
func decode(body []byte, into any) string {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err.Error()
	}
	return ""
}

// texts reads a string, or the texts of a list of parts, each by itself.
func texts(raw json.RawMessage) []string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []string{s}
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(raw, &parts)
	var out []string
	for _, p := range parts {
		out = append(out, p.Text)
	}
	return out
}
