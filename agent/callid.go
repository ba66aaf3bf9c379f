package agent

import (
	"strconv"

	"tau/ai"
)

// callIDs keeps the ids of tool calls apart. Some servers begin to count anew
// with each answer, but providers refuse a conversation in which two calls have
// the same id, and whoever follows the events could not tell them apart.
type callIDs struct {
	context []ai.Message
	used    map[string]bool // of the conversation so far; made when it is needed
	given   map[int]string  // new ids of this answer's calls, by place
}

// mend returns m, or a copy in which calls have other ids.
func (c *callIDs) mend(m *ai.AssistantMessage) *ai.AssistantMessage {
	var copied *ai.AssistantMessage
	mine := map[string]bool{}
	for i, b := range m.Content {
		call, ok := b.(*ai.ToolCall)
		if !ok {
			continue
		}
		id := c.id(i, call.ID, mine)
		mine[id] = true
		if id == call.ID {
			continue
		}
		if copied == nil {
			clone := *m
			clone.Content = append([]ai.Block(nil), m.Content...)
			copied = &clone
		}
		renamed := *call
		renamed.ID = id
		copied.Content[i] = &renamed
	}
	if copied == nil {
		return m
	}
	return copied
}

// id returns the id of the call in place i.
func (c *callIDs) id(i int, id string, mine map[string]bool) string {
	if given, ok := c.given[i]; ok || id == "" {
		return given // "" as long as the id is not known
	}
	if c.used == nil {
		c.used = map[string]bool{}
		for _, m := range c.context {
			if a, ok := m.(*ai.AssistantMessage); ok {
				for _, call := range a.ToolCalls() {
					c.used[call.ID] = true
				}
			}
		}
	}
	unique := id
	for n := 2; c.used[unique] || mine[unique]; n++ {
		unique = id + "_" + strconv.Itoa(n)
	}
	if c.given == nil {
		c.given = map[int]string{}
	}
	c.given[i] = unique
	return unique
}

// event returns ev with the ids of its answer mended.
func (c *callIDs) event(ev ai.Event) ai.Event {
	if ev.Message != nil {
		ev.Message = c.mend(ev.Message)
	}
	if ev.Partial == nil {
		return ev
	}
	ev.Partial = c.mend(ev.Partial)
	if ev.ToolCall != nil {
		if id, ok := c.given[ev.ContentIndex]; ok && id != ev.ToolCall.ID {
			renamed := *ev.ToolCall
			renamed.ID = id
			ev.ToolCall = &renamed
		}
	}
	return ev
}
