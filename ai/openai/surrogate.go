package openai

import (
	"bytes"
	"encoding/json"
	"strings"
)

// halves joins characters that a server has cut in two. Servers that count in
// UTF-16 may end one delta with the first half of a surrogate pair and begin
// the next with the second; decoded on their own both would be lost.
type halves struct{ high string } // an escape such as \ud83d

// mend takes the JSON text of a delta's string. It moves a half at its end to
// the beginning of the next one.
func (h *halves) mend(quoted json.RawMessage) json.RawMessage {
	if len(quoted) < 2 || quoted[0] != '"' {
		return quoted
	}
	if h.high != "" && len(quoted) > 2 { // an empty delta decides nothing
		quoted = json.RawMessage(`"` + h.high + string(quoted[1:]))
		h.high = ""
	}
	if at := len(quoted) - 7; endsInHalf(quoted) {
		h.high = string(quoted[at : at+6])
		quoted = append(quoted[:at:at], '"')
	}
	return quoted
}

// endsInHalf reports whether a quoted string ends in the escape of a first
// half.
func endsInHalf(quoted []byte) bool {
	at := len(quoted) - 7
	if at < 1 || !bytes.HasPrefix(quoted[at:], []byte(`\u`)) {
		return false
	}
	lead := strings.ToLower(string(quoted[at+2 : at+4]))
	if lead < "d8" || lead > "db" {
		return false
	}
	backslashes := 0
	for i := at; i > 0 && quoted[i] == '\\'; i-- {
		backslashes++
	}
	return backslashes%2 == 1
}
