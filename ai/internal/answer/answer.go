// Package answer builds the answer of a model while it streams and yields the
// events that the contract of [ai.StreamFunc] asks for.
//
// A protocol makes a [Builder] with [New] and tells it what arrives, block by
// block; the Builder keeps events balanced, leaves empty blocks out, fills in
// the message's fields, and ends the stream with [Builder.Done] or
// [Builder.Fail]. After [Builder.Stopped] is true, which is when the consumer
// has broken out of the loop, all calls do nothing.
//
// Each event has a snapshot of the message. It costs a few small allocations
// however long the answer is: texts share the buffers that the Builder appends
// to, and finished blocks are shared.
package answer

import (
	"strings"
	"time"

	"tau/ai"
	"tau/ai/internal/toolargs"
)

// Builder is the state of one answer. It is for one goroutine.
type Builder struct {
	// Message is the answer so far without its content. The protocol may set
	// usage, response id and model, and the raw stop reason.
	Message ai.AssistantMessage

	model   *ai.Model
	secret  string // never shown in a failure
	yield   func(ai.Event) bool
	stopped bool
	started bool
	content []ai.Block // finished blocks, and a place for the open one
	open    *block
}

type kind uint8

const (
	text kind = iota
	thinking
	toolCall
)

type block struct {
	kind      kind
	shown     bool // its start event was sent
	buf       strings.Builder
	signature strings.Builder
	redacted  bool
	id, name  string
	given     string // arguments that came whole at the start
}

// New returns the builder of an answer of model.
func New(model *ai.Model, opts *ai.Options, yield func(ai.Event) bool) *Builder {
	return &Builder{model: model, secret: opts.APIKey, yield: yield, Message: ai.AssistantMessage{
		API: model.API, Provider: model.Provider, Model: model.ID, ThinkingLevel: opts.Thinking,
		StopReason: ai.StopPending, Timestamp: time.Now().UnixMilli(),
	}}
}

// Stopped reports that the consumer wants no more events.
func (b *Builder) Stopped() bool { return b.stopped }

// Start yields the start event, once.
func (b *Builder) Start() {
	if !b.started {
		b.started = true
		b.emit(ai.Event{Type: ai.EventStart})
	}
}

// Text appends to the text block, which it opens if another block is open.
func (b *Builder) Text(delta string) {
	if delta != "" {
		b.ensure(text)
		b.append(delta)
	}
}

// Thinking appends to the thinking block, which it opens if another block is
// open.
func (b *Builder) Thinking(delta string) {
	if delta != "" {
		b.ensure(thinking)
		b.append(delta)
	}
}

// Sign appends to the signature of the thinking block, which it opens if
// another block is open.
func (b *Builder) Sign(signature string) {
	if signature != "" {
		b.ensure(thinking)
		b.show()
		b.open.signature.WriteString(signature)
	}
}

// SetSignature sets the signature of the open thinking block.
func (b *Builder) SetSignature(signature string) {
	if b.open != nil && b.open.kind == thinking && b.open.signature.Len() == 0 {
		b.open.signature.WriteString(signature)
	}
}

// SignText sets the signature of the open text block, or, if the last block is
// finished or of another kind, does nothing.
func (b *Builder) SignText(signature string) {
	if signature != "" && b.open != nil && b.open.kind == text {
		b.open.signature.Reset()
		b.open.signature.WriteString(signature)
	}
}

// SignCall sets the thought signature of the open call.
func (b *Builder) SignCall(signature string) {
	if signature != "" && b.open != nil && b.open.kind == toolCall {
		b.open.signature.Reset()
		b.open.signature.WriteString(signature)
	}
}

// Redacted adds a whole thinking block that only the provider can read.
func (b *Builder) Redacted(data string) {
	b.End()
	b.open = &block{kind: thinking, redacted: true}
	b.open.signature.WriteString(data)
	b.show()
	b.End()
}

// Raw adds a whole block of a kind that only the protocol knows.
func (b *Builder) Raw(kind string, data []byte) {
	b.End()
	if !b.stopped {
		b.content = append(b.content, &ai.RawBlock{Type: kind, JSON: data})
	}
}

// SetRates prices the answer by other rates than the model's.
func (b *Builder) SetRates(cost ai.ModelCost) {
	other := *b.model
	other.Cost = cost
	b.model = &other
}

// ToolCall opens a call. given is what of its arguments came with it; deltas
// that follow replace it.
func (b *Builder) ToolCall(id, name, given string) {
	b.End()
	b.open = &block{kind: toolCall, id: id, name: name, given: given}
	b.show()
}

// Arguments appends to the arguments of the open call.
func (b *Builder) Arguments(delta string) {
	if delta != "" && b.open != nil && b.open.kind == toolCall {
		b.append(delta)
	}
}

// End closes the open block, if any.
func (b *Builder) End() { b.end("") }

// Empty reports whether no block has begun.
func (b *Builder) Empty() bool { return b.open == nil && len(b.content) == 0 }

// AmendCalls replaces finished calls, for what a protocol learns about a call
// after its end. amend gets a copy of each.
func (b *Builder) AmendCalls(amend func(n int, c *ai.ToolCall)) {
	content := make([]ai.Block, len(b.content))
	n := 0
	for i, block := range b.content {
		if c, ok := block.(*ai.ToolCall); ok {
			changed := *c
			amend(n, &changed)
			n++
			block = &changed
		}
		content[i] = block
	}
	b.content = content
}

// end closes the open block; cut says why it is not whole.
func (b *Builder) end(cut string) {
	open := b.open
	if open == nil {
		return
	}
	b.open = nil
	if !open.shown {
		return
	}
	final := open.final(cut)
	b.content = append(b.content, final)
	ev := ai.Event{ContentIndex: len(b.content) - 1}
	switch final := final.(type) {
	case *ai.Text:
		ev.Type, ev.Content = ai.EventTextEnd, final.Text
	case *ai.Thinking:
		ev.Type, ev.Content = ai.EventThinkingEnd, final.Thinking
	case *ai.ToolCall:
		ev.Type, ev.ToolCall = ai.EventToolCallEnd, final
	}
	b.emit(ev)
}

// Done ends the stream with success.
func (b *Builder) Done(reason ai.StopReason) {
	cut := ""
	if reason == ai.StopLength {
		cut = "the answer reached its output limit before the arguments were complete"
	}
	b.end(cut)
	if b.stopped {
		return
	}
	b.Start()
	if b.stopped {
		return
	}
	b.finish(reason)
	m := b.Message
	b.stopped = true
	b.yield(ai.Event{Type: ai.EventDone, Reason: reason, Message: &m})
}

// Fail ends the stream with a failure and keeps what had arrived.
func (b *Builder) Fail(f *ai.Failure) {
	b.end("the answer was cut short before the arguments were complete")
	if b.stopped {
		return
	}
	reason := ai.StopError
	if f.Class == ai.FailAborted {
		reason = ai.StopAborted
	}
	b.finish(reason)
	if len(b.secret) >= 8 && strings.Contains(f.Message, b.secret) {
		hidden := *f
		hidden.Message = strings.ReplaceAll(f.Message, b.secret, "…")
		f = &hidden
	}
	b.Message.Failure, b.Message.ErrorMessage = f, f.Message
	m := b.Message
	b.stopped = true
	b.yield(ai.Event{Type: ai.EventError, Reason: reason, Message: &m})
}

func (b *Builder) finish(reason ai.StopReason) {
	b.Message.Content = b.content
	b.Message.StopReason = reason
	b.Message.DurationMs = time.Now().UnixMilli() - b.Message.Timestamp
	u := &b.Message.Usage
	if u.TotalTokens == 0 {
		u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	b.model.Price(u)
}

func (b *Builder) ensure(k kind) {
	if b.open == nil || b.open.kind != k {
		b.End()
		b.open = &block{kind: k}
	}
}

// show yields the start event of the open block, once.
func (b *Builder) show() {
	if b.open.shown {
		return
	}
	b.open.shown = true
	b.Start()
	ev := ai.Event{ContentIndex: len(b.content)}
	switch b.open.kind {
	case text:
		ev.Type = ai.EventTextStart
	case thinking:
		ev.Type = ai.EventThinkingStart
	case toolCall:
		ev.Type = ai.EventToolCallStart
		ev.ToolCall = &ai.ToolCall{ID: b.open.id, Name: b.open.name}
	}
	b.emit(ev)
}

func (b *Builder) append(delta string) {
	b.show()
	b.open.buf.WriteString(delta)
	ev := ai.Event{ContentIndex: len(b.content), Delta: delta}
	switch b.open.kind {
	case text:
		ev.Type = ai.EventTextDelta
	case thinking:
		ev.Type = ai.EventThinkingDelta
	case toolCall:
		ev.Type = ai.EventToolCallDelta
	}
	b.emit(ev)
}

func (b *Builder) emit(ev ai.Event) {
	if b.stopped {
		return
	}
	ev.Partial = b.snapshot()
	b.stopped = !b.yield(ev)
}

func (b *Builder) snapshot() *ai.AssistantMessage {
	m := b.Message
	if b.open == nil || !b.open.shown {
		m.Content = b.content[:len(b.content):len(b.content)]
		return &m
	}
	m.Content = make([]ai.Block, len(b.content)+1)
	copy(m.Content, b.content)
	m.Content[len(b.content)] = b.open.partial()
	return &m
}

func (k *block) partial() ai.Block {
	switch k.kind {
	case thinking:
		return &ai.Thinking{Thinking: k.buf.String(), Signature: k.signature.String(), Redacted: k.redacted}
	case toolCall:
		return &ai.ToolCall{ID: k.id, Name: k.name, ArgumentsText: k.buf.String()}
	}
	return &ai.Text{Text: k.buf.String(), Signature: k.signature.String()}
}

func (k *block) final(cut string) ai.Block {
	if k.kind != toolCall {
		return k.partial()
	}
	args := k.buf.String()
	if args == "" {
		args = k.given
	}
	c := Call(k.id, k.name, args, cut)
	c.ThoughtSignature = k.signature.String()
	return c
}

// Call is a finished tool call with the arguments in text. cut, if not empty,
// says why text may be incomplete.
func Call(id, name, text, cut string) *ai.ToolCall {
	c := &ai.ToolCall{ID: id, Name: name}
	args, err := toolargs.Parse(text)
	switch {
	case err == nil && (cut == "" || strings.TrimSpace(text) != ""):
		c.Arguments = args
		return c
	case cut != "":
		c.ArgumentsError = cut
	default:
		c.ArgumentsError = err.Error()
	}
	c.Arguments, c.ArgumentsText = []byte("{}"), text
	return c
}
