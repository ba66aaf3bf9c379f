package openjson

import "fmt"

// Splice encodes one object: the members of head, then the list name of items
// that are encoded already, then the members of tail and of rest, in order of
// name. It is for objects whose bulk was encoded before. head and tail must
// encode as objects; name is plain ASCII.
func Splice(head any, name string, items [][]byte, tail any, rest Fields) ([]byte, error) {
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
	out := make([]byte, 0, len(begin)+len(name)+len(end)+16+Size(items))
	out = append(out, begin[:len(begin)-1]...)
	if len(begin) > 2 {
		out = append(out, ',')
	}
	out = append(out, `"`+name+`":[`...)
	out = AppendList(out, items)
	out = append(out, ']')
	if len(end) > 2 {
		out = append(out, ',')
	}
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
