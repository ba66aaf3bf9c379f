package js

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// sourceMap tells which line of a source a place in a bundle comes from. The
// format is revision 3: lines parted by semicolons, of segments parted by
// commas, each a list of differences in base 64.
type sourceMap struct {
	sources []string
	lines   [][]segment
}

type segment struct{ column, source, line, sourceColumn int }

var errMap = errors.New("the source map is damaged")

func parseMap(data []byte) (*sourceMap, error) {
	m := &sourceMap{}
	if len(data) == 0 {
		return m, nil
	}
	var in struct {
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", errMap, err)
	}
	m.sources = in.Sources
	var source, line, column int
	for text := range strings.SplitSeq(in.Mappings, ";") {
		var segs []segment
		at := 0
		for part := range strings.SplitSeq(text, ",") {
			if part == "" {
				continue
			}
			n, err := vlq(part)
			if err != nil {
				return nil, err
			}
			at += n[0]
			if len(n) < 4 {
				continue
			}
			source, line, column = source+n[1], line+n[2], column+n[3]
			if source < 0 || source >= len(m.sources) {
				return nil, errMap
			}
			segs = append(segs, segment{at, source, line, column})
		}
		m.lines = append(m.lines, segs)
	}
	return m, nil
}

// vlq decodes numbers of base 64 digits of five bits each; the lowest bit of a
// number is its sign.
func vlq(s string) ([]int, error) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var out []int
	value, shift := 0, 0
	for i := range len(s) {
		d := strings.IndexByte(digits, s[i])
		if d < 0 || shift > 30 {
			return nil, errMap
		}
		value |= d & 31 << shift
		if d&32 != 0 {
			shift += 5
			continue
		}
		if value&1 != 0 {
			value = -(value >> 1)
		} else {
			value >>= 1
		}
		out = append(out, value)
		value, shift = 0, 0
	}
	if len(out) == 0 || shift != 0 {
		return nil, errMap
	}
	return out, nil
}

// find returns the source of a place in the bundle; both count from 1.
func (m *sourceMap) find(line, column int) (file string, sourceLine int, ok bool) {
	if m == nil || line < 1 || line > len(m.lines) {
		return "", 0, false
	}
	segs := m.lines[line-1]
	i, exact := slices.BinarySearchFunc(segs, column-1, func(s segment, c int) int { return s.column - c })
	if !exact {
		i--
	}
	if i < 0 || i >= len(segs) {
		return "", 0, false
	}
	return m.sources[segs[i].source], segs[i].line + 1, true
}

// frame is where a stack says that it was in a bundle.
var frame = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<eval>:(\d+):(\d+)`) })

// place returns the first place of a stack that is in a file of the extension,
// as name:line.
func (m *machine) place(stack string) string {
	for _, at := range frame().FindAllStringSubmatch(stack, -1) {
		if file, line, ok := m.where(at[1], at[2]); ok {
			return fmt.Sprintf("%s:%d", filepath.Base(file), line)
		}
	}
	return ""
}

func (m *machine) where(line, column string) (file string, at int, ok bool) {
	l, err1 := strconv.Atoi(line)
	c, err2 := strconv.Atoi(column)
	if err1 != nil || err2 != nil || m.maps == nil {
		return "", 0, false
	}
	file, at, ok = m.maps().find(l, c)
	if !ok || strings.HasPrefix(file, "runtime:") || strings.HasSuffix(file, "entry.js") {
		return "", 0, false
	}
	return file, at, true
}

// mapText names lines of the source in a text that has a stack: the message,
// then a line with the stack after "\x00".
func (m *machine) mapText(text string) string {
	msg, stack, ok := strings.Cut(text, "\x00")
	if !ok {
		return text
	}
	if at := m.place(stack); at != "" {
		return msg + " (" + at + ")"
	}
	return msg
}
