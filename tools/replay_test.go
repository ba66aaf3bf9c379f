package tools

import (
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"
)

// The replay puts the mistakes that models make into edits whose right outcome
// is known: the text with exactly one passage changed. An attempt lands,
// is refused, or, which must never be, changes something else.

const replayGo = "package store\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n\n// Open opens the file — or says “why not”.\nfunc Open(name string) (*File, error) {\n\tf, err := os.Open(name)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"open %s: %w\", name, err)\n\t}\n\tfor _, part := range f.parts {\n\t\tif part.bad {\n\t\t\tf.Close()\n\t\t\treturn nil, errors.New(\"bad part\")\n\t\t}\n\t\tpart.count++\n\t}\n\treturn f, nil\n}\n\nfunc (f *File) Close() error {\n\tif f == nil {\n\t\treturn nil\n\t}\n\tf.mu.Lock()\n\tdefer f.mu.Unlock()\n\tfor i := range f.parts {\n\t\tf.parts[i].bad = false\n\t\tf.parts[i].count = 0\n\t}\n\treturn f.file.Close()\n}\n"

const replayPython = "import os\n\n\nclass Store:\n    \"\"\"Keeps things.\"\"\"\n\n    def __init__(self, path):\n        self.path = path\n        self.items = {}\n\n    def load(self):\n        with open(self.path) as f:\n            for line in f:\n                key, _, value = line.partition('=')\n                if not key:\n                    continue\n                self.items[key] = value\n        return self\n\n    def save(self):\n        with open(self.path, 'w') as f:\n            for key in sorted(self.items):\n                f.write(key + '=' + self.items[key])\n        return self\n\n\ndef main():\n    store = Store(os.environ['STORE'])\n    store.load()\n    if store.items:\n        print('loaded', len(store.items))\n    store.save()\n"

const replayYAML = "name: build\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - name: Set up\n        uses: actions/setup-go@v5\n        with:\n          go-version: stable\n      - run: go test ./...\n  lint:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: go vet ./...\n"

const replayProse = "# Guide\n\nThe “quick” start – in three steps.  \nIt’s easy: don’t worry.\n\n* First, install it.  \n* Then run `tau`.\n* Last, read on…\n\n## More\n\nSome text that goes on\nfor a few lines, with a  double blank\nand an ending.\n\n    indented code\n    more of it\n\nThe end\u00a0of it.\n"

func replayFiles() map[string]string {
	return map[string]string{
		"go": replayGo, "python": replayPython, "yaml": replayYAML, "prose": replayProse,
		"crlf": strings.ReplaceAll(replayGo, "\n", "\r\n"), "no end": strings.TrimSuffix(replayPython, "\n"),
		"long": strings.Repeat(replayYAML, 3) + replayGo,
	}
}

// mistake spoils an edit. lands says that it should be understood all the same.
type mistake struct {
	name  string
	lands bool
	given bool // lines that change are meant as they are given
	spoil func(r *rand.Rand, old, new []string) (o, n string, ok bool)
}

func joined(old, new []string) (string, string, bool) {
	return strings.Join(old, "\n"), strings.Join(new, "\n"), true
}

// mapped changes the lines of both.
func mapped(old, new []string, fn func(string) string) (string, string, bool) {
	o, n := make([]string, len(old)), make([]string, len(new))
	for i, l := range old {
		o[i] = fn(l)
	}
	for i, l := range new {
		n[i] = fn(l)
	}
	so, sn, _ := joined(o, n)
	same, _, _ := joined(old, new)
	return so, sn, so != same
}

func commonIndent(old, new []string) string {
	in, _ := sharedIndent(append(append([]string(nil), old...), new...))
	return in
}

func mistakes() []mistake {
	type lines = []string
	indentAll := func(prefix string) func(string) string {
		return func(l string) string {
			if strings.TrimSpace(l) == "" {
				return l
			}
			return prefix + l
		}
	}
	oldOnly := func(fn func(r *rand.Rand, old lines) lines) func(*rand.Rand, lines, lines) (string, string, bool) {
		return func(r *rand.Rand, old, new lines) (string, string, bool) {
			changed := fn(r, append(lines(nil), old...))
			o, n, _ := joined(changed, new)
			was, _, _ := joined(old, new)
			return o, n, changed != nil && o != was
		}
	}
	return []mistake{
		{"none", true, false, func(_ *rand.Rand, o, n lines) (string, string, bool) { return joined(o, n) }},
		{"line end at the end of both", true, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			return strings.Join(o, "\n") + "\n", strings.Join(n, "\n") + "\n", true
		}},
		{"first line without its indent", true, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			if indentOf(o[0]) == "" || indentOf(o[0]) != indentOf(n[0]) {
				return "", "", false
			}
			a, b, _ := joined(o, n)
			return strings.TrimLeft(a, " \t"), strings.TrimLeft(b, " \t"), true
		}},
		{"common indent missing", true, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			c := commonIndent(o, n)
			return mapped(o, n, func(l string) string { return strings.TrimPrefix(l, c) })
		}},
		{"one level too much", true, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			in := commonIndent(o, n)
			if in == "" || strings.Trim(in, in[:1]) != "" {
				return "", "", false
			}
			return mapped(o, n, indentAll(strings.Repeat(in[:1], map[byte]int{' ': 4, '\t': 1}[in[0]])))
		}},
		{"indent of the first line only differs", false, false, oldOnly(func(_ *rand.Rand, o lines) lines {
			if len(o) < 2 {
				return nil
			}
			o[0] = "   " + o[0]
			return o
		})},
		{"spaces for tabs", false, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			return mapped(o, n, func(l string) string { return strings.ReplaceAll(l, "\t", "    ") })
		}},
		{"tabs for spaces", false, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			return mapped(o, n, func(l string) string { return strings.ReplaceAll(l, "    ", "\t") })
		}},
		{"blanks at line ends added", true, false, oldOnly(func(r *rand.Rand, o lines) lines {
			for i := range o {
				o[i] += strings.Repeat(" ", r.Intn(3))
			}
			return o
		})},
		{"blanks at line ends missing", true, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			return mapped(o, n, func(l string) string { return strings.TrimRight(l, " ") })
		}},
		{"straight quotes and dashes", true, true, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			return mapped(o, n, func(l string) string {
				return strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "–", "-", "—", "-", "\u00a0", " ").Replace(l)
			})
		}},
		{"typographic quotes", true, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			a, _, ok := mapped(o, n, func(l string) string { return strings.ReplaceAll(strings.ReplaceAll(l, "'", "’"), `"`, "“") })
			return a, strings.Join(n, "\n"), ok
		}},
		{"CRLF line ends", true, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			return strings.Join(o, "\r\n"), strings.Join(n, "\r\n"), len(o) > 1
		}},
		{"a line missing", false, false, func(r *rand.Rand, o, n lines) (string, string, bool) {
			if len(o) < 3 || len(o) != len(n) || strings.TrimSpace(o[1]) == "" {
				return "", "", false
			}
			return joined(append(lines{o[0]}, o[2:]...), append(lines{n[0]}, n[2:]...))
		}},
		{"lines in another order", false, false, oldOnly(func(_ *rand.Rand, o lines) lines {
			if len(o) < 2 {
				return nil
			}
			o[0], o[1] = o[1], o[0]
			return o
		})},
		{"stale text", false, false, oldOnly(func(r *rand.Rand, o lines) lines {
			i := r.Intn(len(o))
			if len(o[i]) < 4 {
				return nil
			}
			o[i] = o[i][:len(o[i])-1] + "Old"
			return o
		})},
		{"a line made up", false, false, oldOnly(func(r *rand.Rand, o lines) lines {
			return append(o, "    something_that_is_not_there()")
		})},
		{"line numbers", false, false, oldOnly(func(_ *rand.Rand, o lines) lines {
			for i := range o {
				o[i] = fmt.Sprintf("%6d  %s", i+7, o[i])
			}
			return o
		})},
		{"left out with dots", false, false, oldOnly(func(_ *rand.Rand, o lines) lines {
			if len(o) < 3 {
				return nil
			}
			return lines{o[0], "...", o[len(o)-1]}
		})},
		{"other case", false, false, oldOnly(func(_ *rand.Rand, o lines) lines {
			for i := range o {
				o[i] = strings.ToUpper(o[i])
			}
			return o
		})},
		{"escaped quotes", false, false, oldOnly(func(_ *rand.Rand, o lines) lines {
			for i := range o {
				o[i] = strings.ReplaceAll(strings.ReplaceAll(o[i], `"`, `\"`), "'", `\'`)
			}
			return o
		})},
		{"escaped line ends", false, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			return strings.Join(o, `\n`), strings.Join(n, `\n`), len(o) > 1
		}},
		{"entities", false, false, oldOnly(func(_ *rand.Rand, o lines) lines {
			for i := range o {
				o[i] = strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "&quot;", "&", "&amp;").Replace(o[i])
			}
			return o
		})},
		{"blank line missing", false, false, func(_ *rand.Rand, o, n lines) (string, string, bool) {
			full := func(l lines) (out lines) {
				for _, one := range l {
					if strings.TrimSpace(one) != "" {
						out = append(out, one)
					}
				}
				return out
			}
			a, b, _ := joined(full(o), full(n))
			return a, b, len(full(o)) < len(o)
		}},
		{"blanks within lines doubled", false, false, oldOnly(func(_ *rand.Rand, o lines) lines {
			for i := range o {
				in := indentOf(o[i])
				o[i] = in + strings.ReplaceAll(o[i][len(in):], " ", "  ")
			}
			return o
		})},
	}
}

func TestEditReplay(t *testing.T) {
	r := rand.New(rand.NewSource(42))
	type tally struct{ tried, landed, wrong int }
	sums := map[string]*tally{}
	all := tally{}
	files := replayFiles()
	var names []string
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		text := files[name]
		nl := "\n"
		if strings.Contains(text, "\r\n") {
			nl = "\r\n"
		}
		lines := strings.Split(strings.TrimSuffix(text, nl), nl)
		for _, m := range mistakes() {
			for range 60 {
				from := r.Intn(len(lines) - 4)
				n := 1 + r.Intn(4)
				old := lines[from : from+n]
				if strings.TrimSpace(strings.Join(old, "")) == "" {
					continue
				}
				// The change: a line gets other words, one is added, or one goes.
				new := append([]string(nil), old...)
				at := r.Intn(n)
				switch kind := r.Intn(3); {
				case strings.TrimSpace(new[at]) == "":
					continue
				case kind == 0:
					new[at] = strings.TrimRight(new[at], " ") + " // changed"
				case kind == 1:
					added := indentOf(new[at]) + "added(line)"
					new = append(new[:at+1], append([]string{added}, new[at+1:]...)...)
				default:
					new[at] = indentOf(new[at]) + "replaced = true"
				}
				o, nw, ok := m.spoil(r, old, new)
				if !ok || o == nw {
					continue
				}
				if m.given {
					for i, l := range strings.Split(nw, "\n") {
						if !slices.Contains(old, new[i]) {
							new[i] = l
						}
					}
				}
				want := strings.Join(append(append(append([]string(nil), lines[:from]...), new...), lines[from+n:]...), nl) + text[len(strings.Join(lines, nl)):]
				if literal := strings.ReplaceAll(text, nl, "\n"); strings.Count(literal, o) == 1 {
					// What stands there once is replaced to the letter, whatever
					// was meant.
					want = strings.ReplaceAll(strings.Replace(literal, o, nw, 1), "\n", nl)
				}
				s := sums[m.name]
				if s == nil {
					s = &tally{}
					sums[m.name] = s
				}
				s.tried++
				all.tried++
				got, err := ApplyEdits(text, []Edit{{o, nw}})
				switch {
				case err == nil && got == want:
					s.landed++
					all.landed++
				case err == nil:
					s.wrong++
					all.wrong++
					t.Errorf("%s, %s: wrongly applied\nold %q\nnew %q\ngot  %q\nwant %q", name, m.name, o, nw, got, want)
				case m.lands && !strings.Contains(err.Error(), "times in the file"):
					t.Errorf("%s, %s: refused: %v\nold %q", name, m.name, err, o)
				}
			}
		}
	}
	var report []string
	for _, m := range mistakes() {
		if s := sums[m.name]; s != nil {
			report = append(report, fmt.Sprintf("%-40s %3d of %3d land", m.name, s.landed, s.tried))
		}
	}
	t.Logf("%d attempts, %d land, %d wrongly applied\n%s", all.tried, all.landed, all.wrong, strings.Join(report, "\n"))
	if all.tried < 200 {
		t.Errorf("only %d attempts", all.tried)
	}
}
