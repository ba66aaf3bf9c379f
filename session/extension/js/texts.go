package js

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Text is what extensions draw with, as the screen of the program measures and
// draws it.
type Text struct {
	Width    func(s string) int
	Truncate func(s string, width int, ellipsis string) string
	Wrap     func(s string, width int) []string
	Slice    func(s string, start, n int) string
	Markdown func(s string, width int) []string
	Code     func(s, language string) []string
}

func (s *system) texts(method string) call {
	t := s.m.env.Text
	type params struct {
		Text     string `json:"text"`
		Width    int    `json:"width"`
		Start    int    `json:"start"`
		Ellipsis string `json:"ellipsis"`
		Language string `json:"language"`
	}
	on := func(do func(p params) any) call {
		return takes(func(_ context.Context, p params) (any, error) { return do(p), nil })
	}
	switch method {
	case "sys.width":
		return on(func(p params) any {
			if t.Width == nil {
				return utf8.RuneCountInString(p.Text)
			}
			return t.Width(p.Text)
		})
	case "sys.truncate":
		return on(func(p params) any {
			if t.Truncate == nil {
				return text(p.Text)
			}
			return text(t.Truncate(p.Text, p.Width, p.Ellipsis))
		})
	case "sys.slice":
		return on(func(p params) any {
			if t.Slice == nil {
				return text(p.Text)
			}
			return text(t.Slice(p.Text, p.Start, p.Width))
		})
	case "sys.wrap":
		return on(func(p params) any {
			if t.Wrap == nil {
				return strings.Split(p.Text, "\n")
			}
			var out []string
			for line := range strings.SplitSeq(p.Text, "\n") {
				out = append(out, t.Wrap(line, max(1, p.Width))...)
			}
			return out
		})
	case "sys.markdown":
		return on(func(p params) any {
			if t.Markdown == nil {
				return strings.Split(p.Text, "\n")
			}
			return t.Markdown(p.Text, max(1, p.Width))
		})
	case "sys.segments":
		return takes(func(_ context.Context, p struct{ Text, Granularity string }) (any, error) {
			return segments(p.Text, p.Granularity), nil
		})
	case "sys.code":
		return on(func(p params) any {
			if t.Code == nil {
				return strings.Split(p.Text, "\n")
			}
			return t.Code(p.Text, p.Language)
		})
	}
	return nil
}

// segments cuts text into sentences, words or, for any other granularity, what
// is seen as one character.
func segments(s, granularity string) []string {
	next := func(s string) (string, string, int) {
		first, rest, _, state := uniseg.FirstGraphemeClusterInString(s, -1)
		return first, rest, state
	}
	switch granularity {
	case "word":
		next = func(s string) (string, string, int) { return uniseg.FirstWordInString(s, -1) }
	case "sentence":
		next = func(s string) (string, string, int) { return uniseg.FirstSentenceInString(s, -1) }
	}
	out := []string{}
	for s != "" {
		var first string
		first, s, _ = next(s)
		out = append(out, first)
	}
	return out
}
