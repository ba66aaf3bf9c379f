package compaction

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tau/ai"
)

// Ask makes one request of two texts and returns the answer's. Its errors wrap
// an [*ai.Failure] where the provider gave one. An answer that was cut or
// called a tool is an error.
type Ask func(ctx context.Context, system, user string) (text string, usage ai.Usage, err error)

// Summarizer has a model write summaries.
type Summarizer struct {
	Ask Ask
	// Limits are those of the model that is asked.
	Limits Limits
	// Focus is what the user wants the summary to look at.
	Focus string
	// Path is the session file, which the summary names as the place of the
	// originals; "" if there is none.
	Path string
}

// Summary is the text of a summary and what it cost.
type Summary struct {
	Text  string
	Usage ai.Usage
}

const (
	charsFree = 12000 // characters for the instructions around a conversation, with a margin
	leastRoom = 2000  // characters; with less, a piece is not worth a request
)

// Compact returns the whole text for a compaction entry: the model's summary,
// then the user's words, the files, and where the originals are.
func (s *Summarizer) Compact(ctx context.Context, p *Plan) (Summary, error) {
	var out Summary
	text := p.Previous
	if len(p.History) > 0 {
		var err error
		if text, err = s.pieces(ctx, &out, p.History, p.Previous, func(c, prev string) string { return historyPrompt(c, prev, s.Focus) }); err != nil {
			return out, err
		}
	}
	if len(p.Prefix) > 0 {
		prefix, err := s.pieces(ctx, &out, p.Prefix, "", prefixPrompt)
		if err != nil {
			return out, err
		}
		text = strings.TrimSpace(text + "\n\n---\n\n**Turn Context (split turn):**\n\n" + prefix)
	}
	out.Text = p.finish(text, s.Path)
	return out, nil
}

// finish adds to a summary what no model should have to copy.
func (p *Plan) finish(text, path string) string {
	parts := []string{strip(text)}
	if words := p.userWords(); words != "" {
		parts = append(parts, tagged(wordsTag, words))
	}
	parts = append(parts, p.Files.blocks(p.textRoom())...)
	if path != "" {
		parts = append(parts, tagged(originalTag, fmt.Sprintf("%s\nEach line is one entry. Those with the ids %s to %s are summarised here.", path, p.FirstID, p.LastID)))
	}
	return strings.Join(parts, "\n\n")
}

// strip removes the blocks that a model copied from an earlier summary.
func strip(text string) string {
	for _, tag := range [...]string{wordsTag, readTag, modifiedTag, originalTag} {
		text, _ = cutTag(text, tag)
	}
	return strings.TrimSpace(text)
}

// userWords returns what the user said in the summarised part, word for word
// and newest first to go if there is too much of it.
func (p *Plan) userWords() string {
	// As many characters as tokens are kept: a quarter of that.
	room := int(min(max(p.limits.KeepRecent, 2000), DefaultKeepRecent))
	if p.limits.Window > 0 {
		room = min(room, int(p.limits.Reserve)/2)
	}
	var back []string
	for _, msgs := range [][]ai.Message{p.Prefix, p.History} {
		for i := len(msgs) - 1; i >= 0; i-- {
			m, ok := msgs[i].(*ai.UserMessage)
			if !ok {
				continue
			}
			text := strings.TrimSpace(ai.ContentText(m.Content))
			if text == "" {
				continue
			}
			// A long paste must not push out everything said before it.
			text = shorten(text, max(room/4, 200))
			if room -= len(text); room < 0 {
				back = append(back, "- [earlier messages left out]")
				return reversed(back)
			}
			back = append(back, "- "+strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	return reversed(back)
}

func reversed(back []string) string {
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return strings.Join(back, "\n")
}

// pieces summarises messages, in as many requests as are needed: each piece
// updates the summary of those before. A piece that the provider finds too
// long is halved.
func (s *Summarizer) pieces(ctx context.Context, sum *Summary, msgs []ai.Message, previous string, prompt func(conversation, previous string) string) (string, error) {
	var rest []string
	for _, m := range msgs {
		if text := serialize(m); text != "" {
			rest = append(rest, text)
		}
	}
	room := s.room()
	for first := true; first || len(rest) > 0; first = false {
		// An earlier summary may be no longer than half of a request.
		prev := shorten(previous, room/2)
		piece, after := take(rest, room-len(prev))
		text, usage, err := s.Ask(ctx, system, prompt(piece, prev))
		sum.Usage = sum.Usage.Add(usage)
		if err != nil {
			var f *ai.Failure
			if errors.As(err, &f) && f.Class == ai.FailOverflow && ctx.Err() == nil && room/2 >= leastRoom {
				room = min(room, len(piece)+len(prev)) / 2
				if room >= leastRoom {
					continue
				}
			}
			return "", err
		}
		previous, rest = text, after
	}
	return strip(previous), nil
}

// room is how many characters of conversation fit into one request.
func (s *Summarizer) room() int {
	w := s.Limits.Window
	if w <= 0 {
		w = 128_000
	}
	// Three characters a token instead of four: the estimate must not be over the
	// window.
	return max(int(w-s.Limits.Reserve)*3-charsFree, int(w), leastRoom)
}

// take joins the first texts up to n characters. A text that is longer by
// itself is split.
func take(texts []string, n int) (piece string, rest []string) {
	n = max(n, leastRoom/2)
	size := 0
	for i, t := range texts {
		if size+len(t) > n {
			if i == 0 {
				head := cutAt(t, n)
				return head, append([]string{"[continued]: " + t[len(head):]}, texts[1:]...)
			}
			return strings.Join(texts[:i], "\n\n"), texts[i:]
		}
		size += len(t) + 2
	}
	return strings.Join(texts, "\n\n"), nil
}

// textRoom is how many characters each of the parts of a summary may have that
// no model wrote: a quarter of the reserve.
func (p *Plan) textRoom() int {
	if p.limits.Window == 0 || p.limits.Reserve <= 0 {
		return DefaultReserve
	}
	return int(p.limits.Reserve)
}

// Mechanical returns a summary that was made without a model: the summary of
// before, the user's words, the last answer and the files. why is the reason
// no model wrote it.
func (p *Plan) Mechanical(why, path string) string {
	var b strings.Builder
	b.WriteString("The earlier part of the conversation was cut off because it no longer fitted, and could not be summarised (" + shorten(why, 200) + "). What is left of it:")
	room := p.textRoom()
	if p.Previous != "" {
		b.WriteString("\n\n" + shorten(strip(p.Previous), room))
	}
	all := append(append([]ai.Message(nil), p.History...), p.Prefix...)
	for i := len(all) - 1; i >= 0; i-- {
		if m, ok := all[i].(*ai.AssistantMessage); ok {
			if text := strings.TrimSpace(ai.ContentText(m.Content)); text != "" {
				b.WriteString("\n\n## Last Answer\n" + shorten(text, room/4))
				break
			}
		}
	}
	return p.finish(b.String(), path)
}
