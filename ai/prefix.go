package ai

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strings"
	"sync"
	"time"
)

// A provider's prompt cache finds the beginning of a request again if it is
// the same to the byte. [PrefixOf] remembers what a request consisted of, in
// hashes; [Prefix.Diff] names what of it has changed in the next one, and
// [CacheLoss] tells from the counts of two answers whether that cost anything.
//
//	next := ai.PrefixOf(model, &req, &opts)
//	// ... after the answer:
//	if lost := ai.CacheLoss(last.Usage, answer.Usage); lost > 0 {
//		why := prefix.Diff(next, elapsed, lifetime)
//		notify(fmt.Sprintf("%d tokens were not found in the prompt cache: %s", lost, why))
//	}
//	prefix = next

// Prefix is what a request consisted of. It is immutable.
type Prefix struct {
	model    string
	settings string // what some providers count as part of the prompt
	system   uint64
	tools    []namedHash
	messages []uint64 // of the messages that are sent, in order
	index    []int    // of each of them in the request
}

type namedHash struct {
	name string
	hash uint64
}

// PrefixOf remembers a request. It reads all of its text once; of messages
// that opts.Memo knows it reads nothing.
func PrefixOf(model *Model, req *Request, opts *Options) *Prefix {
	sent := unfold(model, req)
	p := &Prefix{model: model.Ref(), settings: string(opts.Cache), system: hashOf(sent.System)}
	if opts.Thinking == ThinkingOff || !model.Midway().Effort {
		p.settings += " " + string(opts.Thinking)
	}
	for _, t := range sent.Tools {
		p.tools = append(p.tools, namedHash{t.Name, hashOf(t.Name, t.Description, string(t.Parameters))})
	}
	p.messages, p.index = make([]uint64, 0, len(sent.Messages)), make([]int, 0, len(sent.Messages))
	sums := opts.Memo.sums(sent.Messages)
	for i, sum := range sums {
		if sum.sent {
			p.messages = append(p.messages, sum.hash)
			p.index = append(p.index, i)
		}
	}
	return p
}

// messageSum is the hash of a message, and whether any of it is sent.
type messageSum struct {
	hash uint64
	sent bool
}

// sums hashes messages, or remembers their hashes, and forgets those of others.
func (m *Memo) sums(msgs []Message) []messageSum {
	out := make([]messageSum, len(msgs))
	if m == nil {
		for i, msg := range msgs {
			out[i] = sumOf(msg)
		}
		return out
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known := 0
	fresh := false
	for i, msg := range msgs {
		if !isSent(msg) {
			continue
		}
		sum, ok := m.hashes[msg]
		if ok {
			known++
		} else {
			sum, fresh = sumOf(msg), true
		}
		out[i] = sum
	}
	if len(m.hashes) > 2*known+64 {
		m.hashes, fresh = nil, true
	}
	if !fresh {
		return out
	}
	if m.hashes == nil {
		m.hashes = make(map[Message]messageSum, len(msgs))
	}
	for i, msg := range msgs {
		if isSent(msg) {
			m.hashes[msg] = out[i]
		}
	}
	return out
}

// isSent reports whether m is of a kind that is sent. Other kinds may not even
// be comparable.
func isSent(m Message) bool {
	switch m.(type) {
	case *UserMessage, *AssistantMessage, *ToolResultMessage, *Change:
		return true
	}
	return false
}

// PrefixCause says which part of a request has changed.
type PrefixCause string

// The causes, in the order in which parts come in a request.
const (
	PrefixSame     PrefixCause = ""         // nothing: the provider lost it
	PrefixExpired  PrefixCause = "expired"  // nothing, but the cache's time was over
	PrefixModel    PrefixCause = "model"    // another model has another cache
	PrefixTools    PrefixCause = "tools"    // declared tools
	PrefixSystem   PrefixCause = "system"   // the system prompt
	PrefixSettings PrefixCause = "settings" // thinking level or cache retention
	PrefixHistory  PrefixCause = "history"  // a message that had been sent
)

// PrefixChange is why a prefix was not found again.
type PrefixChange struct {
	Cause PrefixCause
	// Message is the index, in the request, of the first message that differs or
	// is gone, for PrefixHistory.
	Message int
	// Detail names what changed: the tools, or the models before and after.
	Detail string
}

// String returns a short clause, such as "the system prompt changed".
func (c PrefixChange) String() string {
	switch c.Cause {
	case PrefixModel:
		return "the model changed (" + c.Detail + ")"
	case PrefixTools:
		return "the tools changed (" + c.Detail + ")"
	case PrefixSystem:
		return "the system prompt changed"
	case PrefixSettings:
		return "the thinking level or the cache retention changed"
	case PrefixHistory:
		return fmt.Sprintf("the history was edited at message %d", c.Message+1)
	case PrefixExpired:
		return "the time of the cache was over"
	}
	return "the provider did not find the unchanged prompt"
}

// Diff returns the first change from p to next, a later request of the same
// conversation. A request that only grew has none; then elapsed, the time since
// the last request, and lifetime, how long the provider keeps a prompt (0 for
// unknown), tell whether it was simply too late.
func (p *Prefix) Diff(next *Prefix, elapsed, lifetime time.Duration) PrefixChange {
	switch {
	case p.model != next.model:
		return PrefixChange{Cause: PrefixModel, Detail: p.model + " → " + next.model}
	case !sameTools(p.tools, next.tools):
		return PrefixChange{Cause: PrefixTools, Detail: toolChanges(p.tools, next.tools)}
	case p.system != next.system:
		return PrefixChange{Cause: PrefixSystem}
	}
	for i, h := range p.messages {
		if i == len(next.messages) {
			return PrefixChange{Cause: PrefixHistory, Message: p.index[i]}
		}
		if next.messages[i] != h {
			return PrefixChange{Cause: PrefixHistory, Message: next.index[i]}
		}
	}
	switch {
	case p.settings != next.settings:
		return PrefixChange{Cause: PrefixSettings}
	case lifetime > 0 && elapsed > lifetime:
		return PrefixChange{Cause: PrefixExpired}
	}
	return PrefixChange{}
}

// CacheLoss returns how many tokens the answer before had read from or written
// to the prompt cache that were not read again, 0 if that is within what
// providers round off. It is 0 too for providers that count no cache.
func CacheLoss(before, now Usage) int64 {
	const rounding = 1024
	if lost := before.CacheRead + before.CacheWrite - now.CacheRead; lost >= rounding {
		return lost
	}
	return 0
}

func sameTools(a, b []namedHash) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func toolChanges(before, after []namedHash) string {
	was := make(map[string]uint64, len(before))
	for _, t := range before {
		was[t.name] = t.hash
	}
	var parts []string
	for _, t := range after {
		h, ok := was[t.name]
		switch {
		case !ok:
			parts = append(parts, t.name+" added")
		case h != t.hash:
			parts = append(parts, t.name+" changed")
		}
		delete(was, t.name)
	}
	for _, t := range before {
		if _, gone := was[t.name]; gone {
			parts = append(parts, t.name+" removed")
		}
	}
	if len(parts) == 0 {
		return "their order"
	}
	return strings.Join(parts, ", ")
}

// sumOf hashes what of a message is sent: times, costs and details for display
// are no part of a prompt.
func sumOf(m Message) messageSum {
	h := newHasher()
	switch m := m.(type) {
	case *UserMessage:
		h.text("user")
		h.blocks(m.Content)
	case *AssistantMessage:
		if m.StopReason == StopError || m.StopReason == StopAborted {
			return messageSum{} // see Replay
		}
		h.text("assistant")
		h.blocks(m.Content)
	case *ToolResultMessage:
		h.text("tool", m.ToolCallID, m.ToolName)
		if m.IsError {
			h.text("error")
		}
		h.blocks(m.Content)
	case *Change:
		h.text("change", m.Text)
		h.text(m.Remove...)
		for _, t := range m.Add {
			h.text(t.Name, t.Description, string(t.Parameters))
		}
	default:
		return messageSum{}
	}
	return messageSum{h.Sum64(), true}
}

type hasher struct{ maphash.Hash }

// hashSeed makes hashes comparable within the process, which is all they are
// for.
var hashSeed = sync.OnceValue(maphash.MakeSeed)

func newHasher() *hasher {
	h := &hasher{}
	h.SetSeed(hashSeed())
	return h
}

// text adds texts, each with its length, so that no two lists are alike.
func (h *hasher) text(texts ...string) {
	var size [8]byte
	for _, t := range texts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(t)))
		h.Write(size[:])
		h.WriteString(t)
	}
}

func (h *hasher) blocks(blocks []Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *Text:
			h.text("text", b.Text, b.Signature)
		case *Thinking:
			h.text("thinking", b.Thinking, b.Signature)
		case *Image:
			h.text("image", b.MimeType, b.Data)
		case *ToolCall:
			h.text("call", b.ID, b.Name, string(b.Arguments), b.ThoughtSignature)
		}
	}
}

func hashOf(texts ...string) uint64 {
	h := newHasher()
	h.text(texts...)
	return h.Sum64()
}
