// Package sides merges neighbours of the same side of a conversation, for the
// APIs that want the sides to alternate and all results of a batch in one
// message. What is merged is encoded already: a [List] copies bytes and knows
// nothing of what they say.
package sides

import (
	"strconv"

	"tau/ai/openjson"
)

// List is a conversation as alternating sides. Opening is set before the first
// Add.
type List struct {
	// Opening is an encoded part that the user is made to say if the
	// conversation begins with the other side, which the APIs refuse.
	Opening string
	runs    []run
}

type run struct {
	role  string
	parts [][]byte
}

// Add appends encoded parts, one or more with commas between them; none at all
// changes nothing.
func (l *List) Add(role string, parts []byte) {
	if len(parts) == 0 {
		return
	}
	if n := len(l.runs); n > 0 && l.runs[n-1].role == role {
		l.runs[n-1].parts = append(l.runs[n-1].parts, parts)
		return
	}
	if len(l.runs) == 0 && role != "user" {
		l.runs = append(l.runs, run{"user", [][]byte{[]byte(l.Opening)}})
	}
	l.runs = append(l.runs, run{role, [][]byte{parts}})
}

// Last is the role of the last side, "" if there is none.
func (l *List) Last() string {
	if len(l.runs) == 0 {
		return ""
	}
	return l.runs[len(l.runs)-1].role
}

// Pieces returns the list for [openjson.Splice]: each side is an object with
// its role and its parts, which are the member of that name.
func (l *List) Pieces(member string) [][]byte {
	comma, end := []byte{','}, []byte("]}")
	var out [][]byte
	for i, r := range l.runs {
		if i > 0 {
			out = append(out, comma)
		}
		out = append(out, []byte(`{"role":`+strconv.Quote(r.role)+`,"`+member+`":[`))
		out = append(out, openjson.List(r.parts)...)
		out = append(out, end)
	}
	return out
}

// Encode writes parts one after the other with commas between them.
func Encode[T any](parts []T) ([]byte, error) {
	if len(parts) == 0 {
		return []byte{}, nil
	}
	list, err := openjson.Encode(parts)
	if err != nil {
		return nil, err
	}
	return list[1 : len(list)-1], nil
}
