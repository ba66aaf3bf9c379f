// Package storetest writes large session files for benchmarks and tests of
// scale.
package storetest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Spec is a session to write.
type Spec struct {
	ID, CWD string
	Entries int
	Bytes   int64 // of the whole file, roughly
	// Last is the text of the last prompt.
	Last string
}

const word = "the quick brown fox jumps over the lazy dog; func main() { return nil } "

// Write writes a session of turns: a prompt, an answer with a call, its result,
// an answer. Every 5,000 entries there is a branch, every 20,000 a label.
func Write(path string, s Spec) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write test session: %w", err)
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write test session: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	const at = "2026-01-01T00:00:00.000Z"
	fmt.Fprintf(w, `{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%q}`+"\n", s.ID, at, s.CWD)
	size := int(s.Bytes/int64(max(s.Entries, 1))) - 250
	text := strings.Repeat(word, max(size, 0)/len(word)+1)
	parent := "null"
	for i := range s.Entries {
		id := fmt.Sprintf("%08x", i)
		head := fmt.Sprintf(`"id":"%s","parentId":%s,"timestamp":"%s"`, id, parent, at)
		body := fmt.Sprintf("entry %d %s", i, text)
		switch i % 4 {
		case 0:
			if i+4 >= s.Entries && s.Last != "" {
				body += s.Last
			}
			fmt.Fprintf(w, `{"type":"message",%s,"message":{"role":"user","content":[{"type":"text","text":%s}],"timestamp":1}}`+"\n", head, quote(body))
		case 1, 3:
			call, stop := "", "stop"
			if i%4 == 1 {
				call, stop = fmt.Sprintf(`,{"type":"toolCall","id":"c%d","name":"read","arguments":{"path":"f%d.go"}}`, i, i%100), "toolUse"
			}
			fmt.Fprintf(w, `{"type":"message",%s,"message":{"role":"assistant","content":[{"type":"text","text":%s}%s],"api":"anthropic-messages","provider":"p","model":"m","usage":{"input":10,"output":5,"cacheRead":1000,"cacheWrite":0,"totalTokens":1015,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.01}},"stopReason":"%s","timestamp":1}}`+"\n", head, quote(body), call, stop)
		case 2:
			fmt.Fprintf(w, `{"type":"message",%s,"message":{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[{"type":"text","text":%s}],"isError":false,"timestamp":1}}`+"\n", head, i-1, quote(body))
		}
		parent = `"` + id + `"`
		if i%5000 == 4999 && i > 100 {
			parent = fmt.Sprintf(`"%08x"`, i-i%4-1)
		}
		if i%20000 == 19999 {
			fmt.Fprintf(w, `{"type":"label","id":"l%07x","parentId":%s,"timestamp":"%s","targetId":"%s","label":"mark %d"}`+"\n", i, parent, at, id, i)
			parent = fmt.Sprintf(`"l%07x"`, i)
		}
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return fmt.Errorf("write test session: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write test session: %w", err)
	}
	return nil
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
