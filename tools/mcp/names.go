package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// maxName is the longest name of a tool that all providers take.
const maxName = 64

// word replaces what may not be in the name of a tool.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}

// prefix is how the names of a server's tools begin.
func prefix(server string) string {
	w := word(server)
	if len(w) > 24 {
		w = w[:16] + "_" + digest(server)
	}
	return "mcp__" + w + "__"
}

// toolNames returns the names under which the model knows the tools of a
// server, in order. taken are the names of other servers' tools. A name that
// another has, or that is too long, ends in a hash of what it stands for.
func toolNames(server string, tools []string, taken map[string]bool) []string {
	count := map[string]int{}
	for _, t := range tools {
		count[prefix(server)+word(t)]++
	}
	out := make([]string, len(tools))
	for i, t := range tools {
		name := prefix(server) + word(t)
		if count[name] > 1 || taken[name] || len(name) > maxName {
			name = name[:min(len(name), maxName-9)] + "_" + digest(server+"\x00"+t)
		}
		out[i] = name
	}
	return out
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// clip shortens a text to n bytes.
func clip(s string, n int) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\ufffd"))
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
