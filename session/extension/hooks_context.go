package extension

import (
	"context"
	"encoding/json"

	"tau/ai"
	"tau/session/message"
)

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
