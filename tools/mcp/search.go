package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"tau/agent"
)

const searchSchema = `{"type":"object","properties":{"query":{"type":"string","description":"Words that say what is to be done, or names of tools, separated by commas"},"limit":{"type":"integer","minimum":1,"maximum":50,"description":"Tools to load at most; 8 if left out"}},"required":["query"]}`

// defaultFound is how many tools a search loads.
const defaultFound = 8

// searchTool finds deferred tools and makes them callable.
func (b *Toolbox) searchTool() *agent.Tool {
	return &agent.Tool{
		Name: "tool_search", Label: "Tool search",
		Description: "Find tools of MCP servers that are not loaded yet, and load them: the tools it returns can be called from the next step on.",
		Parameters:  json.RawMessage(searchSchema),
		Snippet:     "find and load further tools",
		Execute: func(ctx context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
			var a struct {
				Query string `json:"query"`
				Limit int    `json:"limit"`
			}
			if err := decode(call.Args, &a); err != nil {
				return agent.Result{}, err
			}
			return b.search(ctx, a.Query, cmp.Or(a.Limit, defaultFound)), nil
		},
	}
}

func (b *Toolbox) search(ctx context.Context, query string, limit int) agent.Result {
	// Servers may still be connecting: that is worth a moment.
	waiting, cancel := context.WithTimeout(ctx, max(firstWait-time.Since(b.hub.newest()), time.Second))
	b.hub.WaitConnected(waiting)
	cancel()
	type hit struct {
		r     *remote
		score int
	}
	var hits []hit
	total := 0
	exact, words := names(query), terms(query)
	for _, r := range b.hub.remotes() {
		if r.server.exposureOf(r.def.Name) != Deferred || !b.allow(r.tool.Name) {
			continue
		}
		total++
		if n := score(r, exact, words); n > 0 {
			hits = append(hits, hit{r, n})
		}
	}
	slices.SortStableFunc(hits, func(x, y hit) int { return cmp.Compare(y.score, x.score) })
	if len(hits) > 0 && hits[0].score == exactly {
		// Who names tools wants these and no others.
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.score != exactly })
	}
	if len(hits) > limit {
		hits = hits[:limit]
	}
	if len(hits) == 0 {
		return agent.TextResult(fmt.Sprintf("None of the %d tools fits %q.%s", total, clip(query, 200), b.troubles()))
	}
	var out strings.Builder
	var loaded []string
	out.WriteString("Loaded; they can be called from now on:\n")
	for _, h := range hits {
		loaded = append(loaded, h.r.tool.Name)
		first, _, _ := strings.Cut(plain(h.r.def.Description), "\n")
		fmt.Fprintf(&out, "- %s: %s\n", h.r.tool.Name, clip(first, 200))
	}
	b.load(loaded)
	return agent.TextResult(strings.TrimRight(out.String(), "\n"))
}

// troubles says which servers are not there.
func (b *Toolbox) troubles() string {
	var out []string
	for _, s := range b.hub.Status() {
		switch s.State {
		case Failed, NeedsLogin, Disconnected, Connecting:
			text := s.Name + " is " + string(s.State)
			if s.State == NeedsLogin {
				text = s.Name + " needs a login by the user"
			}
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " " + strings.Join(out, "; ") + "."
}

// names are the parts of a query that may be names of tools.
func names(query string) []string {
	query = strings.TrimPrefix(strings.TrimSpace(query), "select:")
	var out []string
	for _, n := range strings.FieldsFunc(query, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		out = append(out, strings.ToLower(n))
	}
	return out
}

// terms are the words of a text, in small letters, also those that are run
// together as in camelCase and snake_case.
func terms(text string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	small := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			small = false
			continue
		}
		if unicode.IsUpper(r) && small {
			flush()
		}
		small = unicode.IsLower(r)
		word.WriteRune(r)
	}
	flush()
	return out
}

// exactly is the score of a tool that was named.
const exactly = 1000

// score says how well a tool fits: its very name most of all, then words in its
// name, its server's, its description.
func score(r *remote, exact, words []string) int {
	if slices.Contains(exact, strings.ToLower(r.tool.Name)) || slices.Contains(exact, strings.ToLower(r.def.Name)) {
		return exactly
	}
	own, server := terms(r.def.Name+" "+r.def.Title), terms(r.server.name())
	about := terms(clip(r.def.Description, 2000))
	n := 0
	for _, w := range words {
		switch {
		case slices.Contains(own, w):
			n += 10
		case slices.Contains(server, w):
			n += 5
		case len(w) > 2 && slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, w) || len(o) > 2 && strings.HasPrefix(w, o) }):
			n += 4
		case len(w) > 2 && slices.Contains(about, w):
			n += 2
		}
	}
	return n
}
