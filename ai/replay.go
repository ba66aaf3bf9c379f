package ai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"tau/ai/partialjson"
)

// Replay mends a stored conversation so that it can be sent to model, which is
// the greater part of [Prepare]. The result is a conversation that a strict server accepts:
//
//   - only user, assistant and tool result messages are left;
//   - answers that failed or were aborted are left out, with their results;
//   - each call has exactly one result, directly after the answer, in the
//     order of the calls; a missing one says "No result provided" and is an
//     error, one without a call is dropped;
//   - call ids are unique and of the form that the model's protocol takes;
//   - thinking and signatures of another model are left out;
//   - images become a short note if the model does not take images;
//   - there is no empty text and no empty message, and no blank text where the
//     protocol refuses it; all text is UTF-8.
//
// Replay is a pure function: equal beginnings of two conversations give equal
// beginnings of the results, which is what prompt caches live on. Messages are
// copied where they change and shared where not.
func Replay(model *Model, msgs []Message) []Message { return replayWith(model, msgs, false, nil) }

// replayWith is Replay that may keep changes and may know parts of the result.
func replayWith(model *Model, msgs []Message, changes bool, memo *remembered) []Message {
	r := replay{model: model, used: make(map[string]bool), results: pairResults(msgs), memo: memo}
	out := make([]Message, 0, len(msgs))
	for i, m := range msgs {
		switch m := m.(type) {
		case *UserMessage:
			out = append(out, r.user(m)...)
		case *AssistantMessage:
			out = append(out, r.answer(i, m)...)
		case *Change:
			if changes {
				out = append(out, m)
			}
		}
	}
	return out
}

// callRef names a call by its place: ids may repeat.
type callRef struct{ message, call int }

// pairResults ties each result to the call it answers: the first open call
// with its id in the latest answer that has such a call.
func pairResults(msgs []Message) map[callRef]*ToolResultMessage {
	open := make(map[string][]callRef)
	results := make(map[callRef]*ToolResultMessage)
	for i, m := range msgs {
		switch m := m.(type) {
		case *AssistantMessage:
			for n, c := range m.ToolCalls() {
				if refs := open[c.ID]; len(refs) > 0 && refs[0].message != i {
					open[c.ID] = nil
				}
				open[c.ID] = append(open[c.ID], callRef{i, n})
			}
		case *ToolResultMessage:
			if refs := open[m.ToolCallID]; len(refs) > 0 {
				results[refs[0]] = m
				open[m.ToolCallID] = refs[1:]
			}
		}
	}
	return results
}

type replay struct {
	model   *Model
	used    map[string]bool // call ids
	results map[callRef]*ToolResultMessage
	memo    *remembered
}

func (r *replay) user(m *UserMessage) []Message {
	if known, ok := r.memo.replay(m, nil, nil); ok {
		return known
	}
	var out []Message
	if content := r.content(m.Content); len(content) > 0 {
		out = []Message{withUserContent(m, content)}
	}
	r.memo.keepReplay(m, &replayed{messages: out})
	return out
}

// answer returns the answer m, which is message i, and the results of its calls.
func (r *replay) answer(i int, m *AssistantMessage) []Message {
	if m.StopReason == StopError || m.StopReason == StopAborted {
		return nil
	}
	var ids []string
	var results []*ToolResultMessage
	for _, c := range m.Content {
		if c, ok := c.(*ToolCall); ok {
			results = append(results, r.results[callRef{i, len(ids)}])
			ids = append(ids, r.uniqueID(c.ID))
		}
	}
	if known, ok := r.memo.replay(m, ids, results); ok {
		return known
	}
	out := r.mendAnswer(m, ids, results)
	r.memo.keepReplay(m, &replayed{out, ids, results})
	return out
}

// mendAnswer returns the answer with the ids for its calls and the results of
// these, which may be nil.
func (r *replay) mendAnswer(m *AssistantMessage, ids []string, given []*ToolResultMessage) []Message {
	same := m.Provider == r.model.Provider && m.API == r.model.API && m.Model == r.model.ID
	content := make([]Block, 0, len(m.Content))
	results := make([]Message, 1, len(ids)+1) // the answer comes first
	says := false
	for _, b := range m.Content {
		switch b := b.(type) {
		case *Thinking:
			if same && (strings.TrimSpace(b.Thinking) != "" || b.Signature != "") {
				content = append(content, validThinking(b))
			}
		case *Text:
			if b.Text == "" || !r.blanks(RoleAssistant) && strings.TrimSpace(b.Text) == "" {
				continue
			}
			says = true
			if text := validText(b.Text); text != b.Text || !same && b.Signature != "" {
				c := *b
				c.Text = text
				if !same {
					c.Signature = ""
				}
				b = &c
			}
			content = append(content, b)
		case *ToolCall:
			says = true
			n := len(results) - 1
			c := mendCall(b, ids[n], same)
			content = append(content, c)
			results = append(results, r.result(given[n], c, m))
		case *RawBlock:
			if same && b.Type == "fallback" {
				content = append(content, b) // Anthropic wants its mark back where it was
			}
		}
	}
	if !says {
		return nil // thinking alone is not accepted as an answer
	}
	c := *m
	c.Content = content
	results[0] = &c
	return results
}

func mendCall(b *ToolCall, id string, same bool) *ToolCall {
	c := *b
	c.ID = id
	c.Arguments = validArguments(b.Arguments)
	if !same {
		c.ThoughtSignature = ""
	}
	return &c
}

func (r *replay) result(m *ToolResultMessage, call *ToolCall, answer *AssistantMessage) Message {
	if m == nil {
		return &ToolResultMessage{
			ToolCallID: call.ID, ToolName: call.Name, Content: TextBlocks("No result provided"), IsError: true, Timestamp: answer.Timestamp,
		}
	}
	content := r.content(m.Content)
	if len(content) == 0 {
		content = TextBlocks("(no output)")
	}
	if m.ToolCallID == call.ID && sameBlocks(content, m.Content) {
		return m
	}
	c := *m
	c.ToolCallID, c.Content = call.ID, content
	return &c
}

// content mends what a user or a tool said.
func (r *replay) content(blocks []Block) []Block {
	out := make([]Block, 0, len(blocks))
	for _, b := range blocks {
		switch b := b.(type) {
		case *Text:
			if b.Text == "" || !r.blanks(RoleUser) && strings.TrimSpace(b.Text) == "" {
				continue
			}
			if text := validText(b.Text); text != b.Text {
				c := *b
				c.Text = text
				b = &c
			}
			out = append(out, b)
		case *Image:
			if !r.model.Sees() {
				out = append(out, &Text{Text: "(image omitted: model does not support images)"})
			} else if b.Data != "" {
				out = append(out, b)
			}
		}
	}
	return out
}

// blanks reports whether texts of white space alone are sent, as pi does where
// the protocol takes them.
func (r *replay) blanks(from Role) bool {
	switch r.model.API {
	case "openai-responses", "azure-openai-responses":
		return true
	case "openai-completions":
		return from == RoleUser
	}
	return false
}

// uniqueID returns id in the form that the protocol takes, changed if an
// earlier call has it already.
func (r *replay) uniqueID(id string) string {
	limit := 64
	switch r.model.API {
	case "anthropic-messages", "bedrock-converse-stream":
		id = strings.Map(idRune, id) // the API checks ^[a-zA-Z0-9_-]+$
	case "openai-completions":
		// Ids of the Responses API are two joined by a bar, and longer than the
		// 40 characters that are allowed here.
		id, _, _ = strings.Cut(id, "|")
		id, limit = strings.Map(idRune, id), 40
	case "mistral-conversations":
		return r.shortID(id)
	default:
		id, limit = validText(id), 1<<20
	}
	if id == "" {
		id = "call"
	}
	id = id[:min(len(id), limit)]
	unique := id
	for n := 2; r.used[unique]; n++ {
		suffix := "_" + strconv.Itoa(n)
		unique = id[:min(len(id), limit-len(suffix))] + suffix
	}
	r.used[unique] = true
	return unique
}

// shortID returns id in the form that Mistral takes, which is nine letters and
// digits: unchanged if it has that form, otherwise made from its hash.
func (r *replay) shortID(id string) string {
	for n := 0; ; n++ {
		short := id
		if n > 0 || len(id) != 9 || strings.ContainsFunc(id, func(c rune) bool { return c == '_' || c == '-' || idRune(c) != c }) {
			sum := sha256.Sum256([]byte(id + "\x00" + strconv.Itoa(n)))
			short = hex.EncodeToString(sum[:])[:9]
		}
		if !r.used[short] {
			r.used[short] = true
			return short
		}
	}
}

func idRune(c rune) rune {
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
		return c
	}
	return '_'
}

func validThinking(b *Thinking) *Thinking {
	if utf8.ValidString(b.Thinking) {
		return b
	}
	c := *b
	c.Thinking = validText(b.Thinking)
	return &c
}

// validText replaces what is not UTF-8, which covers halves of surrogate pairs.
func validText(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// validArguments returns an object without lone surrogates.
func validArguments(args json.RawMessage) json.RawMessage {
	text := string(args)
	if utf8.ValidString(text) && !strings.Contains(text, `\u`) && strings.HasPrefix(text, "{") && json.Valid(args) {
		return args
	}
	var s partialjson.Scanner
	s.Write(strings.TrimSpace(text))
	if doc := s.Closed(); s.Done() && doc[0] == '{' {
		return doc
	}
	return json.RawMessage("{}")
}

func withUserContent(m *UserMessage, content []Block) *UserMessage {
	if sameBlocks(content, m.Content) {
		return m
	}
	c := *m
	c.Content, c.Plain = content, false
	return &c
}

func sameBlocks(a, b []Block) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
