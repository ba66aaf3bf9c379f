package ai

import (
	"slices"
	"strconv"
	"sync"
)

// Memo remembers what the requests of one conversation have in common, so that
// the next request costs what is new in it and not the whole conversation
// again: the mended form of each message, its length, its hash, and its bytes
// on the wire. Messages are told apart by identity, which their immutability
// allows.
//
// Put one into [Options.Memo] for the life of a conversation. The zero value
// is ready; a nil Memo remembers nothing. It holds what the last requests were
// made of and forgets the rest, and begins anew with another model. It may be
// used by several goroutines.
type Memo struct {
	mu    sync.Mutex
	model string
	now   *remembered

	hashes map[Message]messageSum
}

// remembered is what is known about messages as one model gets them. nil
// remembers nothing.
type remembered struct {
	mu      sync.Mutex
	turn    int // number of the request
	entries map[any]*memoEntry
}

type memoEntry struct {
	turn     int // of its last use
	replayed *replayed
	chars    int // counted if > 0
	state    int
	wire     []byte
}

// replayed is what Replay made of a message, and what that depended on.
type replayed struct {
	messages []Message
	ids      []string             // given to the calls
	results  []*ToolResultMessage // of the calls, before they were mended
}

func (m *Memo) begin(model *Model) *remembered {
	if m == nil {
		return nil
	}
	// What the mended form and the bytes of a message depend on. The rest of a
	// request is not remembered.
	key := model.API + "\n" + model.Ref() + "\n" + model.BaseURL + "\n" +
		strconv.FormatBool(model.Sees()) + strconv.FormatBool(model.Reasoning) + "\n" + string(model.Compat)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now == nil || m.model != key {
		m.model, m.now = key, &remembered{entries: map[any]*memoEntry{}}
	}
	m.now.mu.Lock()
	m.now.turn++
	m.now.mu.Unlock()
	return m.now
}

// entry returns what is known about key. The lock must be held.
func (r *remembered) entry(key any) *memoEntry {
	e := r.entries[key]
	if e == nil {
		e = &memoEntry{}
		r.entries[key] = e
	}
	e.turn = r.turn
	return e
}

// replay returns what Replay made of m before, if it would make the same now.
func (r *remembered) replay(m Message, ids []string, results []*ToolResultMessage) ([]Message, bool) {
	if r == nil {
		return nil, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.entries[m]
	if known == nil || known.replayed == nil || !slices.Equal(known.replayed.ids, ids) || !slices.Equal(known.replayed.results, results) {
		return nil, false
	}
	known.turn = r.turn
	return known.replayed.messages, true
}

func (r *remembered) keepReplay(m Message, now *replayed) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entry(m).replayed = now
}

func (r *remembered) chars(m Message) int {
	if r == nil {
		return messageChars(m)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(m)
	if e.chars == 0 {
		e.chars = messageChars(m)
	}
	return e.chars
}

func (r *remembered) encoded(key any, state int, encode func() ([]byte, error)) ([]byte, error) {
	if r == nil {
		return encode()
	}
	r.mu.Lock()
	e := r.entry(key)
	wire, same := e.wire, e.state == state
	r.mu.Unlock()
	if wire != nil && same {
		return wire, nil
	}
	wire, err := encode()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	e.wire, e.state = wire, state
	r.mu.Unlock()
	return wire, nil
}

// sweep forgets what the last requests did not use, when that is much.
func (r *remembered) sweep() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	const old = 4 // a summary or two in between are no reason to forget
	if r.turn%old != 0 {
		return
	}
	for key, e := range r.entries {
		if r.turn-e.turn >= old {
			delete(r.entries, key)
		}
	}
}
