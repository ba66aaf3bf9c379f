// Package toolargs turns what a model wrote as the arguments of a tool call
// into a JSON object, or says why that cannot be done.
//
// [Parse] mends what is mended without guessing: nothing at all is an empty
// object, unknown escapes are literal, raw control characters are escaped,
// halves of surrogate pairs are replaced, an object inside a string is
// unwrapped. Whatever else is not JSON is an error. A part of the arguments is
// never passed off as the whole.
package toolargs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"tau/ai/partialjson"
)

// Parse returns the arguments in text as a JSON object of valid UTF-8.
func Parse(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		return json.RawMessage("{}"), nil
	}
	if text[0] == '"' {
		var inner string
		if json.Unmarshal([]byte(text), &inner) == nil {
			text = strings.TrimSpace(inner)
		}
	}
	if !strings.HasPrefix(text, "{") {
		return nil, errors.New("the arguments are not a JSON object")
	}
	if utf8.ValidString(text) && !strings.Contains(text, `\u`) && json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	var s partialjson.Scanner
	s.Write(text)
	switch {
	case s.Err() != nil:
		return nil, fmt.Errorf("the arguments are not valid JSON: %w", s.Err())
	case !s.Done():
		return nil, errors.New("the arguments are not valid JSON: they end too early")
	}
	return s.Closed(), nil
}
