package catalog

import (
	"bytes"
	"strings"
	"testing"
)

const known = `{"provider":"together","id":"lab/old","name":"Old","api":"openai-completions","baseUrl":"https://x.test","reasoning":true,"input":["text"],"contextWindow":1,"maxTokens":1,"cost":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"tiers":[{"inputTokensAbove":200000,"input":4.50}]},"thinkingLevelMap":{"off":null},"compat":{"a":1}}
{"provider":"together","id":"other/zeta","name":"Z","api":"anthropic-messages","baseUrl":"https://y.test","reasoning":false,"input":["text"],"contextWindow":1,"maxTokens":1,"cost":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0}}
{"provider":"mine","id":"x","name":"X","api":"openai-completions","baseUrl":"","reasoning":false,"input":["text"],"contextWindow":7,"maxTokens":7,"cost":{"input":0.10,"output":0,"cacheRead":0,"cacheWrite":0}}
`

const source = `{"togetherai":{"models":{
 "lab/old":{"name":"Old, renamed","reasoning":false,"tool_call":true,"modalities":{"input":["text"]},"cost":{"input":2,"output":3},"limit":{"context":100,"output":50}},
 "lab/old-2":{"name":"New","reasoning":false,"tool_call":true,"modalities":{"input":["text","image","pdf"]},"cost":{"input":0.5,"output":1,"cache_read":0.05},"limit":{"context":200,"output":20}},
 "lab/embed":{"name":"Embed","tool_call":false,"limit":{"context":200}}}}}`

func TestMerge(t *testing.T) {
	got, err := Merge([]byte(known), []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"api":"openai-completions","baseUrl":"","contextWindow":7,"cost":{"cacheRead":0,"cacheWrite":0,"input":0.10,"output":0},"id":"x","input":["text"],"maxTokens":7,"name":"X","provider":"mine","reasoning":false}`,
		`{"api":"openai-completions","baseUrl":"https://x.test","compat":{"a":1},"contextWindow":100,"cost":{"cacheRead":0,"cacheWrite":0,"input":2,"output":3,"tiers":[{"input":4.50,"inputTokensAbove":200000}]},"id":"lab/old","input":["text"],"maxTokens":50,"name":"Old","provider":"together","reasoning":true,"thinkingLevelMap":{"off":null}}`,
		`{"api":"openai-completions","baseUrl":"https://x.test","compat":{"a":1},"contextWindow":200,"cost":{"cacheRead":0.05,"cacheWrite":0,"input":0.5,"output":1},"id":"lab/old-2","input":["text","image"],"maxTokens":20,"name":"New","provider":"together","reasoning":false}`,
		`{"api":"anthropic-messages","baseUrl":"https://y.test","contextWindow":1,"cost":{"cacheRead":0,"cacheWrite":0,"input":1,"output":1},"id":"other/zeta","input":["text"],"maxTokens":1,"name":"Z","provider":"together","reasoning":false}`,
	}
	if string(got) != strings.Join(want, "\n")+"\n" {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	again, err := Merge(got, []byte(source))
	if err != nil || !bytes.Equal(again, got) {
		t.Error("a second refresh changes something")
	}
}
