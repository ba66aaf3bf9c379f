// Package message defines the messages of a conversation that models do not
// know: shell commands of the user, messages of extensions, summaries. [ToLLM]
// turns them into user messages for a request.
package message

import (
	"encoding/json"
	"fmt"
	"strings"

	"tau/ai"
	"tau/ai/openjson"
)

// The roles beside those of package ai.
const (
	RoleBash              ai.Role = "bashExecution"
	RoleCustom            ai.Role = "custom"
	RoleBranchSummary     ai.Role = "branchSummary"
	RoleCompactionSummary ai.Role = "compactionSummary"
)

// Bash is a command the user ran with ! or !!.
type Bash struct {
	Role               ai.Role         `json:"role"`
	Command            string          `json:"command"`
	Output             string          `json:"output"`
	ExitCode           *int            `json:"exitCode,omitempty"` // nil if it was killed before it ended
	Cancelled          bool            `json:"cancelled"`
	Truncated          bool            `json:"truncated"`
	FullOutputPath     string          `json:"fullOutputPath,omitempty"`
	ExcludeFromContext bool            `json:"excludeFromContext,omitempty"`
	Timestamp          int64           `json:"timestamp"`
	Rest               openjson.Fields `json:"-"`
}

// Custom is a message of an extension. The model sees it as the user's.
type Custom struct {
	Role       ai.Role         `json:"role"`
	CustomType string          `json:"customType"`
	Content    json.RawMessage `json:"content"` // a string or blocks
	Display    bool            `json:"display"`
	Details    json.RawMessage `json:"details,omitempty"`
	Timestamp  int64           `json:"timestamp"`
	Rest       openjson.Fields `json:"-"`
}

// BranchSummary says what a branch that was left had taught.
type BranchSummary struct {
	Role      ai.Role         `json:"role"`
	Summary   string          `json:"summary"`
	FromID    string          `json:"fromId"`
	Timestamp int64           `json:"timestamp"`
	Rest      openjson.Fields `json:"-"`
}

// CompactionSummary stands for the conversation before it.
type CompactionSummary struct {
	Role         ai.Role         `json:"role"`
	Summary      string          `json:"summary"`
	TokensBefore int64           `json:"tokensBefore"`
	Timestamp    int64           `json:"timestamp"`
	Rest         openjson.Fields `json:"-"`
}

// MessageRole returns the role of the message.
func (*Bash) MessageRole() ai.Role { return RoleBash }

// MessageRole returns the role of the message.
func (*Custom) MessageRole() ai.Role { return RoleCustom }

// MessageRole returns the role of the message.
func (*BranchSummary) MessageRole() ai.Role { return RoleBranchSummary }

// MessageRole returns the role of the message.
func (*CompactionSummary) MessageRole() ai.Role { return RoleCompactionSummary }

// MarshalJSON writes the message with its role.
func (m *Bash) MarshalJSON() ([]byte, error) {
	type plain Bash
	c := *m
	c.Role = RoleBash
	return openjson.Marshal(plain(c), m.Rest)
}

// MarshalJSON writes the message with its role.
func (m *Custom) MarshalJSON() ([]byte, error) {
	type plain Custom
	c := *m
	c.Role = RoleCustom
	return openjson.Marshal(plain(c), m.Rest)
}

// MarshalJSON writes the message with its role.
func (m *BranchSummary) MarshalJSON() ([]byte, error) {
	type plain BranchSummary
	c := *m
	c.Role = RoleBranchSummary
	return openjson.Marshal(plain(c), m.Rest)
}

// MarshalJSON writes the message with its role.
func (m *CompactionSummary) MarshalJSON() ([]byte, error) {
	type plain CompactionSummary
	c := *m
	c.Role = RoleCompactionSummary
	return openjson.Marshal(plain(c), m.Rest)
}

// Unmarshal decodes a message of any role; unknown ones give [*ai.RawMessage].
func Unmarshal(data []byte) (ai.Message, error) {
	m, err := ai.UnmarshalMessage(data)
	if err != nil {
		return nil, err
	}
	raw, ok := m.(*ai.RawMessage)
	if !ok {
		return m, nil
	}
	switch raw.Role {
	case RoleBash:
		type plain Bash
		b := &Bash{}
		b.Rest, err = openjson.Unmarshal(data, (*plain)(b))
		return b, err
	case RoleCustom, "hookMessage": // the name before version 3
		type plain Custom
		c := &Custom{}
		c.Rest, err = openjson.Unmarshal(data, (*plain)(c))
		return c, err
	case RoleBranchSummary:
		type plain BranchSummary
		b := &BranchSummary{}
		b.Rest, err = openjson.Unmarshal(data, (*plain)(b))
		return b, err
	case RoleCompactionSummary:
		type plain CompactionSummary
		c := &CompactionSummary{}
		c.Rest, err = openjson.Unmarshal(data, (*plain)(c))
		return c, err
	}
	return raw, nil
}

// Blocks returns the content of the message as blocks.
func (m *Custom) Blocks() []ai.Block {
	var u ai.UserMessage
	b, err := openjson.Encode(struct {
		Content json.RawMessage `json:"content"`
	}{m.Content})
	if err != nil || u.UnmarshalJSON(b) != nil {
		return nil
	}
	return u.Content
}

// The texts around summaries and commands are part of the session format:
// another program that opens the file must build the same request from it.
const (
	compactionLead = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
	branchLead     = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
)

// ToLLM returns the messages a model is asked with. System messages are among
// them: package ai sends them in their place where a model takes that; the
// caller replays them into the prompt for the others. Commands excluded from
// the context and messages of unknown roles are left out.
func ToLLM(msgs []ai.Message) []ai.Message {
	out := make([]ai.Message, 0, len(msgs))
	for _, m := range msgs {
		switch m := m.(type) {
		case *ai.SystemMessage, *ai.UserMessage, *ai.AssistantMessage, *ai.ToolResultMessage:
			out = append(out, m)
		case *Bash:
			if !m.ExcludeFromContext {
				out = append(out, asUser(m.text(), m.Timestamp))
			}
		case *Custom:
			out = append(out, &ai.UserMessage{Content: m.Blocks(), Timestamp: m.Timestamp})
		case *BranchSummary:
			out = append(out, asUser(branchLead+m.Summary+"</summary>", m.Timestamp))
		case *CompactionSummary:
			out = append(out, asUser(compactionLead+m.Summary+"\n</summary>", m.Timestamp))
		}
	}
	return out
}

func asUser(text string, at int64) ai.Message {
	return &ai.UserMessage{Content: ai.TextBlocks(text), Timestamp: at}
}

func (m *Bash) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ran `%s`\n", m.Command)
	if m.Output == "" {
		b.WriteString("(no output)")
	} else {
		fmt.Fprintf(&b, "```\n%s\n```", m.Output)
	}
	if m.Cancelled {
		b.WriteString("\n\n(command cancelled)")
	} else if m.ExitCode != nil && *m.ExitCode != 0 {
		fmt.Fprintf(&b, "\n\nCommand exited with code %d", *m.ExitCode)
	}
	if m.Truncated && m.FullOutputPath != "" {
		fmt.Fprintf(&b, "\n\n[Output truncated. Full output: %s]", m.FullOutputPath)
	}
	return b.String()
}
