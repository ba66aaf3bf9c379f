package session

import (
	"encoding/json"
	"fmt"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session/message"
	"tau/session/store"
)

// CustomDelivery says when a message of an extension goes in.
type CustomDelivery string

// The deliveries of custom messages. Steering is the default.
const (
	CustomSteer    CustomDelivery = "steer"
	CustomFollowUp CustomDelivery = "followUp"
	// CustomNextTurn goes along with the next message of the user.
	CustomNextTurn CustomDelivery = "nextTurn"
)

// SendCustom puts a message of an extension into the conversation. If the agent
// is working it is queued; if it is idle the message is stored, and begins a
// run only if trigger is set.
func (s *Session) SendCustom(m *message.Custom, trigger bool, d CustomDelivery) error {
	if m.Timestamp == 0 {
		m.Timestamp = time.Now().UnixMilli()
	}
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return ErrClosed
	case d == CustomNextTurn:
		s.nextTurnMsgs = append(s.nextTurnMsgs, m)
		s.mu.Unlock()
		return nil
	case s.cancel != nil:
		if d == CustomFollowUp {
			s.agent.FollowUp(m)
		} else {
			s.agent.Steer(m)
		}
		s.emitQueuesLocked()
		s.mu.Unlock()
		return nil
	case trigger:
		ctx := s.beginLocked()
		s.mu.Unlock()
		go s.run(ctx, []ai.Message{m})
		return nil
	}
	s.mu.Unlock()
	s.load()
	s.emit(Event{Type: EventType(agent.MessageStart), Agent: agent.Event{Type: agent.MessageStart, Message: m}})
	id := s.append(entryOf(m))
	s.mu.Lock()
	s.usage.add(m)
	s.agent.Configure(func(_ *agent.Config, c *agent.Context) {
		c.Messages = append(c.Messages[:len(c.Messages):len(c.Messages)], m)
	})
	s.emitLocked(Event{Type: EventType(agent.MessageEnd), Agent: agent.Event{Type: agent.MessageEnd, Message: m}, EntryID: id})
	s.mu.Unlock()
	s.sync()
	return nil
}

// AppendCustom stores state of an extension, which models never see, and
// returns the entry's id.
func (s *Session) AppendCustom(customType string, data json.RawMessage) (string, error) {
	if customType == "" {
		return "", fmt.Errorf("append entry: the type is empty")
	}
	return s.appendEntry(&store.CustomEntry{CustomType: customType, Data: data}), nil
}
