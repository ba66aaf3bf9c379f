package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// The keys of models.json.

func topKeys() []string { return []string{"$schema", "providers"} }

func providerKeys() []string {
	return []string{"name", "baseUrl", "apiKey", "api", "oauth", "headers", "compat", "authHeader", "models", "modelOverrides"}
}

func modelKeys() []string {
	return []string{
		"id", "name", "api", "provider", "baseUrl", "reasoning", "thinkingLevelMap", "input", "inputLimits", "cost", "promptCache",
		"contextWindow", "maxTokens", "samplingParams", "samplingParamsByThinkingLevel", "headers", "compat",
	}
}

// look warns of keys that are not known and therefore have no effect.
func (p *userParser) look(obj *hujson.Object, what string, known []string) {
	for i := range obj.Members {
		m := &obj.Members[i]
		key := name(m)
		if slices.Contains(known, key) {
			continue
		}
		text := fmt.Sprintf("%s: the key %q is not known and has no effect", what, key)
		if near := nearest(key, known); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		} else {
			text += "."
		}
		p.warnings = append(p.warnings, (&positionError{p.data, m.Name.StartOffset, text}).Error())
	}
}

// nearest is the known key that key was probably meant to be, "" if none is
// near.
func nearest(key string, known []string) string {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	best, least := "", 3
	for _, k := range known {
		if d := distance(plain(key), plain(k), least); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of edits between two words, or limit if it is not
// less.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return min(row[len(b)], limit)
}
