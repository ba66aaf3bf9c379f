package interactive

import (
	"strings"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/components/chat"
	"tau/session/message"
	"tau/session/resources"
	"tau/tui"
)

// transcript turns messages into the parts of a list. It is fed with the
// events of a running session, or with whole messages of a stored one.
type transcript struct {
	look *chat.Look
	list *tui.List
	now  func() time.Time

	batch  *chat.Batch // open for further calls: nothing was said since
	cards  map[string]*chat.Card
	active []*chat.Batch // with a card that may be running
	answer *answer       // being streamed
	shell  *chat.Batch   // a command of the user's own that is running
	from   chat.Origin   // of the messages of a stored conversation
}

// answer holds the parts of the message that is being streamed, by the index
// of its content block.
type answer struct {
	texts    map[int]*chat.Answer
	thoughts map[int]*chat.Thinking
	cards    map[int]*chat.Card
}

func newTranscript(look *chat.Look, list *tui.List) *transcript {
	return &transcript{look: look, list: list, now: time.Now, cards: map[string]*chat.Card{}}
}

func newAnswer() *answer {
	return &answer{texts: map[int]*chat.Answer{}, thoughts: map[int]*chat.Thinking{}, cards: map[int]*chat.Card{}}
}

// add appends a part; calls that follow begin a new batch.
func (t *transcript) add(c tui.Component) {
	t.batch = nil
	t.list.Append(c)
}

func (t *transcript) notice(kind chat.Kind, text string) { t.add(chat.NewNotice(t.look, kind, text)) }

// card appends the card of a call to the batch that is open.
func (t *transcript) card(name, id string) *chat.Card {
	if t.batch == nil {
		t.batch = chat.NewBatch(t.look)
		t.list.Append(t.batch)
		t.active = append(t.active, t.batch)
	}
	c := chat.NewCard(t.look, name, id)
	t.batch.Add(c)
	if id != "" {
		t.cards[id] = c
	}
	return c
}

// apply shows an event of the agent.
func (t *transcript) apply(ev agent.Event) {
	switch ev.Type {
	case agent.MessageStart:
		if _, ok := ev.Message.(*ai.AssistantMessage); ok {
			t.answer = newAnswer()
		}
	case agent.MessageUpdate:
		if t.answer == nil {
			t.answer = newAnswer()
		}
		if ev.Stream != nil {
			t.stream(t.answer, ev.Stream)
		}
	case agent.MessageEnd:
		t.message(ev.Message)
	case agent.ToolExecutionStart:
		c := t.cards[ev.ToolCallID]
		if c == nil {
			c = t.card(ev.ToolName, ev.ToolCallID)
		}
		c.SetArgs(ev.Args)
		c.Start(t.now())
	case agent.ToolExecutionUpdate:
		if c := t.cards[ev.ToolCallID]; c != nil {
			c.Update(ev.Result)
		}
	case agent.ToolExecutionEnd:
		if c := t.cards[ev.ToolCallID]; c != nil {
			took := ev.Duration
			if !ev.HasDuration {
				took = -1
			}
			c.Finish(ev.Result, took)
		}
	}
}

// stream shows a piece of an answer. Each costs what the piece is long.
func (t *transcript) stream(a *answer, ev *ai.Event) {
	i := ev.ContentIndex
	switch ev.Type {
	case ai.EventTextDelta:
		if ev.Delta != "" {
			t.text(a, i).Append(ev.Delta)
		}
	case ai.EventTextEnd:
		if ev.Content != "" {
			t.text(a, i).SetText(ev.Content)
		}
	case ai.EventThinkingDelta:
		if ev.Delta != "" {
			t.thought(a, i).Append(ev.Delta)
		}
	case ai.EventThinkingEnd:
		if ev.Content != "" {
			t.thought(a, i).SetText(ev.Content)
		}
	case ai.EventToolCallStart:
		if ev.ToolCall != nil {
			t.call(a, i, ev.ToolCall)
		}
	case ai.EventToolCallDelta:
		if c := a.cards[i]; c != nil {
			c.Write(ev.Delta)
		}
	case ai.EventToolCallEnd:
		if ev.ToolCall != nil {
			t.call(a, i, ev.ToolCall).SetArgs(ev.ToolCall.Arguments)
		}
	}
}

func (t *transcript) text(a *answer, i int) *chat.Answer {
	if a.texts[i] == nil {
		a.texts[i] = chat.NewAnswer(t.look)
		a.texts[i].Rewritten(t.from)
		t.add(a.texts[i])
	}
	return a.texts[i]
}

func (t *transcript) thought(a *answer, i int) *chat.Thinking {
	if a.thoughts[i] == nil {
		a.thoughts[i] = chat.NewThinking(t.look)
		a.thoughts[i].Rewritten(t.from)
		t.add(a.thoughts[i])
	}
	return a.thoughts[i]
}

func (t *transcript) call(a *answer, i int, call *ai.ToolCall) *chat.Card {
	if a.cards[i] == nil {
		a.cards[i] = t.card(call.Name, call.ID)
	}
	return a.cards[i]
}

// message shows a whole message, or what is still missing of one that was
// streamed.
func (t *transcript) message(m ai.Message) {
	switch m := m.(type) {
	case *ai.UserMessage:
		u := chat.NewUser(t.look, userText(m.Content), at(m.Timestamp))
		u.AddImages(m.Content)
		u.Rewritten(t.from)
		t.add(u)
	case *ai.AssistantMessage:
		a := t.answer
		t.answer = nil
		if a == nil {
			a = newAnswer()
		}
		t.whole(a, m)
	case *ai.ToolResultMessage:
		t.result(m)
	case *message.Bash:
		t.bash(m)
	case *message.Custom:
		if m.Display {
			t.custom(m)
		}
	case *message.BranchSummary:
		t.summary("Summary of the branch that was left:\n", m.Summary)
	case *message.CompactionSummary:
		t.summary("Summary of the conversation before this point:\n", m.Summary)
	}
}

func (t *transcript) summary(head, body string) {
	n := chat.NewNotice(t.look, chat.Info, body)
	n.Rewritten("summary", head, t.from)
	t.add(n)
}

func (t *transcript) whole(a *answer, m *ai.AssistantMessage) {
	for i, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			if b.Text != "" {
				t.text(a, i).SetText(b.Text)
			}
		case *ai.Thinking:
			if b.Thinking != "" {
				t.thought(a, i).SetText(b.Thinking)
			}
		case *ai.ToolCall:
			t.call(a, i, b).SetArgs(b.Arguments)
		}
	}
	switch m.StopReason {
	case ai.StopError:
		t.notice(chat.Failure, m.ErrorMessage)
	case ai.StopAborted:
		t.notice(chat.Warning, "Stopped.")
	case ai.StopLength:
		t.notice(chat.Warning, "The answer was cut at the model's output limit.")
	}
	if m.StopReason == ai.StopError || m.StopReason == ai.StopAborted {
		// Calls of an answer that broke off are never run.
		for _, c := range a.cards {
			if !c.Finished() {
				c.Finish(&agent.Result{Content: ai.TextBlocks("not run"), IsError: true}, -1)
			}
		}
	}
}

// result fills in the card of a call, which a running session has done before.
func (t *transcript) result(m *ai.ToolResultMessage) {
	c := t.cards[m.ToolCallID]
	if c == nil || c.Finished() {
		return
	}
	took := time.Duration(-1)
	if m.DurationMs != nil {
		took = time.Duration(*m.DurationMs) * time.Millisecond
	}
	c.Finish(&agent.Result{Content: m.Content, Details: m.Details, IsError: m.IsError}, took)
}

func (t *transcript) bash(m *message.Bash) {
	c := newShellCard(t.look, m.Command, m.ExcludeFromContext)
	finishShell(c, m, -1)
	b := chat.NewBatch(t.look)
	b.Add(c)
	t.add(b)
}

// waiting reports whether a call has no result yet.
func (t *transcript) waiting() bool {
	for _, b := range t.active {
		for _, c := range b.Cards() {
			if !c.Finished() {
				return true
			}
		}
	}
	return false
}

// tick moves what moves. It reports whether anything does.
func (t *transcript) tick(now time.Time, frame string) bool {
	if t.shell != nil {
		t.shell.Tick(now, frame)
	}
	still := t.active[:0]
	for _, b := range t.active {
		if b.Running() {
			b.Tick(now, frame)
			still = append(still, b)
		} else if b == t.batch {
			still = append(still, b)
		}
	}
	clear(t.active[len(still):])
	t.active = still
	return len(still) > 0
}

// settle ends what a run has left open.
func (t *transcript) settle() {
	t.answer = nil
	for _, b := range t.active {
		for _, c := range b.Cards() {
			if !c.Finished() {
				c.Finish(&agent.Result{Content: ai.TextBlocks("not run"), IsError: true}, -1)
			}
		}
	}
	t.active = nil
	t.batch = nil
	// Calls of this run are answered; the next run brings its own ids.
	clear(t.cards)
}

// userText is what of a user's message is shown: a skill is its call.
func userText(content []ai.Block) string {
	text := ai.ContentText(content)
	if c, ok := resources.ParseSkillCall(text); ok {
		text = strings.TrimSpace("/skill:" + c.Name + " " + c.Args)
	}
	return text
}

func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
