package resources

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tau/session/settings"
)

// tree writes files below a new folder: of the agent in A, of the project in W,
// of the home in H.
func tree(t *testing.T, files map[string]string) (dir string, o Options) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, Options{AgentDir: filepath.Join(dir, "A"), CWD: filepath.Join(dir, "W"), Home: filepath.Join(dir, "H"), ProjectDir: ".tau", Trusted: true}
}

// show lists commands as name (scope, source).
func show(s *Set) string {
	var out []string
	for _, c := range s.Commands() {
		out = append(out, fmt.Sprintf("%s (%s %s)", c.Name, c.SourceInfo.Scope, filepath.Base(c.SourceInfo.Source)))
	}
	return strings.Join(out, ", ")
}

func skill(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n\n# " + name + "\n\nDo it.\n"
}

func everything() map[string]string {
	return map[string]string{
		"W/.git/HEAD":                      "x",
		"A/skills/alpha/SKILL.md":          skill("alpha", "Alphas."),
		"A/skills/alpha/deep/SKILL.md":     skill("deep", "Not searched."),
		"A/skills/group/inner/SKILL.md":    skill("inner", "In a group."),
		"A/skills/single.md":               skill("single", "A file."),
		"A/skills/.hidden/SKILL.md":        skill("dotted", "Skipped."),
		"A/skills/node_modules/x/SKILL.md": skill("module", "Skipped."),
		"W/.agents/skills/beta/SKILL.md":   "---\nname: beta\ndescription: Betas.\ndisable-model-invocation: true\n---\nBeta body\n",
		"W/.agents/skills/note.md":         skill("note", "Plain files do not count here."),
		"W/.tau/skills/gamma/SKILL.md":     skill("gamma", "Gammas."),
		"H/.agents/skills/home/SKILL.md":   skill("home", "At home."),
		"A/prompts/args.md":                "---\ndescription: All forms\nargument-hint: \"<a> [b]\"\n---\n$1\n",
		"A/prompts/plain.md":               "First line here.\n\nmore\n",
		"W/.tau/prompts/plain.md":          "The project's\n",
		"A/prompts/sub/not.md":             "not searched",
		"A/extensions/one.ts":              "x", "A/extensions/two/index.ts": "x", "A/extensions/three/package.json": `{"pi":{"extensions":["./a.ts"]}}`,
		"A/themes/mine.json": "{}",
		"P/package.json":     `{"pi":{"prompts":["./p"],"skills":["./s"],"extensions":["./e.ts"]}}`,
		"P/p/packed.md":      "Packed $1", "P/p/other.md": "Other", "P/s/packsk/SKILL.md": skill("packsk", "Packed."), "P/e.ts": "x",
	}
}

func TestLoad(t *testing.T) {
	list := func(s ...string) settings.Resources { return settings.Resources{Skills: settings.Skills{Paths: s}} }
	for _, tt := range []struct {
		name   string
		change func(dir string, o *Options)
		want   string
	}{
		{"everything", func(string, *Options) {},
			"plain (project auto), args (user auto), skill:gamma (project auto), skill:beta (project auto), skill:alpha (user auto), skill:inner (user auto), skill:single (user auto), skill:home (user auto)"},
		{"not trusted", func(_ string, o *Options) { o.Trusted = false },
			"args (user auto), plain (user auto), skill:alpha (user auto), skill:inner (user auto), skill:single (user auto), skill:home (user auto)"},
		{"switched off", func(dir string, o *Options) {
			o.NoSkills, o.NoTemplates = true, true
			o.Templates = []string{"../P/p/packed.md"}
		}, "packed (temporary local)"},
		{"one less", func(_ string, o *Options) { o.NoTemplates, o.Trusted, o.Global = true, false, list("-skills/alpha") },
			"skill:inner (user auto), skill:single (user auto), skill:home (user auto)"},
		{"glob and back", func(_ string, o *Options) {
			o.NoTemplates, o.Trusted, o.Global = true, false, list("!skills/**", "+skills/alpha/SKILL.md")
		}, "skill:alpha (user auto)"},
		{"another place", func(dir string, o *Options) {
			o.NoTemplates, o.Trusted, o.Global = true, false, list(filepath.Join(dir, "P", "s"), "nowhere")
		}, "skill:alpha (user auto), skill:inner (user auto), skill:single (user auto), skill:packsk (user local), skill:home (user auto)"},
		{"a package", func(dir string, o *Options) {
			o.Trusted = false
			o.Global.Packages = []settings.Package{{Source: filepath.Join(dir, "P"), Prompts: &[]string{"p/packed.md"}}, {Source: "npm:@x/none@1.0"}, {}}
		}, "args (user auto), plain (user auto), packed (user P), skill:alpha (user auto), skill:inner (user auto), skill:single (user auto), skill:home (user auto), skill:packsk (user P)"},
		{"nothing of a package", func(dir string, o *Options) {
			o.Trusted, o.NoSkills = false, true
			o.Global.Packages = []settings.Package{{Source: "../P", Prompts: &[]string{}}}
		}, "args (user auto), plain (user auto)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, o := tree(t, everything())
			tt.change(dir, &o)
			if got := show(Load(o)); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestOtherResources(t *testing.T) {
	dir, o := tree(t, everything())
	o.Global.Packages = []settings.Package{{Source: filepath.Join(dir, "P")}}
	s := Load(o)
	var ext []string
	for _, e := range s.Extensions {
		rel, _ := filepath.Rel(dir, e.Source.Path)
		ext = append(ext, filepath.ToSlash(rel))
	}
	slices.Sort(ext)
	if got := strings.Join(ext, " "); got != "A/extensions/one.ts A/extensions/three/a.ts A/extensions/two/index.ts P/e.ts" {
		t.Errorf("extensions: %s", got)
	}
	if len(s.Themes) != 1 || s.Themes[0].Name != "mine" {
		t.Errorf("themes: %v", s.Themes)
	}
	p := s.Prompt()
	for _, want := range []string{"Alphas.", "alpha/SKILL.md", "Gammas.", "<available_skills>"} {
		if !strings.Contains(p, want) {
			t.Errorf("no %q in the prompt", want)
		}
	}
	if strings.Contains(p, "Betas.") || strings.Contains(p, "Do it.") {
		t.Errorf("too much in the prompt: %s", p)
	}
	if tag := s.Templates[0].Source.Tag(); tag != "[p]" {
		t.Errorf("tag %s", tag)
	}
}

func TestProblems(t *testing.T) {
	_, o := tree(t, map[string]string{
		"W/.git/HEAD":             "x",
		"A/skills/none/SKILL.md":  "---\nname: none\n---\nx",
		"A/skills/bad/SKILL.md":   "---\nname: [\n---\nx",
		"A/skills/Upper/SKILL.md": skill("Upper Case", "Named badly."),
		"A/skills/long/SKILL.md":  skill("long", strings.Repeat("x", 1100)),
		"A/skills/a/SKILL.md":     skill("same", "First."),
		"A/skills/b/SKILL.md":     skill("same", "Second."),
		"A/prompts/broken.md":     "---\ndescription: a: b: c\n---\nx",
	})
	s := Load(o)
	var texts []string
	for _, p := range s.Problems {
		texts = append(texts, filepath.Base(filepath.Dir(p.Path))+": "+p.Text)
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"none: the skill is not loaded: it has no description", "bad: the skill is not loaded: its head is not valid YAML", "Upper: the skill's name", "long: the skill's description is longer", "b: the skill same is not used", "prompts: the template is not loaded"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if got := show(s); got != "skill:Upper Case (user auto), skill:same (user auto), skill:long (user auto)" {
		t.Errorf("loaded: %s", got)
	}
}

func TestIgnoredSkills(t *testing.T) {
	_, o := tree(t, map[string]string{
		"W/.git/HEAD": "x", "A/skills/.gitignore": "draft*\n!draft-good\nout/\n",
		"A/skills/draft-one/SKILL.md": skill("draft-one", "x"), "A/skills/draft-good/SKILL.md": skill("draft-good", "x"),
		"A/skills/out/SKILL.md": skill("out", "x"),
	})
	if got := show(Load(o)); got != "skill:draft-good (user auto)" {
		t.Errorf("%s", got)
	}
}

// The values are those of pi 1.6 for the same lines.
func TestExpandTemplates(t *testing.T) {
	_, o := tree(t, map[string]string{
		"W/.git/HEAD":            "x",
		"A/prompts/args.md":      "---\ndescription: d\n---\n1=$1 2=$2 at=$@ all=$ARGUMENTS def=${1:-none} d9=${9:-nine} from2=${@:2} two1=${@:2:1} atdef=${@:-empty} cost=$$5 q=$10\n",
		"A/prompts/plain.md":     "First line here.\n\nx\n",
		"A/prompts/odd.md":       "a$ ${x} ${1:x} ${@:-1} ${@:2:-3} ${@:x} ${ $A",
		"A/skills/one/SKILL.md":  skill("one", "One."),
		"A/skills/gone/SKILL.md": skill("gone", "Gone."),
	})
	s := Load(o)
	if err := os.Remove(filepath.Join(o.AgentDir, "skills", "gone", "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	one := filepath.Join(o.AgentDir, "skills", "one")
	block := fmt.Sprintf("<skill name=\"one\" location=%q>\nReferences are relative to %s.\n\n# one\n\nDo it.\n</skill>", filepath.Join(one, "SKILL.md"), one)
	for _, tt := range []struct{ in, want string }{
		{"/args one two three", "1=one 2=two at=one two three all=one two three def=one d9=nine from2=two three two1=two atdef=one two three cost=$ q="},
		{"/args", "1= 2= at= all= def=none d9=nine from2= two1= atdef=empty cost=$ q="},
		{`/args "a b" 'c d' e\ f`, `1=a b 2=c d at=a b c d e\ f all=a b c d e\ f def=a b d9=nine from2=c d e\ f two1=c d atdef=a b c d e\ f cost=$ q=`},
		{`/args it's "open`, `1=it's 2="open at=it's "open all=it's "open def=it's d9=nine from2="open two1="open atdef=it's "open cost=$ q=`},
		{`/args "in \"ner\" x" y`, `1=in "ner" x 2=y at=in "ner" x y all=in "ner" x y def=in "ner" x d9=nine from2=y two1=y atdef=in "ner" x y cost=$ q=`},
		{"/args  spaced   out\nnext line", "1=spaced 2=out at=spaced out next line all=spaced out next line def=spaced d9=nine from2=out next line two1=out atdef=spaced out next line cost=$ q="},
		{"/args $2 $1", "1=$2 2=$1 at=$2 $1 all=$2 $1 def=$2 d9=nine from2=$1 two1=$1 atdef=$2 $1 cost=$ q="},
		{"/plain extra", "First line here.\n\nx\n"},
		{"/odd q", "a$ ${x} ${1:x} q ${@:2:-3} ${@:x} ${ $A"},
		{"/nonesuch x", "/nonesuch x"},
		{" /args lead", " /args lead"},
		{"/ARGS x", "/ARGS x"},
		{"/skill:one", block},
		{"/skill:one  do this\nnow ", block + "\n\ndo this\nnow"},
		{"/skill:none x", "/skill:none x"},
		{"plain", "plain"},
	} {
		got, err := s.Expand(tt.in)
		if err != nil || got != tt.want {
			t.Errorf("%q:\n got %q (%v)\nwant %q", tt.in, got, err, tt.want)
		}
	}
	if _, err := s.Expand("/skill:gone"); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("a skill whose file is gone: %v", err)
	}
	c, ok := ParseSkillCall(block + "\n\ndo this")
	if !ok || c.Name != "one" || c.Args != "do this" || !strings.Contains(c.Body, "Do it.") {
		t.Errorf("%+v %v", c, ok)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{"a b", `"a b" 'c'`, `it's "open`, `"a\"b"`, "\t\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		args := Arguments(s)
		n := 0
		for _, a := range args {
			n += len(a)
		}
		if n > len(s) {
			t.Errorf("%q gave %q", s, args)
		}
		tpl := Template{Text: s + "$1 ${@:2} ${1:-x}"}
		_ = tpl.Fill(args)
	})
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"---\nname: x\n---\nbody", "---\n", "---\n---\n", "x\n---", "---\na: [\n---\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var h skillHead
		if _, err := parseMarkdown([]byte(s), &h); err != nil && !strings.Contains(err.Error(), "YAML") {
			t.Error(err)
		}
	})
}
