package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Source
		dir  string // below /b
	}{
		{"npm:pack", Source{NPM, "pack", "", ""}, "npm/node_modules/pack"},
		{"npm:pack@1.2.3", Source{NPM, "pack", "1.2.3", ""}, "npm/node_modules/pack"},
		{"npm:@me/pack@next", Source{NPM, "@me/pack", "next", ""}, "npm/node_modules/@me/pack"},
		{"npm:@me/pack", Source{NPM, "@me/pack", "", ""}, "npm/node_modules/@me/pack"},
		{"git:github.com/me/pack", Source{Git, "github.com/me/pack", "", "https://github.com/me/pack"}, "git/github.com/me/pack"},
		{"git:GitHub.com/me/pack.git@v1", Source{Git, "github.com/me/pack", "v1", "https://GitHub.com/me/pack.git"}, "git/github.com/me/pack"},
		{"https://github.com/me/pack.git@main", Source{Git, "github.com/me/pack", "main", "https://github.com/me/pack.git"}, "git/github.com/me/pack"},
		{"git:https://x.example:8443/a/b/c#1f2e", Source{Git, "x.example/a/b/c", "1f2e", "https://x.example:8443/a/b/c"}, "git/x.example/a/b/c"},
		{"git:git@github.com:me/pack@v1", Source{Git, "github.com/me/pack", "v1", "git@github.com:me/pack"}, "git/github.com/me/pack"},
		{"ssh://git@x.example/me/pack", Source{Git, "x.example/me/pack", "", "ssh://git@x.example/me/pack"}, "git/x.example/me/pack"},
		{"./pack", Source{Local, "/b/pack", "", ""}, "pack"},
		{"../pack", Source{Local, "/pack", "", ""}, ""},
		{"/a/pack", Source{Local, "/a/pack", "", ""}, ""},
	} {
		got, err := Parse(tt.in, "/b")
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v %v, want %+v", tt.in, got, err, tt.want)
			continue
		}
		if dir := got.Dir("/b"); tt.dir != "" && dir != filepath.Join("/b", tt.dir) {
			t.Errorf("%s is in %s", tt.in, dir)
		}
	}
	for _, bad := range []string{
		"", "npm:", "npm:../x", "npm:@me", "npm:a/b", "npm:-g", "npm:x@-y", "npm:x@file:../y", "git:", "git:pack", "git:github.com", "git:x/../../etc", "git:../x/y",
		"git:x.example/a@-b", "git:x.example/a/.git/hooks", "https://", "git:-u/x", "git:x.example/a@b..c", `git:x.example/a\b`,
	} {
		if got, err := Parse(bad, "/b"); err == nil {
			t.Errorf("%q was taken for %+v", bad, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("git:git@github.com:me/pack@v1")
	f.Add("npm:@me/pack@1")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, "/b")
		if err != nil || s.Kind == Local {
			return
		}
		if rel, err := filepath.Rel(filepath.Join("/b", string(s.Kind)), s.Dir("/b")); err != nil || !filepath.IsLocal(rel) || rel == "." {
			t.Errorf("%q leads to %s", text, s.Dir("/b"))
		}
		if strings.HasPrefix(s.Version, "-") || strings.HasPrefix(s.URL, "-") {
			t.Errorf("%q gives a flag: %+v", text, s)
		}
	})
}

func manager(t *testing.T, settings string) *Manager {
	t.Helper()
	dir := t.TempDir()
	m := &Manager{Base: filepath.Join(dir, "agent"), CWD: dir, NPM: "-"}
	m.Settings = filepath.Join(m.Base, "settings.json")
	if settings != "" {
		write(t, m.Settings, settings)
	}
	return m
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSettingsKeepWhatElseTheyHave(t *testing.T) {
	m := manager(t, "{\n\t// mine\n\t\"theme\": \"dark\",\n\t\"packages\": [\n\t\t// the first\n\t\t{\"source\": \"./one\", \"skills\": [], \"new\": 1},\n\t\t\"npm:other\",\n\t],\n}\n")
	for _, name := range []string{"one", "two"} {
		if err := os.MkdirAll(filepath.Join(m.CWD, "agent", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	m.CWD = filepath.Join(m.CWD, "agent")
	if err := m.Install(ctx, "./two"); err != nil {
		t.Fatal(err)
	}
	if err := m.Install(ctx, "one"); err != nil { // another name of the first
		t.Fatal(err)
	}
	got := read(t, m.Settings)
	for _, want := range []string{"// mine", "// the first", `"new":`, `"skills": []`, `"source": "` + m.CWD + `/one"`, `"` + m.CWD + `/two"`, "npm:other"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if err := m.Remove(ctx, "./one"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, m.Settings); strings.Contains(got, "one\"") || !strings.Contains(got, "npm:other") || !strings.Contains(got, "// mine") {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(m.CWD, "one")); err != nil {
		t.Error("a folder of the user's own was deleted")
	}
	if err := m.Remove(ctx, "./one"); err == nil || !strings.Contains(err.Error(), "do not name it") {
		t.Errorf("%v", err)
	}
	if err := m.Install(ctx, "./nothing"); err == nil {
		t.Error("a folder that is not there was installed")
	}
	broken := manager(t, `{"packages": 7}`)
	if err := os.MkdirAll(filepath.Join(broken.CWD, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := broken.Install(ctx, "./x"); err == nil || read(t, broken.Settings) != `{"packages": 7}` {
		t.Errorf("%v", err)
	}
	m.Relative, m.Settings = true, filepath.Join(m.Base, "new.json")
	if err := m.Install(ctx, "./two"); err != nil || !strings.Contains(read(t, m.Settings), `"two"`) {
		t.Errorf("%v %s", err, read(t, m.Settings))
	}
}

type file struct {
	name, text string
	kind       byte
}

func archive(t *testing.T, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	out := tar.NewWriter(zip)
	for _, f := range files {
		if f.kind == 0 {
			f.kind = tar.TypeReg
		}
		h := &tar.Header{Name: f.name, Typeflag: f.kind, Mode: 0o644, Size: int64(len(f.text))}
		if f.kind != tar.TypeReg {
			h.Size, h.Linkname = 0, f.text
		}
		if err := out.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if f.kind == tar.TypeReg {
			_, _ = out.Write([]byte(f.text))
		}
	}
	_ = out.Close()
	_ = zip.Close()
	return b.Bytes()
}

// registry serves archives of packages as npm's does.
func registry(t *testing.T, versions map[string][]byte, spoil bool) *httptest.Server {
	t.Helper()
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.EscapedPath(), "/")
		if name, ok := strings.CutPrefix(path, "tarballs/"); ok {
			_, _ = w.Write(versions[strings.Replace(name, "%2f", "/", 1)])
			return
		}
		name := strings.Replace(path, "%2f", "/", 1)
		b, ok := versions[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		sum := sha512.Sum512(b)
		if spoil {
			sum[0]++
		}
		fmt.Fprintf(w, `{"version":%q,"dist":{"tarball":%q,"integrity":"sha512-%s"}}`, name[strings.LastIndexByte(name, '/')+1:], srv.URL+"/tarballs/"+path, base64.StdEncoding.EncodeToString(sum[:]))
	}))
	t.Cleanup(srv.Close)
	return srv
}

func TestInstallFromTheRegistry(t *testing.T) {
	one := archive(t, file{"package/package.json", `{"name":"@me/pack","pi":{"skills":["skills"]},"dependencies":{"left-pad":"1"}}`, 0}, file{"package/skills/a/SKILL.md", "one", 0}, file{"package/link", "/etc/passwd", tar.TypeSymlink})
	two := archive(t, file{"package/skills/a/SKILL.md", "two", 0})
	srv := registry(t, map[string][]byte{"@me/pack/latest": two, "@me/pack/1.0.0": one}, false)
	m := manager(t, "")
	var said bytes.Buffer
	m.Registry, m.Out = srv.URL, &said
	skill := filepath.Join(m.Base, "npm", "node_modules", "@me", "pack", "skills", "a", "SKILL.md")
	if err := m.Install(t.Context(), "npm:@me/pack@1.0.0"); err != nil {
		t.Fatal(err)
	}
	if read(t, skill) != "one" || !strings.Contains(said.String(), "needs left-pad") {
		t.Errorf("%s, %s", read(t, skill), said.String())
	}
	if _, err := os.Lstat(filepath.Join(m.Base, "npm", "node_modules", "@me", "pack", "link")); err == nil {
		t.Error("a link was unpacked")
	}
	if n, err := m.Update(t.Context(), ""); n != 0 || err != nil {
		t.Errorf("a pinned version was updated: %d %v", n, err)
	}
	if err := m.Install(t.Context(), "npm:@me/pack"); err != nil || read(t, skill) != "two" {
		t.Errorf("%v %s", err, read(t, skill))
	}
	if got := read(t, m.Settings); strings.Contains(got, "1.0.0") || strings.Count(got, "@me/pack") != 1 {
		t.Error(got)
	}
	if n, err := m.Update(t.Context(), "npm:@me/pack"); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	list, err := m.List()
	if err != nil || len(list) != 1 || !list[0].Installed || list[0].Source.Kind != NPM {
		t.Errorf("%+v %v", list, err)
	}
	for in, want := range map[string]string{"npm:@me/none": "no such package", "npm:@me/pack@^1.0.0": "must be exact"} {
		if err := m.Install(t.Context(), in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
	if err := m.Remove(t.Context(), "npm:@me/pack"); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Join(m.Base, "npm", "node_modules")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestHostileArchives(t *testing.T) {
	good := file{"package/a", "x", 0}
	for name, files := range map[string][]file{
		"up":       {good, {"package/../../../../evil", "x", 0}},
		"absolute": {good, {"package//etc/evil", "x", 0}},
		"device":   {good, {"package/a/b", "x", 0}}, // below a file
	} {
		srv := registry(t, map[string][]byte{"pack/latest": archive(t, files...)}, false)
		m := manager(t, "")
		m.Registry = srv.URL
		if err := m.Install(t.Context(), "npm:pack"); err == nil {
			t.Errorf("%s: it was installed", name)
		}
		if _, err := os.Stat(filepath.Join(m.Base, "npm", "node_modules", "pack")); err == nil {
			t.Errorf("%s: there is a folder", name)
		}
		if left, _ := filepath.Glob(filepath.Join(m.Base, "npm", ".new-*")); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
		if _, err := os.Stat(m.Settings); err == nil {
			t.Errorf("%s: the settings name it", name)
		}
	}
	m := manager(t, "")
	m.Registry = registry(t, map[string][]byte{"pack/latest": archive(t, good)}, true).URL
	if err := m.Install(t.Context(), "npm:pack"); err == nil || !strings.Contains(err.Error(), "checksum differs") {
		t.Errorf("%v", err)
	}
}

// repository makes a repository that https://packs.test/name stands for.
func repository(t *testing.T, name string) (commit func(files map[string]string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	root := t.TempDir()
	dir := filepath.Join(root, name)
	config := filepath.Join(root, "gitconfig")
	write(t, config, fmt.Sprintf("[url \"file://%s/\"]\n\tinsteadOf = https://packs.test/\n[user]\n\tname = x\n\temail = x@x\n", filepath.ToSlash(root)))
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
		return strings.TrimSpace(string(out))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	n := 0
	return func(files map[string]string) string {
		for name, text := range files {
			write(t, filepath.Join(dir, name), text)
		}
		n++
		git("add", "-A")
		git("commit", "-q", "-m", "x")
		git("tag", fmt.Sprintf("v%d", n))
		return git("rev-parse", "HEAD")
	}
}

func TestInstallFromGit(t *testing.T) {
	commit := repository(t, "me/pack")
	first := commit(map[string]string{"skills/a/SKILL.md": "one"})
	commit(map[string]string{"skills/a/SKILL.md": "two"})
	m := manager(t, "")
	skill := filepath.Join(m.Base, "git", "packs.test", "me", "pack", "skills", "a", "SKILL.md")
	for _, tt := range []struct{ source, want string }{
		{"git:packs.test/me/pack", "two"}, {"git:packs.test/me/pack@v1", "one"}, {"https://packs.test/me/pack@main", "two"}, {"git:packs.test/me/pack@" + first, "one"},
	} {
		if err := m.Install(t.Context(), tt.source); err != nil || read(t, skill) != tt.want {
			t.Errorf("%s: %v, %s", tt.source, err, read(t, skill))
		}
		if got := read(t, m.Settings); !strings.Contains(got, tt.source) || strings.Count(got, "packs.test") != 1 {
			t.Error(got)
		}
	}
	if err := m.Install(t.Context(), "git:packs.test/me/pack@nothing"); err == nil || !strings.Contains(err.Error(), "there is no nothing") || read(t, skill) != "one" {
		t.Errorf("%v", err)
	}
	if err := m.Install(t.Context(), "git:packs.test/me/pack"); err != nil {
		t.Fatal(err)
	}
	commit(map[string]string{"skills/a/SKILL.md": "three"})
	if n, err := m.Update(t.Context(), ""); n != 1 || err != nil || read(t, skill) != "three" {
		t.Errorf("%d %v %s", n, err, read(t, skill))
	}
	if left, _ := filepath.Glob(filepath.Join(m.Base, "git", ".new-*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if err := m.Remove(t.Context(), "git:packs.test/me/pack@v1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(m.Base, "git", "packs.test")); err == nil {
		t.Error("the folders are still there")
	}
}

// One that fails does not keep the others from being updated.
func TestUpdateGoesOn(t *testing.T) {
	commit := repository(t, "me/pack")
	commit(map[string]string{"a": "1"})
	m := manager(t, `{"packages":["git:packs.test/me/gone","npm:../bad","git:packs.test/me/pack"]}`)
	n, err := m.Update(t.Context(), "")
	if n != 1 || err == nil || !strings.Contains(err.Error(), "me/gone") || !strings.Contains(err.Error(), "../bad") {
		t.Errorf("%d %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Install(ctx, "git:packs.test/me/pack"); err == nil {
		t.Error("cancelled, and installed")
	}
}
