package store

import (
	"bytes"
	"encoding/json"

	"tau/ai"
	"tau/session/message"
)

// role is the role of a message in the index.
type role uint8

const (
	roleNone role = iota
	roleSystem
	roleUser
	roleAssistant
	roleToolResult
	roleBash
	roleOther
)

func (r role) name() ai.Role {
	switch r {
	case roleSystem:
		return ai.RoleSystem
	case roleUser:
		return ai.RoleUser
	case roleAssistant:
		return ai.RoleAssistant
	case roleToolResult:
		return ai.RoleToolResult
	case roleBash:
		return message.RoleBash
	case roleOther:
		return "other"
	}
	return ""
}

func asRole(s ai.Role) role {
	for r := roleSystem; r < roleOther; r++ {
		if r.name() == s {
			return r
		}
	}
	return roleOther
}

func roleOf(e Entry) role {
	if m, ok := e.(*MessageEntry); ok {
		return asRole(m.Message.MessageRole())
	}
	return roleNone
}

// quickRole reads the role of a message entry. All writers put it first in the
// message, so that the rest of the line is parsed only if one did not.
func quickRole(line []byte) role {
	const mark = `"message":{"role":"`
	if i := bytes.Index(line[:min(len(line), 400)], []byte(mark)); i >= 0 {
		rest := line[i+len(mark):]
		if end := bytes.IndexByte(rest[:min(len(rest), 40)], '"'); end > 0 {
			return asRole(ai.Role(rest[:end]))
		}
	}
	if _, who, ok := anyHead(line); ok && who != nil {
		return asRole(ai.Role(who))
	}
	var e struct {
		Message struct {
			Role ai.Role `json:"role"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &e) != nil {
		return roleOther
	}
	return asRole(e.Message.Role)
}

// LineRole returns the role of the message entry in a line, of which the
// beginning is enough.
func LineRole(line []byte) ai.Role { return quickRole(line).name() }
