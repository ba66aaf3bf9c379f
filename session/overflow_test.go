package session

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"tau/ai"
)

func overflows() reply { return fails(ai.FailOverflow, "prompt is too long", 0) }

func TestOverflow(t *testing.T) {
	quota := fails(ai.FailQuota, "no money", 0)
	for _, tt := range []struct {
		name            string
		talk, summaries []reply
		events          string
		requests        int
		tail            string // of the entries
	}{
		{
			"compacted and sent again", []reply{overflows(), says("ok")}, []reply{says("sum")},
			"agent_end\ncompaction_start overflow\ncompaction_end overflow result=true aborted=false retry=true\nagent_end\nagent_settled\n", 2,
			"assistant:prompt is too long\ncontext_edit\ncompaction\nassistant:ok\n",
		},
		{
			"it stays", []reply{overflows(), overflows(), says("never")}, []reply{says("sum"), says("never")},
			"agent_end\ncompaction_start overflow\ncompaction_end overflow result=true aborted=false retry=true\nagent_end\ncompaction_end overflow result=false aborted=false retry=false error=the conversation still", 2,
			"assistant:prompt is too long\ncontext_edit\ncompaction\nassistant:prompt is too long\n",
		},
		{
			"the summary is cut, so the cut is mechanical", []reply{overflows(), says("ok")}, []reply{func(context.Context, ai.Request) *ai.AssistantMessage {
				m := text("half a summ")
				m.StopReason = ai.StopLength
				return m
			}},
			"agent_end\ncompaction_start overflow\ncompaction_end overflow result=true aborted=false retry=true mechanical=the summary ended at the output limit\nagent_end\nagent_settled\n", 2,
			"assistant:prompt is too long\ncontext_edit\ncompaction\nassistant:ok\n",
		},
		{
			"no money for a summary", []reply{overflows()}, []reply{quota},
			"agent_end\ncompaction_start overflow\ncompaction_end overflow result=false aborted=false retry=false error=no money\nagent_settled\n", 1,
			"assistant:prompt is too long\ncontext_edit\n",
		},
		{
			"a server that cuts the prompt without a word", []reply{func(context.Context, ai.Request) *ai.AssistantMessage {
				return &ai.AssistantMessage{StopReason: ai.StopLength, Usage: ai.Usage{Input: 2990, TotalTokens: 2990}}
			}, says("ok")}, []reply{says("sum")},
			"agent_end\ncompaction_start overflow\ncompaction_end overflow result=true aborted=false retry=true\nagent_end\nagent_settled\n", 2,
			"assistant:\ncontext_edit\ncompaction\nassistant:ok\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, "", nil)
				b.talk.answers = append([]reply{sized("one", 900), sized("two", 1900)}, tt.talk...)
				b.summaries.answers = tt.summaries
				ask(t, b.Session, "first "+long+long)
				ask(t, b.Session, "second "+long+long)
				ask(t, b.Session, "third")
				entries := short(t, b.Store())
				log := strings.TrimPrefix(b.log(), "agent_end\nagent_settled\nagent_end\nagent_settled\n")
				if !strings.HasPrefix(log, tt.events) || !strings.HasSuffix(log, "agent_settled\n") {
					t.Errorf("events\n%s\nwant\n%s", log, tt.events)
				}
				if n := len(b.talk.requests) - 2; n != tt.requests {
					t.Errorf("%d requests, want %d", n, tt.requests)
				}
				if !strings.HasSuffix(entries, tt.tail) {
					t.Errorf("entries\n%s\nwant at the end\n%s", entries, tt.tail)
				}
				if last := contextOf(b.talk.requests[len(b.talk.requests)-1]); strings.Contains(last, "too long") || !strings.HasSuffix(last, "third") {
					t.Errorf("last request: %s", last)
				}
			})
		})
	}
}
