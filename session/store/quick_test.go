package store

import (
	"encoding/json"
	"reflect"
	"testing"
)

// slowEntry decodes as if nothing was known of the order of members.
func slowEntry(t *testing.T, line string) Entry {
	t.Helper()
	e, err := decodeEntry([]byte(" {\"zz\":0," + line[1:]))
	if err != nil {
		return nil
	}
	if m, ok := e.(*MessageEntry); ok {
		if delete(m.Rest, "zz"); len(m.Rest) == 0 {
			m.Rest = nil
		}
	}
	return e
}

func TestQuickMessage(t *testing.T) {
	for line, quick := range map[string]bool{
		`{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"hi","timestamp":1}}`:                                     true,
		`{"type":"message","id":"a","parentId":"b","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"\"}"}],"stopReason":"stop"}}`: true,
		`{"type":"message","id":"a","parentId":"b","timestamp":"t","message":{"role":"toolResult","toolCallId":"c","content":[],"x":{"y":1}}}`:                   true,
		`{"type":"message","id":"a","parentId":"b","timestamp":"t","message":{"role":"bashExecution","command":"ls","output":""}}`:                               true,
		`{"type":"message","id":"a","parentId":"b","timestamp":"t","message":{"role":"user","content":"hi","timestamp":1},"more":1}`:                             false,
		`{"type":"message","id":"a","parentId":"b","x":"y","timestamp":"t","message":{"role":"user","content":"hi","timestamp":1}}`:                              false,
		`{"type":"message","id":"a","parentId":"b","timestamp":"t","x":"y","message":{"role":"user","content":"hi","timestamp":1}}`:                              false,
		`{"type":"message","id":"a","parentId":"b","timestamp":5,"message":{"role":"user","content":"hi","timestamp":1}}`:                                        false,
		`{"type":"message","id":"a","parentId":"b","timestamp":"t","message":{"role":"user","content":"hi","message":{"role":"user"}}}`:                          true,
		`{"type":"message","id":"a","parentId":"b","timestamp":"t","message":null}`:                                                                              true,
		`{"type":"message","id":"a","parentId":"b","timestamp":"t","message":{"role":"user","content":"hi"`:                                                      false,
		`{"type":"custom","id":"a","parentId":"b","timestamp":"t","customType":"x","data":{"message":1}}`:                                                        false,
	} {
		e, ok := quickMessage([]byte(line))
		if ok != quick {
			t.Errorf("%s: quick is %v", line, ok)
		}
		if !ok {
			continue
		}
		if slow := slowEntry(t, line); !reflect.DeepEqual(Entry(e), slow) {
			a, _ := json.Marshal(e)
			b, _ := json.Marshal(slow)
			t.Errorf("%s\n%s\n%s", line, a, b)
		}
	}
}

func FuzzQuickMessage(f *testing.F) {
	f.Add(`{"type":"message","id":"a","parentId":"b","timestamp":"t","message":{"role":"user","content":"hi","timestamp":1}}`)
	f.Add(`{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}`)
	f.Fuzz(func(t *testing.T, line string) {
		e, ok := quickMessage([]byte(line))
		if !ok || line[0] != '{' || !json.Valid([]byte(line)) {
			return // control characters in an id are let pass
		}
		if slow := slowEntry(t, line); slow != nil && !reflect.DeepEqual(Entry(e), slow) {
			t.Errorf("%q: %+v, %+v", line, e, slow)
		}
	})
}

func TestUsageOf(t *testing.T) {
	s := openText(t, user("a", "", "A")+
		`{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{"usage":{"totalTokens":9}}}],"usage":{"input":1,"totalTokens":2,"cost":{"total":0.5}},"stopReason":"stop"}}
{"type":"message","id":"c","parentId":"b","timestamp":"t","message":{"role":"toolResult","toolCallId":"c","content":[],"details":{"usage":{"totalTokens":7}}}}
{"type":"message","id":"d","parentId":"c","timestamp":"t","message":{"role":"toolResult","toolCallId":"c","content":[],"usage":{"totalTokens":3,"cost":{}}}}
{"type":"message","id":"e","parentId":"d","timestamp":"t","message":{"usage":{"totalTokens":4,"cost":{}},"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{"usage":{"totalTokens":9}}}]}}
{"type":"compaction","id":"f","parentId":"e","timestamp":"t","summary":"s","firstKeptEntryId":"f","tokensBefore":1,"usage":{"totalTokens":5,"cost":{}}}
`)
	for id, want := range map[string]int64{"a": 0, "b": 2, "c": 0, "d": 3, "e": 4, "f": 5, "nowhere": 0} {
		u, err := s.UsageOf(id)
		if err != nil || u.TotalTokens != want {
			t.Errorf("%s: %d, want %d (%v)", id, u.TotalTokens, want, err)
		}
	}
}
