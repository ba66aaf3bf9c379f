package ai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tau/ai/openjson"
)

// This file defines the JSON form of each message: a plain struct with the
// fields in the order they are written, and the two conversions.

type systemJSON struct {
	Role         Role            `json:"role"`
	Content      json.RawMessage `json:"content"`
	Sections     Sections        `json:"sections,omitempty"`
	ToolsAdded   []ToolDef       `json:"toolsAdded,omitempty"`
	ToolsRemoved []ToolName      `json:"toolsRemoved,omitempty"`
	Timestamp    int64           `json:"timestamp"`
}

// MarshalJSON writes the message with its role.
func (m *SystemMessage) MarshalJSON() ([]byte, error) {
	content, err := encodeContent(m.Content, m.Plain)
	if err != nil {
		return nil, err
	}
	return openjson.Marshal(systemJSON{RoleSystem, content, m.Sections, m.ToolsAdded, m.ToolsRemoved, m.Timestamp}, m.Rest)
}

// UnmarshalJSON reads the message.
func (m *SystemMessage) UnmarshalJSON(data []byte) error {
	var j systemJSON
	rest, err := openjson.Unmarshal(data, &j)
	if err != nil {
		return err
	}
	*m = SystemMessage{Sections: j.Sections, ToolsAdded: j.ToolsAdded, ToolsRemoved: j.ToolsRemoved, Timestamp: j.Timestamp, Rest: rest}
	m.Content, m.Plain, err = decodeContent(j.Content)
	return err
}

type userJSON struct {
	Role      Role            `json:"role"`
	Content   json.RawMessage `json:"content"`
	Timestamp int64           `json:"timestamp"`
}

// MarshalJSON writes the message with its role.
func (m *UserMessage) MarshalJSON() ([]byte, error) {
	content, err := encodeContent(m.Content, m.Plain)
	if err != nil {
		return nil, err
	}
	return openjson.Marshal(userJSON{RoleUser, content, m.Timestamp}, m.Rest)
}

// UnmarshalJSON reads the message.
func (m *UserMessage) UnmarshalJSON(data []byte) error {
	var j userJSON
	rest, err := openjson.Unmarshal(data, &j)
	if err != nil {
		return err
	}
	*m = UserMessage{Timestamp: j.Timestamp, Rest: rest}
	m.Content, m.Plain, err = decodeContent(j.Content)
	return err
}

type assistantJSON struct {
	Role                  Role            `json:"role"`
	Content               json.RawMessage `json:"content"`
	API                   string          `json:"api"`
	Provider              string          `json:"provider"`
	Model                 string          `json:"model"`
	ResponseModel         string          `json:"responseModel,omitempty"`
	ResponseID            string          `json:"responseId,omitempty"`
	ProviderThinkingLevel string          `json:"providerThinkingLevel,omitempty"`
	ThinkingLevel         ThinkingLevel   `json:"thinkingLevel,omitempty"`
	Diagnostics           json.RawMessage `json:"diagnostics,omitempty"`
	Usage                 Usage           `json:"usage"`
	StopReason            StopReason      `json:"stopReason"`
	Deferred              json.RawMessage `json:"deferred,omitempty"`
	ErrorMessage          string          `json:"errorMessage,omitempty"`
	RawStopReason         string          `json:"rawStopReason,omitempty"`
	EndTurn               *bool           `json:"endTurn,omitempty"`
	Timestamp             int64           `json:"timestamp"`
	DurationMs            int64           `json:"durationMs,omitempty"`
}

// MarshalJSON writes the message with its role.
func (m *AssistantMessage) MarshalJSON() ([]byte, error) {
	content, err := encodeContent(m.Content, false)
	if err != nil {
		return nil, err
	}
	return openjson.Marshal(assistantJSON{
		RoleAssistant, content, m.API, m.Provider, m.Model, m.ResponseModel, m.ResponseID, m.ProviderThinkingLevel,
		m.ThinkingLevel, m.Diagnostics, m.Usage, m.StopReason, m.Deferred, m.ErrorMessage, m.RawStopReason, m.EndTurn,
		m.Timestamp, m.DurationMs,
	}, m.Rest)
}

// UnmarshalJSON reads the message.
func (m *AssistantMessage) UnmarshalJSON(data []byte) error {
	var j assistantJSON
	rest, err := openjson.Unmarshal(data, &j)
	if err != nil {
		return err
	}
	*m = AssistantMessage{
		API: j.API, Provider: j.Provider, Model: j.Model, ResponseModel: j.ResponseModel, ResponseID: j.ResponseID,
		ProviderThinkingLevel: j.ProviderThinkingLevel, ThinkingLevel: j.ThinkingLevel, Diagnostics: j.Diagnostics,
		Usage: j.Usage, StopReason: j.StopReason, Deferred: j.Deferred, ErrorMessage: j.ErrorMessage,
		RawStopReason: j.RawStopReason, EndTurn: j.EndTurn, Timestamp: j.Timestamp, DurationMs: j.DurationMs, Rest: rest,
	}
	m.Content, _, err = decodeContent(j.Content)
	return err
}

type toolResultJSON struct {
	Role        Role            `json:"role"`
	ToolCallID  string          `json:"toolCallId"`
	ToolName    string          `json:"toolName"`
	Content     json.RawMessage `json:"content"`
	Details     json.RawMessage `json:"details,omitempty"`
	Usage       *Usage          `json:"usage,omitempty"`
	NestedCalls json.RawMessage `json:"nestedCalls,omitempty"`
	IsError     bool            `json:"isError"`
	Timestamp   int64           `json:"timestamp"`
	DurationMs  *int64          `json:"durationMs,omitempty"`
}

// MarshalJSON writes the message with its role.
func (m *ToolResultMessage) MarshalJSON() ([]byte, error) {
	content, err := encodeContent(m.Content, false)
	if err != nil {
		return nil, err
	}
	return openjson.Marshal(toolResultJSON{
		RoleToolResult, m.ToolCallID, m.ToolName, content, m.Details, m.Usage, m.NestedCalls, m.IsError, m.Timestamp, m.DurationMs,
	}, m.Rest)
}

// UnmarshalJSON reads the message.
func (m *ToolResultMessage) UnmarshalJSON(data []byte) error {
	var j toolResultJSON
	rest, err := openjson.Unmarshal(data, &j)
	if err != nil {
		return err
	}
	*m = ToolResultMessage{
		ToolCallID: j.ToolCallID, ToolName: j.ToolName, Details: j.Details, Usage: j.Usage, NestedCalls: j.NestedCalls,
		IsError: j.IsError, Timestamp: j.Timestamp, DurationMs: j.DurationMs, Rest: rest,
	}
	m.Content, _, err = decodeContent(j.Content)
	return err
}

// MarshalJSON writes the message as it was read.
func (m *RawMessage) MarshalJSON() ([]byte, error) { return m.JSON, nil }

// MarshalJSON writes the sections as an object, in order.
func (s Sections) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, sec := range s {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := openjson.Encode(sec.Name)
		if err != nil {
			return nil, err
		}
		val, err := openjson.Encode(sec.Text)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(val)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON reads an object and keeps the order of its members.
func (s *Sections) UnmarshalJSON(data []byte) error {
	*s = nil
	if string(data) == "null" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return fmt.Errorf("decode sections: not an object")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fmt.Errorf("decode sections: %w", err)
		}
		var text *string
		if err := dec.Decode(&text); err != nil {
			return fmt.Errorf("decode section %v: %w", key, err)
		}
		*s = append(*s, Section{Name: key.(string), Text: text})
	}
	return nil
}
