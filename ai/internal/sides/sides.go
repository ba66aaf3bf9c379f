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

// Encoded returns each side as an object with its role and its parts, which
// are the member of that name.
func (l *List) Encoded(member string) [][]byte {
	out := make([][]byte, len(l.runs))
	for i, r := range l.runs {
		head := `{"role":` + strconv.Quote(r.role) + `,"` + member + `":[`
		o := make([]byte, 0, len(head)+openjson.Size(r.parts)+2)
		o = append(o, head...)
		o = openjson.AppendList(o, r.parts)
		out[i] = append(o, "]}"...)
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
