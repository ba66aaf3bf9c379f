package ai

// Prepared is a request in the form in which a protocol writes it down.
type Prepared struct {
	// System and Tools are what the conversation begins with.
	System string
	Tools  []ToolDef
	// Messages is a conversation that a strict server accepts, see [Replay],
	// with a [*Change] where something changes on the way.
	Messages []Message
	// Effort is the thinking level that the conversation begins with. It differs
	// from the one asked for only if a [Change] says so later.
	Effort ThinkingLevel
	// Tokens is a rough upper estimate of the input, see [EstimateTokens].
	Tokens int64

	memo *remembered
}

// Prepare makes req what is sent to model. Every protocol calls it first. Like
// [Replay], and for the same reason, it is a pure function: what opts.Memo
// remembers changes the cost and nothing else.
func Prepare(model *Model, req *Request, opts *Options) *Prepared {
	p := &Prepared{memo: opts.Memo.begin(model)}
	unfolded := unfold(model, req)
	p.System, p.Tools = unfolded.System, unfolded.Tools
	p.Messages = limitImages(model, replayWith(model, unfolded.Messages, true, p.memo))
	p.Messages, p.Effort = efforts(model, p.Messages, opts.Thinking)
	p.Tokens = p.estimate()
	p.memo.sweep()
	return p
}

// FitMaxTokens is the output limit to send, see [Model.FitMaxTokens].
func (p *Prepared) FitMaxTokens(model *Model) int64 { return model.fit(p.Tokens) }

// Encoded returns what encode makes of key, which is a message of p or a block
// of one and therefore immutable, or what it made of it in an earlier request
// of the conversation. state is what else the result depends on: another state
// is another result. The bytes must not be changed.
func (p *Prepared) Encoded(key any, state int, encode func() ([]byte, error)) ([]byte, error) {
	return p.memo.encoded(key, state, encode)
}

func (p *Prepared) estimate() int64 {
	chars := estimateHead(p.System, p.Tools)
	for _, m := range p.Messages {
		chars += p.memo.chars(m)
	}
	return tokensOf(chars)
}
