package store

import (
	"strings"
	"testing"

	"tau/ai"
)

// BenchmarkDecode reads an entry of 10 KB.
func BenchmarkDecode(b *testing.B) {
	e := say(ai.RoleAssistant, strings.Repeat("the quick brown fox \"jumps\" over\nthe lazy dog ", 210))
	e.Type, e.ID = "message", "a"
	line, err := encodeEntry(e)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := decodeEntry(line); err != nil {
			b.Fatal(err)
		}
	}
}
