package openjson

import "fmt"

// Splice encodes one object: the members of head, then the list name of items
// that are encoded already, then the members of tail and of rest, in order of
// name. It is for objects whose bulk was encoded before. head and tail must
// encode as objects with at least one member; name is plain ASCII.
func Splice(head any, name string, items [][]byte, tail any, rest Fields) ([]byte, error) {
	begin, err := Encode(head)
	if err != nil {
		return nil, err
	}
	end, err := Marshal(tail, rest)
	if err != nil {
		return nil, err
	}
	if len(begin) < 3 || len(end) < 3 || begin[0] != '{' || end[0] != '{' {
		return nil, fmt.Errorf("openjson: %T and %T must be objects with members", head, tail)
	}
	out := make([]byte, 0, len(begin)+len(name)+len(end)+16+Size(items))
	out = append(out, begin[:len(begin)-1]...)
	out = append(out, `,"`+name+`":[`...)
	out = AppendList(out, items)
	out = append(out, "],"...)
	return append(out, end[1:]...), nil
}

// AppendList appends encoded items with commas between them.
func AppendList(out []byte, items [][]byte) []byte {
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return out
}

// Size is at least what AppendList appends.
func Size(items [][]byte) (n int) {
	for _, item := range items {
		n += len(item) + 1
	}
	return n
}
