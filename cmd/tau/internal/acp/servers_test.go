package acp

import (
	"encoding/json"
	"testing"
	"time"

	tools "tau/tools/mcp"
)

func TestClientServers(t *testing.T) {
	object, err := clientServers([]json.RawMessage{
		json.RawMessage(`{"name":"a","command":"x","args":["1"],"env":[{"name":"K","value":"v"}]}`),
		json.RawMessage(`{"type":"http","name":"b","url":"https://x.example","headers":[{"name":"H","value":"v"}]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	got, problems := tools.Entries(object, tools.Client)
	if len(problems) > 0 || len(got) != 2 || got[0].Env["K"] != "v" || got[1].Headers["H"] != "v" || got[1].Timeout != time.Minute {
		t.Errorf("%+v %v", got, problems)
	}
	for _, bad := range []string{`{"command":"x"}`, `[]`} {
		if _, err := clientServers([]json.RawMessage{json.RawMessage(bad)}); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}
