package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// command is the part that all commands have.
type command struct {
	id   json.RawMessage // as it came; nil if there is none
	typ  string
	body []byte
}

// parse reads a line. A line that is no JSON is an error; anything else that is
// no command has a type that is not known.
func parse(line []byte) (command, error) {
	c := command{body: append([]byte(nil), line...), typ: "undefined"}
	if !json.Valid(line) {
		var v any
		err := json.Unmarshal(line, &v)
		return c, fmt.Errorf("failed to parse command: %w", err)
	}
	var head struct {
		ID   json.RawMessage `json:"id"`
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(line, &head) != nil {
		return c, nil // not an object
	}
	c.id = head.ID
	if len(head.Type) > 0 && json.Unmarshal(head.Type, &c.typ) != nil {
		c.typ = string(head.Type)
	}
	return c, nil
}

// args decodes the members of a command into the struct v points at. The error
// names the member.
func (c command) args(v any) error {
	err := json.Unmarshal(c.body, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %s must be %s, not %s", c.typ, wrong.Field, kindName(wrong.Type.Kind().String()), wrong.Value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.typ, err)
	}
	return nil
}

func kindName(k string) string {
	switch {
	case k == "string":
		return "a string"
	case k == "bool":
		return "true or false"
	case k == "slice":
		return "a list"
	case k == "struct", k == "map":
		return "an object"
	case strings.HasPrefix(k, "int"), strings.HasPrefix(k, "float"):
		return "a number"
	}
	return k
}

// missing is the error of a command without a member it cannot do without.
func (c command) missing(member string) error { return fmt.Errorf("%s: %s is missing", c.typ, member) }

// response answers a command.
type response struct {
	ID      json.RawMessage `json:"id,omitempty"`
	Type    string          `json:"type"`
	Command string          `json:"command"`
	Success bool            `json:"success"`
	Data    any             `json:"data,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// null is data that is there and empty.
type null struct{}

// MarshalJSON writes null.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }
