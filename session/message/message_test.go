package message

import (
	"testing"

	"tau/ai"
	"tau/ai/openjson"
)

func TestRoundTripAndRequestText(t *testing.T) {
	for _, tt := range []struct{ in, text string }{
		{`{"role":"bashExecution","command":"ls","output":"a","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1,"x":1}`, "Ran `ls`\n```\na\n```"},
		{`{"role":"bashExecution","command":"ls","output":"","exitCode":2,"cancelled":false,"truncated":true,"fullOutputPath":"/l","timestamp":1}`, "Ran `ls`\n(no output)\n\nCommand exited with code 2\n\n[Output truncated. Full output: /l]"},
		{`{"role":"bashExecution","command":"ls","output":"","cancelled":true,"truncated":false,"timestamp":1}`, "Ran `ls`\n(no output)\n\n(command cancelled)"},
		{`{"role":"bashExecution","command":"ls","output":"","exitCode":0,"cancelled":false,"truncated":false,"excludeFromContext":true,"timestamp":1}`, ""},
		{`{"role":"custom","customType":"c","content":"hi","display":true,"timestamp":1}`, "hi"},
		{`{"role":"custom","customType":"c","content":[{"type":"text","text":"a"}],"display":true,"details":{"k":1},"timestamp":1}`, "a"},
		{`{"role":"branchSummary","summary":"S","fromId":"x","timestamp":1}`, branchLead + "S</summary>"},
		{`{"role":"compactionSummary","summary":"S","tokensBefore":9,"timestamp":1}`, compactionLead + "S\n</summary>"},
		{`{"role":"future","a":1}`, ""},
	} {
		m, err := Unmarshal([]byte(tt.in))
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if out, _ := openjson.Encode(m); string(out) != tt.in {
			t.Errorf("round trip\n in  %s\n out %s", tt.in, out)
		}
		got := ""
		if llm := ToLLM([]ai.Message{m}); len(llm) > 0 {
			got = ai.ContentText(llm[0].(*ai.UserMessage).Content)
		}
		if got != tt.text {
			t.Errorf("%s: text %q want %q", tt.in, got, tt.text)
		}
	}
}
