package extension

import (
	"context"
	"encoding/json"
	"fmt"

	"tau/agent"
	"tau/ai"
	"tau/session"
	"tau/session/message"
	"tau/session/prompt"
)

var _ session.Hooks = (*Runner)(nil)

// agentEvent has the members of all events of the agent; each has a few.
type agentEvent struct {
	Type       string          `json:"type"`
	Message    ai.Message      `json:"message,omitempty"`
	Stream     *streamStep     `json:"assistantMessageEvent,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Args       json.RawMessage `json:"args,omitempty"`
	Partial    *toolResult     `json:"partialResult,omitempty"`
	Result     *toolResult     `json:"result,omitempty"`
	IsError    *bool           `json:"isError,omitempty"`
	DurationMs *int64          `json:"durationMs,omitempty"`
	TurnIndex  *int            `json:"turnIndex,omitempty"`
	Timestamp  int64           `json:"timestamp,omitempty"`
	Messages   *[]ai.Message   `json:"messages,omitempty"`
}

type streamStep struct {
	Type         ai.EventType         `json:"type"`
	ContentIndex int                  `json:"contentIndex"`
	Delta        *string              `json:"delta,omitempty"`
	Content      *string              `json:"content,omitempty"`
	ToolCall     *ai.ToolCall         `json:"toolCall,omitempty"`
	Partial      *ai.AssistantMessage `json:"partial,omitempty"`
}

// toolResult is what a tool gives back.
type toolResult struct {
	Content           []ai.Block      `json:"content"`
	Details           json.RawMessage `json:"details,omitempty"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	Usage             *ai.Usage       `json:"usage,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
	Terminate         bool            `json:"terminate,omitempty"`
}

func resultOf(r *agent.Result) *toolResult {
	if r == nil {
		return &toolResult{Content: []ai.Block{}}
	}
	out := &toolResult{r.Content, r.Details, r.StructuredContent, r.Usage, r.IsError, r.Terminate}
	if out.Content == nil {
		out.Content = []ai.Block{}
	}
	return out
}

// UnmarshalJSON reads a result. Text in place of content is one block.
func (t *toolResult) UnmarshalJSON(data []byte) error {
	type plain toolResult
	in := struct {
		*plain
		Content json.RawMessage `json:"content"`
	}{plain: (*plain)(t)}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	var err error
	t.Content, err = blocks(in.Content)
	return err
}

// blocks reads content: blocks, or a text.
func blocks(raw json.RawMessage) ([]ai.Block, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var u ai.UserMessage
	doc, err := json.Marshal(map[string]any{"role": "user", "content": raw})
	if err != nil {
		return nil, err
	}
	if err := u.UnmarshalJSON(doc); err != nil {
		return nil, fmt.Errorf("read the content: %w", err)
	}
	return u.Content, nil
}

func (t *toolResult) result() agent.Result {
	return agent.Result{
		Content: t.Content, Details: t.Details, StructuredContent: t.StructuredContent, Usage: t.Usage, IsError: t.IsError, Terminate: t.Terminate,
	}
}

// Agent implements session.Hooks.
func (r *Runner) Agent(ctx context.Context, ev agent.Event, turn int) ai.Message {
	out := agentEvent{Type: string(ev.Type)}
	switch ev.Type {
	case agent.TurnStart:
		out.TurnIndex, out.Timestamp = &turn, now()
	case agent.MessageStart, agent.MessageEnd:
		out.Message = ev.Message
	case agent.MessageUpdate:
		out.Message = ev.Message
		if s := ev.Stream; s != nil {
			step := &streamStep{Type: s.Type, ContentIndex: s.ContentIndex, ToolCall: s.ToolCall, Partial: s.Partial}
			switch s.Type {
			case ai.EventTextDelta, ai.EventThinkingDelta, ai.EventToolCallDelta:
				step.Delta = &s.Delta
			case ai.EventTextEnd, ai.EventThinkingEnd:
				step.Content = &s.Content
			}
			out.Stream = step
		}
	case agent.ToolExecutionStart:
		out.ToolCallID, out.ToolName, out.Args = ev.ToolCallID, ev.ToolName, object(ev.Args)
	case agent.ToolExecutionUpdate:
		out.ToolCallID, out.ToolName, out.Args, out.Partial = ev.ToolCallID, ev.ToolName, object(ev.Args), resultOf(ev.Result)
	case agent.ToolExecutionEnd:
		out.ToolCallID, out.ToolName, out.Result = ev.ToolCallID, ev.ToolName, resultOf(ev.Result)
		failed := ev.Result != nil && ev.Result.IsError
		out.IsError = &failed
		if ev.HasDuration {
			ms := ev.Duration.Milliseconds()
			out.DurationMs = &ms
		}
	case agent.AgentEnd:
		msgs := ev.Messages
		if msgs == nil {
			msgs = []ai.Message{}
		}
		out.Messages = &msgs
	}
	var changed ai.Message
	r.emitTyped(ctx, out, func(raw json.RawMessage) {
		if ev.Type != agent.MessageEnd {
			return
		}
		var a struct {
			Message json.RawMessage `json:"message"`
		}
		if json.Unmarshal(raw, &a) != nil || len(a.Message) == 0 {
			return
		}
		m, err := message.Unmarshal(a.Message)
		if err != nil || m.MessageRole() != ev.Message.MessageRole() {
			r.o.OnError(Failure{Event: "message_end", Err: "the message a handler returned has another role, or none"})
			return
		}
		changed = m
		out.Message = m
	})
	return changed
}

// emitTyped emits out as often as take changes it: the next handler sees what
// the one before made of it.
func (r *Runner) emitTyped(ctx context.Context, out agentEvent, take func(json.RawMessage)) {
	r.emit(ctx, out.Type, out, func(raw json.RawMessage, err error) bool {
		if err == nil {
			take(raw)
		}
		return true
	})
}

func object(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}

// promptOptions are what the prompt is made of, as handlers see and change it.
type promptOptions struct {
	CWD           string             `json:"cwd"`
	SelectedTools []string           `json:"selectedTools"`
	Skills        []skillInfo        `json:"skills"`
	Sections      map[string]*string `json:"sections"`
}

type skillInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	FilePath    string `json:"filePath"`
}

func (r *Runner) promptOptions(sections ai.Sections) promptOptions {
	o := promptOptions{CWD: r.o.CWD, SelectedTools: r.activeTools(), Sections: map[string]*string{}, Skills: []skillInfo{}}
	for _, s := range sections {
		o.Sections[s.Name] = s.Text
	}
	if f := r.o.Program.Resources; f != nil {
		for _, s := range f().Skills {
			o.Skills = append(o.Skills, skillInfo{s.Name, s.Description, s.Path})
		}
	}
	return o
}

type startEvent struct {
	Type        string          `json:"type"`
	MessageType string          `json:"messageType"`
	Prompt      *string         `json:"prompt,omitempty"`
	Images      []ai.Block      `json:"images,omitempty"`
	Message     *message.Custom `json:"message,omitempty"`
	System      string          `json:"systemPrompt"`
	Options     promptOptions   `json:"systemPromptOptions"`
}

// BeforeStart implements session.Hooks.
func (r *Runner) BeforeStart(ctx context.Context, in session.Start) session.StartChange {
	var change session.StartChange
	ev := startEvent{Type: "before_agent_start", MessageType: "user", System: in.System, Options: r.promptOptions(in.Sections)}
	switch m := in.Message.(type) {
	case *ai.UserMessage:
		text := ai.ContentText(m.Content)
		ev.Prompt = &text
		for _, b := range m.Content {
			if _, ok := b.(*ai.Image); ok {
				ev.Images = append(ev.Images, b)
			}
		}
	case *message.Custom:
		ev.MessageType, ev.Message = "custom", m
	default:
		return change
	}
	sections := in.Sections
	for _, s := range (*r.subs.Load())["before_agent_start"] {
		raw, err := json.Marshal(ev)
		if err != nil {
			return change
		}
		out, err := r.call(ctx, s.ext, MethodEvent, EventCall{ev.Type, s.handler, raw})
		var a eventAnswer
		var result struct {
			Message *customMessage `json:"message"`
			System  *string        `json:"systemPrompt"`
		}
		if err == nil && len(out) > 0 {
			err = json.Unmarshal(out, &a)
		}
		if err == nil && len(a.Result) > 0 {
			err = json.Unmarshal(a.Result, &result)
		}
		if err != nil {
			if ctx.Err() == nil {
				r.report(s.ext, ev.Type, err)
			}
			continue
		}
		var changed startEvent
		if len(a.Payload) > 0 && json.Unmarshal(a.Payload, &changed) == nil && changed.Options.Sections != nil {
			if next, ok := merge(sections, changed.Options.Sections); ok {
				sections, change.Sections = next, next
				ev.Options.Sections = changed.Options.Sections
				if change.System == "" {
					ev.System = prompt.Render(sections)
				}
			}
		}
		if result.Message != nil {
			change.Messages = append(change.Messages, result.Message.custom())
		}
		if result.System != nil {
			change.System, ev.System = *result.System, *result.System
		}
	}
	return change
}

// merge brings the sections to what a handler made of them; new ones go to the
// end. ok is false if nothing changed.
func merge(old ai.Sections, now map[string]*string) (next ai.Sections, ok bool) {
	seen := map[string]bool{}
	for _, s := range old {
		seen[s.Name] = true
		text, there := now[s.Name]
		if !there || text == nil {
			ok = true
			continue
		}
		if *text != *s.Text {
			ok = true
		}
		next = append(next, ai.Section{Name: s.Name, Text: text})
	}
	for _, name := range sortedKeys(now) {
		if text := now[name]; !seen[name] && text != nil {
			next, ok = append(next, ai.Section{Name: name, Text: text}), true
		}
	}
	return next, ok
}

// customMessage is a message as extensions hand it over.
type customMessage struct {
	CustomType string          `json:"customType"`
	Content    json.RawMessage `json:"content"`
	Display    bool            `json:"display"`
	Details    json.RawMessage `json:"details"`
}

func (c *customMessage) custom() *message.Custom {
	content := c.Content
	if len(content) == 0 {
		content = json.RawMessage(`""`)
	}
	return &message.Custom{CustomType: c.CustomType, Content: content, Display: c.Display, Details: c.Details, Timestamp: now()}
}

// Context implements session.Hooks.
func (r *Runner) Context(ctx context.Context, msgs []ai.Message) []ai.Message {
	if r.Wants("context") {
		var plain []ai.Message
		for _, m := range msgs {
			if m.MessageRole() != ai.RoleSystem {
				plain = append(plain, m)
			}
		}
		if changed, ok := r.context(ctx, "context", plain); ok {
			msgs = restore(msgs, changed)
		}
	}
	if r.Wants("context_with_system") {
		if changed, ok := r.context(ctx, "context_with_system", msgs); ok {
			if len(changed) > 0 && len(msgs) > 0 && msgs[0].MessageRole() == ai.RoleSystem && changed[0].MessageRole() != ai.RoleSystem {
				r.o.OnError(Failure{Event: "context_with_system", Err: "the system message must stay first"})
			} else {
				msgs = changed
			}
		}
	}
	return msgs
}

// restore puts system messages back in front of the message they stood before;
// those whose neighbour is gone go to the front of the next one that is there.
func restore(old, changed []ai.Message) []ai.Message {
	kept := map[string]int{} // place of a message by its JSON; handlers return copies
	key := func(m ai.Message) string {
		b, err := json.Marshal(m)
		if err != nil {
			return ""
		}
		return string(b)
	}
	for i, m := range changed {
		if k := key(m); k != "" {
			if _, ok := kept[k]; !ok {
				kept[k] = i
			}
		}
	}
	before := make([][]ai.Message, len(changed)+1)
	var waiting []ai.Message
	first := true
	for _, m := range old {
		if m.MessageRole() == ai.RoleSystem {
			if first {
				before[0] = append(before[0], m)
			} else {
				waiting = append(waiting, m)
			}
			continue
		}
		first = false
		if len(waiting) > 0 {
			if i, ok := kept[key(m)]; ok {
				before[i] = append(before[i], waiting...)
				waiting = nil
			}
		}
	}
	before[len(changed)] = append(before[len(changed)], waiting...)
	var out []ai.Message
	for i, list := range before {
		out = append(out, list...)
		if i < len(changed) {
			out = append(out, changed[i])
		}
	}
	return out
}

func (r *Runner) context(ctx context.Context, event string, msgs []ai.Message) (out []ai.Message, changed bool) {
	if msgs == nil {
		msgs = []ai.Message{}
	}
	type payload struct {
		Type     string `json:"type"`
		Messages any    `json:"messages"`
	}
	in := payload{event, msgs}
	for _, s := range (*r.subs.Load())[event] {
		raw, err := json.Marshal(in)
		if err != nil {
			return nil, false
		}
		answer, err := r.call(ctx, s.ext, MethodEvent, EventCall{event, s.handler, raw})
		var a eventAnswer
		var result struct {
			Messages *[]json.RawMessage `json:"messages"`
		}
		if err == nil && len(answer) > 0 {
			err = json.Unmarshal(answer, &a)
		}
		if err == nil && len(a.Result) > 0 {
			err = json.Unmarshal(a.Result, &result)
		}
		var next []ai.Message
		if err == nil && result.Messages != nil {
			for _, m := range *result.Messages {
				var msg ai.Message
				if msg, err = message.Unmarshal(m); err != nil {
					break
				}
				next = append(next, msg)
			}
		}
		if err != nil {
			if ctx.Err() == nil {
				r.report(s.ext, event, err)
			}
			continue
		}
		if result.Messages != nil {
			out, changed = next, true
			in.Messages = *result.Messages
		}
	}
	return out, changed
}

type toolCallEvent struct {
	Type       string          `json:"type"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Parent     string          `json:"parentToolCallId,omitempty"`
	Input      json.RawMessage `json:"input"`
}

// ToolCall implements session.Hooks. A handler that fails blocks the call.
func (r *Runner) ToolCall(ctx context.Context, c agent.ToolContext) (*agent.Block, error) {
	var block *agent.Block
	var failure error
	in := toolCallEvent{Type: "tool_call", ToolCallID: c.Call.ID, ToolName: c.Call.Name, Input: object(c.Args)}
	raw := r.emit(ctx, "tool_call", in, func(result json.RawMessage, err error) bool {
		var a struct {
			Block     bool   `json:"block"`
			Reason    string `json:"reason"`
			Terminate bool   `json:"terminate"`
		}
		if err == nil {
			err = json.Unmarshal(result, &a)
		}
		if err != nil {
			failure = fmt.Errorf("an extension failed, so the call was not made: %w", err)
			return false
		}
		if a.Block {
			block = &agent.Block{Reason: a.Reason, Terminate: a.Terminate}
			if block.Reason == "" {
				block.Reason = "Tool execution was blocked by an extension"
			}
		}
		return !a.Block
	})
	if failure != nil || block != nil {
		return block, failure
	}
	var after toolCallEvent
	if len(raw) > 0 && json.Unmarshal(raw, &after) == nil && len(after.Input) > 0 && c.SetArgs != nil {
		c.SetArgs(after.Input)
	}
	return nil, nil
}

// ToolResult implements session.Hooks.
func (r *Runner) ToolResult(ctx context.Context, c agent.ToolContext, res agent.Result) (*agent.Result, error) {
	changed := false
	now := *resultOf(&res)
	for _, s := range (*r.subs.Load())["tool_result"] {
		type payload struct {
			Type              string          `json:"type"`
			ToolCallID        string          `json:"toolCallId"`
			ToolName          string          `json:"toolName"`
			Input             json.RawMessage `json:"input"`
			Content           []ai.Block      `json:"content"`
			Details           json.RawMessage `json:"details,omitempty"`
			StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
			IsError           bool            `json:"isError"`
			Usage             *ai.Usage       `json:"usage,omitempty"`
		}
		raw, err := json.Marshal(payload{"tool_result", c.Call.ID, c.Call.Name, object(c.Args), now.Content, now.Details, now.StructuredContent, now.IsError, now.Usage})
		if err != nil {
			return nil, fmt.Errorf("encode the result: %w", err)
		}
		out, err := r.call(ctx, s.ext, MethodEvent, EventCall{"tool_result", s.handler, raw})
		var a eventAnswer
		var patch struct {
			Content           json.RawMessage `json:"content"`
			Details           json.RawMessage `json:"details"`
			StructuredContent json.RawMessage `json:"structuredContent"`
			IsError           *bool           `json:"isError"`
			Usage             *ai.Usage       `json:"usage"`
		}
		if err == nil && len(out) > 0 {
			err = json.Unmarshal(out, &a)
		}
		if err == nil && len(a.Result) > 0 {
			err = json.Unmarshal(a.Result, &patch)
		}
		var content []ai.Block
		if err == nil {
			content, err = blocks(patch.Content)
		}
		if err != nil {
			if ctx.Err() == nil {
				r.report(s.ext, "tool_result", err)
			}
			continue
		}
		if patch.Content != nil {
			now.Content, now.StructuredContent, changed = content, nil, true
		}
		if patch.StructuredContent != nil {
			now.StructuredContent, changed = patch.StructuredContent, true
		}
		if patch.Details != nil {
			now.Details, changed = patch.Details, true
		}
		if patch.IsError != nil {
			now.IsError, changed = *patch.IsError, true
		}
		if patch.Usage != nil {
			now.Usage, changed = patch.Usage, true
		}
	}
	if !changed {
		return nil, nil
	}
	out := now.result()
	return &out, nil
}
