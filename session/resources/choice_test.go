package resources

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/session/settings"
)

// world is an agent folder and a project with one of each, and a package.
func world(t *testing.T, user, project string) Options {
	t.Helper()
	dir := t.TempDir()
	agent, work := filepath.Join(dir, "agent"), filepath.Join(dir, "work")
	write := func(path, s string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	skill := func(root, name string) {
		write(filepath.Join(root, "skills", name, "SKILL.md"), "---\nname: "+name+"\ndescription: d\n---\nx")
	}
	for _, root := range []string{agent, filepath.Join(work, ".tau"), filepath.Join(dir, "pack")} {
		prefix := strings.TrimPrefix(filepath.Base(root), ".")[:1]
		skill(root, prefix+"-plum")
		skill(root, prefix+"-fig")
		write(filepath.Join(root, "prompts", prefix+"ask.md"), "x")
		write(filepath.Join(root, "themes", prefix+"blue.json"), "{}")
		write(filepath.Join(root, "extensions", prefix+"one.ts"), "")
	}
	skill(filepath.Join(dir, ".agents"), "shared")
	write(filepath.Join(agent, "settings.json"), user)
	write(filepath.Join(work, ".tau", "settings.json"), project)
	return options(t, dir)
}

func options(t *testing.T, dir string) Options {
	t.Helper()
	o := Options{AgentDir: filepath.Join(dir, "agent"), CWD: filepath.Join(dir, "work"), ProjectDir: ".tau", Home: dir, Trusted: true}
	s, problems := settings.Load(filepath.Join(o.AgentDir, "settings.json"))
	o.Global = s.Resources
	var more []settings.Problem
	o.Project, more = settings.LoadProject(filepath.Join(o.CWD, ".tau", "settings.json"), &s)
	if len(problems)+len(more) > 0 {
		t.Fatal(problems, more)
	}
	return o
}

// TestSwitchBackAndForth: every resource can be switched, whatever the filters
// were, that changes no other, and the comments stay.
func TestSwitchBackAndForth(t *testing.T) {
	for n, entry := range []string{
		`"../pack"`, `{"source": "../pack"}`, `{"source": "../pack", "skills": []}`, `{"source": "../pack", "skills": ["skills/p-plum"], "themes": []}`,
		`{"source": "../pack", "skills": ["!skills/*"], "prompts": ["-prompts/pask.md"]}`, `{"source": "../pack", "autoload": false, "skills": ["skills/*"]}`,
		`{"source": "../pack", "skills": ["+skills/p-fig", "-skills/t-plum/SKILL.md"]}`,
	} {
		for k, lists := range []string{``, `"skills": ["!skills/*", "+skills/a-fig"], "themes": ["-themes/ablue.json"],`, `"skills": {"customDirectories": []},`} {
			if n > 0 && k != n%3 {
				continue // each with each would take long
			}
			o := world(t, "{\n// mine\n"+lists+"\n\"packages\": ["+entry+"]}", `{"extensions": ["-extensions/tone.ts"]}`)
			dir := o.Home
			all := Choices(o)
			if len(all) != 16 {
				t.Fatalf("%d choices: %+v", len(all), all)
			}
			for i, c := range all {
				for _, on := range []bool{!c.On, c.On} {
					if err := c.Switch(on); err != nil {
						t.Fatalf("%s, %s: %v", entry, c.Name, err)
					}
					b, err := os.ReadFile(c.File())
					if err != nil {
						t.Fatal(err)
					}
					for k, now := range Choices(options(t, dir)) {
						want := all[k].On
						if k == i {
							want = on
						}
						if now.Name != all[k].Name || now.On != want {
							t.Errorf("package %s, lists %s: %s %s to %v makes %s %v, not %v:\n%s", entry, lists, c.Kind, c.Name, on, now.Name, now.On, want, b)
						}
					}
					if c.Source.Scope == User && !strings.Contains(string(b), "// mine") {
						t.Errorf("the comment is lost:\n%s", b)
					}
				}
			}
		}
	}
}

func TestSwitchWritesWhatPiReads(t *testing.T) {
	o := world(t, `{"packages": ["../pack"]}`, `{}`)
	for _, c := range Choices(o) {
		if strings.HasSuffix(c.Name, "plum") || strings.HasSuffix(c.Name, "blue") || c.Name == "shared" {
			if err := c.Switch(false); err != nil {
				t.Fatal(err)
			}
		}
	}
	for file, want := range map[string]string{
		filepath.Join(o.AgentDir, "settings.json"): `{"packages":[{"skills":["-skills/p-plum/SKILL.md"],"source":"../pack","themes":["-themes/pblue.json"]}],` +
			`"skills":["-skills/a-plum/SKILL.md","-` + filepath.ToSlash(o.Home) + `/.agents/skills/shared/SKILL.md"],"themes":["-themes/ablue.json"]}`,
		filepath.Join(o.CWD, ".tau", "settings.json"): `{"skills":["-skills/t-plum/SKILL.md"],"themes":["-themes/tblue.json"]}`,
	} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s:\n%s\nwant\n%s", file, got, want)
		}
	}
}

func TestUntrustedProjectHasNoChoices(t *testing.T) {
	o := world(t, `{}`, `{}`)
	o.Trusted = false
	for _, c := range Choices(o) {
		if c.Source.Scope != User {
			t.Errorf("%+v", c)
		}
	}
}
