package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// lines is a file of entries, garbage and blank lines of all lengths.
func randomLines(r *rand.Rand) string {
	var b strings.Builder
	for i := range r.IntN(60) {
		pad := strings.Repeat("x", r.IntN(1+r.IntN(6000)))
		switch r.IntN(12) {
		case 0:
			b.WriteString("garbage" + pad + "\n")
		case 1:
			b.WriteString("\n")
		case 2:
			b.WriteString(strings.TrimSuffix(user(fmt.Sprint("crlf", i), "", pad), "\n") + "\r\n")
		case 3: // another order of members
			fmt.Fprintf(&b, "{\"id\":\"o%d\",\"pad\":%q,\"parentId\":null,\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n", i, pad)
		case 4:
			fmt.Fprintf(&b, "{\"type\":\"label\",\"id\":\"l%d\",\"parentId\":null,\"timestamp\":\"t\",\"targetId\":\"x\",\"label\":\"a\"}\n", i)
		case 5: // cut in the middle
			b.WriteString(strings.TrimSuffix(user(fmt.Sprint("cut", i), "", pad), "}}\n") + "\n")
		default:
			b.WriteString(user(fmt.Sprint("m", i), fmt.Sprint("m", i-1), pad))
		}
	}
	text := b.String()
	if r.IntN(3) == 0 && len(text) > 0 {
		text = text[:r.IntN(len(text))] // a torn end
	}
	return text
}

// In however many parts and with whatever buffer a file is read, the result is
// the same.
func TestScanInParts(t *testing.T) {
	show := func(text string, parts int64, buffer int) string {
		s, broken, err := scanIn(bytes.NewReader([]byte(text)), 0, int64(len(text)), parts, buffer)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, p := range s.parts {
			texts := map[int][]byte{}
			for _, x := range p.texts {
				texts[x.line] = x.text
			}
			for i, l := range p.lines {
				if l.follows {
					l.parent = p.lines[i-1].id
				}
				fmt.Fprintf(&b, "%s %s %q %d+%d %d %s\n", p.kinds[l.typ], l.id, l.parent, l.off, l.size, l.role, texts[i])
			}
		}
		return fmt.Sprint(b.String(), " broken ", broken, " open ", s.open)
	}
	for seed := range uint64(400) {
		text := randomLines(rand.New(rand.NewPCG(seed, 5)))
		want := show(text, 1, scanBuffer)
		for _, parts := range []int64{1, 2, 3, 7} {
			for _, buffer := range []int{longHead, longHead + 1, 3000, scanBuffer} {
				if got := show(text, parts, buffer); got != want {
					t.Fatalf("seed %d in %d parts with a buffer of %d:\n%s\nwant\n%s", seed, parts, buffer, got, want)
				}
			}
		}
	}
}
