package fakellm

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// words cuts text into deltas, a word each.
func words(text string) []string {
	var out []string
	for text != "" {
		at := strings.IndexByte(text[1:], ' ')
		if at < 0 {
			return append(out, text)
		}
		out = append(out, text[:at+1])
		text = text[at+1:]
	}
	return out
}

// markdown is text in exactly n deltas, with what makes terminals work:
// headings, lists, tables, code, wide characters and emoji.
func markdown(n int, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 0x7a))
	vocabulary := strings.Fields("the model reads a file and then writes its answer in small pieces while every frame stays whole " +
		"naïve Grüße 世界 日本語 한국어 🚀 👩‍💻 `code` **bold** _soft_ [link](https://example.test)")
	out := make([]string, 0, n)
	for section := 1; len(out) < n; section++ {
		block := []string{fmt.Sprintf("\n## Section %d\n\n", section)}
		for range 20 + rng.IntN(20) {
			block = append(block, vocabulary[rng.IntN(len(vocabulary))]+" ")
		}
		switch section % 3 {
		case 0:
			block = append(block, "\n\n| name ", "| value |\n", "|---|---|\n", "| a ", "| 1 |\n", "| 世界 ", "| 2 |\n")
		case 1:
			block = append(block, "\n\n```go\n", "func main() {\n", "\tfmt.Println(", `"hi"`, ")\n", "}\n", "```\n")
		case 2:
			block = append(block, "\n\n- first", " item\n", "- second", " item\n")
		}
		out = append(out, block...)
	}
	return out[:n:n]
}
