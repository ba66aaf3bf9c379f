package fakellm

import (
	"strconv"
	"strings"
)

// A directive is a line "BENCH:name key=value …" in a user message; the last
// one of the newest message that has any counts.
//
//	BENCH:stream tokens=N [rate=N] [stop=length]   Markdown in N deltas, at most rate a second
//	BENCH:lines n=N [from=N]                       numbered lines, one a delta
//	BENCH:echo some words                          says them
//	BENCH:thinking think=N tokens=N                thoughts in N deltas, then text
//	BENCH:tools n=N parallel=N [mix=name]          N calls, at most parallel an answer, then an end
//	BENCH:call name=NAME args={…}                  one call; args is the rest of the line
//	BENCH:both name=NAME args={…}                  thoughts, a sentence and one call
//	BENCH:error STATUS [times=N] [at=N] [retry_after=S]  fails, N times, or in the stream after N deltas
//	BENCH:overflow [times=N]                       the context is too long
//	BENCH:hang after=N | at=headers                stops after N deltas and keeps the connection
//
// All take ttft=MS (wait before the first byte), seed=N, in=N (reported input
// tokens) and drop=N (cut the connection after N deltas).
type directive struct {
	name string
	args map[string]string
	rest string // what follows the name
}

func parseDirective(text string) (directive, bool) {
	at := strings.LastIndex(text, "BENCH:")
	if at < 0 {
		return directive{}, false
	}
	line, _, _ := strings.Cut(text[at+len("BENCH:"):], "\n")
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	d := directive{name: name, args: map[string]string{}, rest: strings.TrimSpace(rest)}
	for left := d.rest; left != ""; {
		var word string
		word, left, _ = strings.Cut(strings.TrimLeft(left, " "), " ")
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			if word != "" && d.args[""] == "" {
				d.args[""] = word
			}
			continue
		}
		if key == "args" { // JSON may have spaces in it
			if left != "" {
				value += " " + left
			}
			left = ""
		}
		d.args[key] = value
	}
	return d, true
}

func (d directive) number(key string, otherwise int) int {
	n, err := strconv.Atoi(d.args[key])
	if err != nil {
		return otherwise
	}
	return n
}
