package anthropic

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"tau/ai/internal/answer"
)

// delta takes the commonest event, a piece of text, in the exact form in which
// the API writes it. It reports false for everything else, which then takes
// the general way; decoding by reflection is most of the cost of an answer.
func delta(b *answer.Builder, data []byte) bool {
	rest, ok := bytes.CutPrefix(data, []byte(`{"type":"content_block_delta","index":`))
	if !ok {
		return false
	}
	for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
		rest = rest[1:]
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"delta":{"type":"`)); !ok {
		return false
	}
	if rest, ok = bytes.CutSuffix(rest, []byte(`}}`)); !ok {
		return false
	}
	for _, d := range [...]struct {
		head string
		add  func(*answer.Builder, string)
	}{
		{`text_delta","text":`, (*answer.Builder).Text},
		{`input_json_delta","partial_json":`, (*answer.Builder).Arguments},
		{`thinking_delta","thinking":`, (*answer.Builder).Thinking},
	} {
		if quoted, ok := bytes.CutPrefix(rest, []byte(d.head)); ok {
			text, ok := unquote(quoted)
			if ok {
				d.add(b, text)
			}
			return ok
		}
	}
	return false
}

func unquote(quoted []byte) (string, bool) {
	n := len(quoted)
	if n < 2 || quoted[0] != '"' || quoted[n-1] != '"' {
		return "", false
	}
	inner := quoted[1 : n-1]
	for _, c := range inner {
		if c < ' ' || c == '"' || c == '\\' {
			var s string
			err := json.Unmarshal(quoted, &s) // refuses what is more than a string
			return s, err == nil
		}
	}
	return string(inner), utf8.Valid(inner)
}
