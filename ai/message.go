package ai

import (
	"encoding/json"
	"fmt"
	"strings"

	"tau/ai/openjson"
)

// Role says who a message is from.
type Role string

// The roles that models know. Other roles (a shell command of the user, a
// summary) belong to the layers above and are converted before a request.
const (
	RoleSystem     Role = "system"
	RoleUser       Role = "user"
	RoleAssistant  Role = "assistant"
	RoleToolResult Role = "toolResult"
)

// Message is one message of a conversation: [*SystemMessage], [*UserMessage],
// [*AssistantMessage], [*ToolResultMessage], [*RawMessage], or a type of a
// layer above. Messages are immutable once emitted or stored.
type Message interface {
	MessageRole() Role
}

// Section is a named part of the system prompt. A nil Text removes it.
type Section struct {
	Name string
	Text *string
}

// Sections is an ordered JSON object of name to text or null.
type Sections []Section

// SystemMessage sets or patches the system prompt and the tool list. The
// current prompt of a conversation is what all its system messages, replayed
// in order, leave.
type SystemMessage struct {
	Content      []Block
	Plain        bool // content is written as a bare string
	Sections     Sections
	ToolsAdded   []ToolDef
	ToolsRemoved []ToolName
	Timestamp    int64 // Unix milliseconds
	Rest         openjson.Fields
}

// ToolName names a tool that was removed.
type ToolName struct {
	Name string `json:"name"`
}

// UserMessage is what the user said.
type UserMessage struct {
	Content   []Block
	Plain     bool  // content is written as a bare string
	Timestamp int64 // Unix milliseconds
	Rest      openjson.Fields
}

// AssistantMessage is one answer of a model, whole or cut short.
type AssistantMessage struct {
	Content               []Block
	API                   string // wire protocol, such as "anthropic-messages"
	Provider              string
	Model                 string
	ResponseModel         string
	ResponseID            string
	ProviderThinkingLevel string
	ThinkingLevel         ThinkingLevel
	Diagnostics           json.RawMessage
	Usage                 Usage
	StopReason            StopReason
	Deferred              json.RawMessage
	ErrorMessage          string // readable; set when StopReason is error or aborted
	RawStopReason         string
	EndTurn               *bool
	Timestamp             int64 // Unix milliseconds
	DurationMs            int64
	Rest                  openjson.Fields

	// Failure is the typed form of ErrorMessage. It is not stored.
	Failure *Failure
}

// ToolResultMessage answers one tool call.
type ToolResultMessage struct {
	ToolCallID  string
	ToolName    string
	Content     []Block
	Details     json.RawMessage // for display; never sent to a model
	Usage       *Usage          // of models that the tool itself called
	NestedCalls json.RawMessage
	IsError     bool
	Timestamp   int64 // Unix milliseconds
	DurationMs  *int64
	Rest        openjson.Fields
}

// RawMessage is a message whose role this version does not know.
type RawMessage struct {
	Role Role
	JSON json.RawMessage
}

// MessageRole returns the role of the message.
func (*SystemMessage) MessageRole() Role { return RoleSystem }

// MessageRole returns the role of the message.
func (*UserMessage) MessageRole() Role { return RoleUser }

// MessageRole returns the role of the message.
func (*AssistantMessage) MessageRole() Role { return RoleAssistant }

// MessageRole returns the role of the message.
func (*ToolResultMessage) MessageRole() Role { return RoleToolResult }

// MessageRole returns the role of the message.
func (m *RawMessage) MessageRole() Role { return m.Role }

// ToolCalls returns the calls of the message in source order.
func (m *AssistantMessage) ToolCalls() []*ToolCall {
	var calls []*ToolCall
	for _, b := range m.Content {
		if c, ok := b.(*ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// ContentText joins the text blocks of content with newlines.
func ContentText(content []Block) string {
	var parts []string
	for _, b := range content {
		if t, ok := b.(*Text); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// UnmarshalMessage decodes a message. Unknown roles give a [*RawMessage].
func UnmarshalMessage(data []byte) (Message, error) {
	var head struct {
		Role Role `json:"role"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("decode message: %w", err)
	}
	var m interface {
		Message
		json.Unmarshaler
	}
	switch head.Role {
	case RoleSystem:
		m = &SystemMessage{}
	case RoleUser:
		m = &UserMessage{}
	case RoleAssistant:
		m = &AssistantMessage{}
	case RoleToolResult:
		m = &ToolResultMessage{}
	default:
		return &RawMessage{Role: head.Role, JSON: append(json.RawMessage(nil), data...)}, nil
	}
	if err := m.UnmarshalJSON(data); err != nil {
		return nil, fmt.Errorf("decode %s message: %w", head.Role, err)
	}
	return m, nil
}
