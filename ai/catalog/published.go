package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// published is the form of models.dev's api.json: providers by id, with their
// models by id. Costs are US dollars for a million tokens.
type published map[string]struct {
	Models map[string]struct {
		Name       string `json:"name"`
		Reasoning  bool   `json:"reasoning"`
		ToolCall   bool   `json:"tool_call"`
		Modalities struct {
			Input []string `json:"input"`
		} `json:"modalities"`
		Cost *struct {
			Input      float64 `json:"input"`
			Output     float64 `json:"output"`
			CacheRead  float64 `json:"cache_read"`
			CacheWrite float64 `json:"cache_write"`
		} `json:"cost"`
		Limit struct {
			Context int64 `json:"context"`
			Output  int64 `json:"output"`
		} `json:"limit"`
	} `json:"models"`
}

// publishedName is what a provider is called there.
func publishedName(provider string) string {
	switch provider {
	case "fireworks":
		return "fireworks-ai"
	case "together":
		return "togetherai"
	case "vercel-ai-gateway":
		return "vercel"
	case "kimi-coding":
		return "kimi-for-coding"
	}
	return provider
}

// Merge brings descriptions of models, one JSON object a line, up to date with
// data in the form of models.dev's api.json: of models that are known it takes
// over what they cost and hold, and models that are new it describes like the
// one of the same provider whose id is most alike. What the data does not have
// stays. The result is in order of provider and id.
func Merge(lines, data []byte) ([]byte, error) {
	var p published
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("published models: %w", err)
	}
	return refresh(lines, p)
}

func refresh(lines []byte, p published) ([]byte, error) {
	byProvider := map[string]map[string]map[string]any{}
	for n, line := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
		var m map[string]any
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber() // as they are written
		if err := dec.Decode(&m); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		provider, _ := m["provider"].(string)
		id, _ := m["id"].(string)
		if provider == "" || id == "" {
			return nil, fmt.Errorf("line %d: not a model", n+1)
		}
		if byProvider[provider] == nil {
			byProvider[provider] = map[string]map[string]any{}
		}
		byProvider[provider][id] = m
	}
	var out bytes.Buffer
	for _, provider := range sorted(byProvider) {
		known := byProvider[provider]
		there := publishedName(provider)
		before := sorted(known)
		for _, id := range sorted(p[there].Models) {
			d := p[there].Models[id]
			m := known[id]
			if m == nil {
				if !d.ToolCall || d.Limit.Context <= 0 {
					continue // of no use to an agent
				}
				m = clone(known[alike(id, before)])
				m["id"], m["name"] = id, d.Name
				m["reasoning"] = d.Reasoning
				delete(m, "promptCache")
				if !d.Reasoning {
					delete(m, "thinkingLevelMap")
				}
				input := []string{"text"}
				if slices.Contains(d.Modalities.Input, "image") {
					input = append(input, "image")
				} else {
					delete(m, "inputLimits")
				}
				m["input"] = input
				known[id] = m
			}
			if d.Limit.Context > 0 {
				m["contextWindow"] = d.Limit.Context
			}
			if d.Limit.Output > 0 {
				m["maxTokens"] = d.Limit.Output
			}
			if d.Cost != nil && d.Cost.Input >= 0 && d.Cost.Output >= 0 && d.Cost.CacheRead >= 0 && d.Cost.CacheWrite >= 0 {
				cost, _ := m["cost"].(map[string]any)
				fresh := map[string]any{"input": d.Cost.Input, "output": d.Cost.Output, "cacheRead": d.Cost.CacheRead, "cacheWrite": d.Cost.CacheWrite}
				if tiers, ok := cost["tiers"]; ok && slices.Contains(before, id) {
					fresh["tiers"] = tiers // which the source does not have
				}
				m["cost"] = fresh
			}
		}
		for _, id := range sorted(known) {
			line, err := json.Marshal(known[id])
			if err != nil {
				return nil, err
			}
			out.Write(append(line, '\n'))
		}
	}
	if out.Len() == 0 {
		return nil, errors.New("no models")
	}
	return out.Bytes(), nil
}

// alike is the id that has most of its beginning in common with id.
func alike(id string, ids []string) string {
	best, most := ids[0], -1
	for _, other := range ids {
		n := 0
		for n < len(id) && n < len(other) && id[n] == other[n] {
			n++
		}
		if n > most {
			best, most = other, n
		}
	}
	return best
}

func clone(m map[string]any) map[string]any {
	c := make(map[string]any, len(m))
	for key, value := range m {
		c[key] = value
	}
	return c
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
