package wire

import (
	"encoding/json"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session"
	"tau/session/store"
)

func TestEncode(t *testing.T) {
	user := &ai.UserMessage{Content: ai.TextBlocks("a <b>"), Timestamp: 1}
	const userJSON = `{"role":"user","content":[{"type":"text","text":"a <b>"}],"timestamp":1}`
	answer := &ai.AssistantMessage{
		Content: ai.TextBlocks("x"), API: "api", Provider: "p", Model: "m", StopReason: ai.StopEnd, Timestamp: 2,
		Usage: ai.Usage{Input: 1, Output: 2, TotalTokens: 3},
	}
	const usageJSON = `{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"cacheWrite1h":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0,"totalFromProvider":false}}`
	const answerJSON = `{"role":"assistant","content":[{"type":"text","text":"x"}],"api":"api","provider":"p","model":"m","usage":` + usageJSON + `,"stopReason":"stop","timestamp":2}`
	call := &ai.ToolCall{ID: "c", Name: "ls", Arguments: json.RawMessage(`{"path":"."}`)}
	result := agent.TextResult("out")
	failed := agent.Result{IsError: true, Details: json.RawMessage(`{}`)}
	of := func(ev agent.Event) session.Event {
		return session.Event{Type: session.EventType(ev.Type), Agent: ev}
	}
	step := func(ev ai.Event) session.Event {
		ev.Partial = answer
		return of(agent.Event{Type: agent.MessageUpdate, Message: answer, Stream: &ev})
	}
	const update = `{"type":"message_update","usage":` + usageJSON + `,"assistantMessageEvent":`
	edit := &store.ContextEditEntry{Base: store.Base{Type: "context_edit", ID: "e", Timestamp: "t"}, TargetID: "a", Replacement: json.RawMessage("null")}
	for _, tt := range []struct {
		ev   session.Event
		want string
	}{
		{of(agent.Event{Type: agent.AgentStart}), `{"type":"agent_start"}`},
		{of(agent.Event{Type: agent.TurnStart}), `{"type":"turn_start"}`},
		{of(agent.Event{Type: agent.MessageStart, Message: user}), `{"type":"message_start","message":` + userJSON + `}`},
		{of(agent.Event{Type: agent.MessageEnd, Message: answer}), `{"type":"message_end","message":` + answerJSON + `}`},
		{step(ai.Event{Type: ai.EventTextStart}), update + `{"type":"text_start","contentIndex":0}}`},
		{step(ai.Event{Type: ai.EventTextDelta, Delta: ""}), update + `{"type":"text_delta","contentIndex":0,"delta":""}}`},
		{step(ai.Event{Type: ai.EventThinkingEnd, ContentIndex: 1, Content: "hm"}), update + `{"type":"thinking_end","contentIndex":1,"content":"hm"}}`},
		{step(ai.Event{Type: ai.EventToolCallStart, ContentIndex: 2, ToolCall: call}), update + `{"type":"toolcall_start","contentIndex":2,"id":"c","toolName":"ls"}}`},
		{step(ai.Event{Type: ai.EventToolCallEnd, ContentIndex: 2, ToolCall: call}), update + `{"type":"toolcall_end","contentIndex":2,"toolCall":{"type":"toolCall","id":"c","name":"ls","arguments":{"path":"."}}}}`},
		{of(agent.Event{Type: agent.ToolExecutionStart, ToolCallID: "c", ToolName: "ls"}), `{"type":"tool_execution_start","toolCallId":"c","toolName":"ls","args":{}}`},
		{of(agent.Event{Type: agent.ToolExecutionUpdate, ToolCallID: "c", ToolName: "ls", Args: call.Arguments, Result: &result}),
			`{"type":"tool_execution_update","toolCallId":"c","toolName":"ls","args":{"path":"."},"partialResult":{"content":[{"type":"text","text":"out"}]}}`},
		{of(agent.Event{Type: agent.ToolExecutionEnd, ToolCallID: "c", ToolName: "ls", Args: call.Arguments, Result: &result, Duration: 5 * time.Millisecond, HasDuration: true}),
			`{"type":"tool_execution_end","toolCallId":"c","toolName":"ls","result":{"content":[{"type":"text","text":"out"}]},"isError":false,"durationMs":5}`},
		{of(agent.Event{Type: agent.ToolExecutionEnd, ToolCallID: "c", ToolName: "ls", Result: &failed}),
			`{"type":"tool_execution_end","toolCallId":"c","toolName":"ls","result":{"content":[],"details":{},"isError":true},"isError":true}`},
		{of(agent.Event{Type: agent.TurnEnd, Message: answer}), `{"type":"turn_end","message":` + answerJSON + `,"toolResults":[]}`},
		{of(agent.Event{Type: agent.AgentEnd, Messages: []ai.Message{user}}), `{"type":"agent_end","messages":[` + userJSON + `],"willRetry":false}`},
		{session.Event{Type: session.Settled, Aborted: true}, `{"type":"agent_settled","aborted":true}`},
		{session.Event{Type: session.QueueUpdate, Steering: []string{"a"}}, `{"type":"queue_update","steering":["a"],"followUp":[]}`},
		{session.Event{Type: session.CompactionStart, Compaction: session.Compaction{Reason: session.CompactManual}}, `{"type":"compaction_start","reason":"manual"}`},
		{session.Event{Type: session.CompactionEnd, Compaction: session.Compaction{Reason: session.CompactOverflow, Error: "no"}},
			`{"type":"compaction_end","reason":"overflow","aborted":false,"willRetry":false,"errorMessage":"no"}`},
		{session.Event{Type: session.CompactionEnd, Compaction: session.Compaction{Reason: session.CompactManual, Result: &session.CompactionResult{Summary: "s"}}},
			`{"type":"compaction_end","result":{"summary":"s","firstKeptEntryId":"","tokensBefore":0,"estimatedTokensAfter":0},"reason":"manual","aborted":false,"willRetry":false}`},
		{session.Event{Type: session.EntryAppended, Entry: edit},
			`{"type":"entry_appended","entry":{"type":"context_edit","id":"e","parentId":null,"timestamp":"t","targetId":"a","replacement":null}}`},
		{session.Event{Type: session.InfoChanged, Name: "n"}, `{"type":"session_info_changed","name":"n"}`},
		{session.Event{Type: session.InfoChanged}, `{"type":"session_info_changed"}`},
		{session.Event{Type: session.ThinkingChanged, Thinking: ai.ThinkingHigh}, `{"type":"thinking_level_changed","level":"high"}`},
		{session.Event{Type: session.RetryStart, Retry: session.Retry{Attempt: 1, Max: 3, Delay: 2 * time.Second, Reason: "busy"}},
			`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"busy"}`},
		{session.Event{Type: session.RetryEnd, Retry: session.Retry{Attempt: 1, Final: "no"}}, `{"type":"auto_retry_end","success":false,"attempt":1,"finalError":"no"}`},
		{session.Event{Type: session.SummaryRetryStart, Source: "branchSummary"}, `{"type":"summarization_retry_attempt_start","source":"branchSummary"}`},
		{session.Event{Type: session.SummaryRetryEnd}, `{"type":"summarization_retry_finished"}`},
		{session.Event{Type: session.ShellUpdate, ShellID: "7", Delta: "x\n"}, `{"type":"bash_execution_update","id":"7","delta":"x\n"}`},
	} {
		got, err := Encode(tt.ev)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n got  %s\n want %s", tt.ev.Type, err, got, tt.want)
		}
		if !written(tt.ev) {
			t.Errorf("%s is not written", tt.ev.Type)
		}
	}
	for _, ev := range []session.Event{
		{Type: session.ModelChanged}, {Type: session.Navigated}, {Type: session.CacheLost}, {Type: session.ShellEnd}, {Type: session.Saved},
		{Type: session.SaveFailed}, {Type: session.EntryAppended, Entry: &store.CompactionEntry{}},
	} {
		if written(ev) {
			t.Errorf("%s is written", ev.Type)
		}
	}
}
