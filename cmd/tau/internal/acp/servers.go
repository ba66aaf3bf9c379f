package acp

import (
	"encoding/json"
	"errors"
	"fmt"
)

// pair is how the protocol writes variables and headers.
type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// clientServers writes the servers that a client names as mcp.json has them.
func clientServers(list []json.RawMessage) ([]byte, error) {
	out := map[string]map[string]any{}
	for _, raw := range list {
		var s struct {
			Type    string   `json:"type"`
			Name    string   `json:"name"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
			Env     []pair   `json:"env"`
			URL     string   `json:"url"`
			Headers []pair   `json:"headers"`
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, err
		}
		if s.Name == "" {
			return nil, errors.New("a server has no name")
		}
		if out[s.Name] != nil {
			return nil, fmt.Errorf("two servers have the name %q", s.Name)
		}
		e := map[string]any{}
		if s.Type != "" {
			e["type"] = s.Type
		}
		if s.Command != "" {
			e["command"], e["args"], e["env"] = s.Command, s.Args, object(s.Env)
		}
		if s.URL != "" {
			e["url"], e["headers"] = s.URL, object(s.Headers)
		}
		out[s.Name] = e
	}
	return json.Marshal(out)
}

func object(pairs []pair) map[string]string {
	out := map[string]string{}
	for _, p := range pairs {
		out[p.Name] = p.Value
	}
	return out
}
