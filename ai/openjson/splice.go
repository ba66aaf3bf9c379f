package openjson

import "fmt"

// Splice encodes one object: the members of head, then the list name, whose
// inside is the pieces one after the other, encoded already and with their
// commas (see [List]), then the members of tail and of rest, in order of name.
// It is for objects whose bulk was encoded before, and copies that bulk once.
// head and tail must encode as objects; name is plain ASCII.
func Splice(head any, name string, pieces [][]byte, tail any, rest Fields) ([]byte, error) {
	begin, err := Encode(head)
	if err != nil {
		return nil, err
	}
	end, err := Marshal(tail, rest)
	if err != nil {
		return nil, err
	}
	if begin[0] != '{' || end[0] != '{' {
		return nil, fmt.Errorf("openjson: %T and %T must be objects", head, tail)
	}
	size := len(begin) + len(name) + len(end) + 16
	for _, p := range pieces {
		size += len(p)
	}
	out := make([]byte, 0, size)
	out = append(out, begin[:len(begin)-1]...)
	if len(begin) > 2 {
		out = append(out, ',')
	}
	out = append(out, `"`+name+`":[`...)
	for _, p := range pieces {
		out = append(out, p...)
	}
	out = append(out, ']')
	if len(end) > 2 {
		out = append(out, ',')
	}
	return append(out, end[1:]...), nil
}

// List returns encoded items as the pieces of a list, with commas between
// them.
func List(items [][]byte) [][]byte {
	comma := []byte{','}
	pieces := make([][]byte, 0, 2*len(items))
	for i, item := range items {
		if i > 0 {
			pieces = append(pieces, comma)
		}
		pieces = append(pieces, item)
	}
	return pieces
}
