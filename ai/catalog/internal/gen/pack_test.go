package main

import (
	"bytes"
	"os"
	"path/filepath"
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

func TestUpdateOfAPackedFile(t *testing.T) {
	dir := t.TempDir()
	in, out, src := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "src")
	os.WriteFile(in, []byte(known), 0o600)
	os.WriteFile(src, []byte(source), 0o600)
	if err := pack(in, out); err != nil {
		t.Fatal(err)
	}
	if err := update(src, out); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := unpack(out, &text); err != nil || strings.Count(text.String(), "\n") != 4 {
		t.Errorf("%v %s", err, text.String())
	}
	os.WriteFile(src, []byte("<html>"), 0o600)
	if err := update(src, out); err == nil {
		t.Error("a page was taken for models")
	}
}
