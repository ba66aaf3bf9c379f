package packages

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Kind says where a package comes from.
type Kind string

// The kinds.
const (
	NPM   Kind = "npm"
	Git   Kind = "git"
	Local Kind = "local"
)

// Source is where a package comes from.
type Source struct {
	Kind Kind
	// Name is that of npm, "host/path" of a repository, or the path of a folder.
	// It is what two sources of the same package have in common.
	Name string
	// Version is of npm, a branch, tag or commit of git; empty is the newest.
	Version string
	// URL is what git clones.
	URL string
}

var npmName = sync.OnceValue(func() *regexp.Regexp {
	// https://docs.npmjs.com/cli/configuring-npm/package-json#name; capitals are of
	// old packages.
	return regexp.MustCompile(`^(@[a-zA-Z0-9~][a-zA-Z0-9._~-]*/)?[a-zA-Z0-9~][a-zA-Z0-9._~-]*$`)
})

// Parse reads a source as it is in settings.json or on the command line. Paths
// are relative to base.
func Parse(text, base string) (Source, error) {
	if name, ok := strings.CutPrefix(text, "npm:"); ok {
		version := ""
		if i := strings.LastIndexByte(name, '@'); i > 0 {
			name, version = name[:i], name[i+1:]
		}
		if !npmName().MatchString(name) {
			return Source{}, fmt.Errorf("%q is no name of an npm package", name)
		}
		if strings.HasPrefix(version, "-") || strings.ContainsAny(version, "/\\: ") {
			return Source{}, fmt.Errorf("%q is no version of an npm package", version)
		}
		return Source{Kind: NPM, Name: name, Version: version}, nil
	}
	rest, isGit := strings.CutPrefix(text, "git:")
	switch {
	case strings.HasPrefix(rest, "https://") || strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "ssh://") || strings.HasPrefix(rest, "git://"):
		return parseURL(rest)
	case isGit:
		return parseShort(rest)
	case text == "":
		return Source{}, errors.New("the source is empty")
	}
	return Source{Kind: Local, Name: resolve(text, base)}, nil
}

// parseURL reads the address of a repository, with @ref behind its path.
func parseURL(text string) (Source, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return Source{}, fmt.Errorf("%q is no address of a repository", text)
	}
	ref := u.Fragment
	u.Fragment, u.RawQuery = "", ""
	p, at, ok := strings.Cut(u.Path, "@")
	if ok {
		u.Path, u.RawPath, ref = p, "", at
	}
	return gitSource(u.String(), u.Hostname(), u.Path, ref)
}

// parseShort reads host/user/repo@ref and user@host:path@ref.
func parseShort(text string) (Source, error) {
	if user, rest, ok := strings.Cut(text, "@"); ok && !strings.ContainsAny(user, "/:") {
		if host, p, ok := strings.Cut(rest, ":"); ok && !strings.Contains(host, "/") {
			p, ref, _ := strings.Cut(p, "@")
			return gitSource(user+"@"+host+":"+p, host, p, ref)
		}
	}
	repo, ref, _ := strings.Cut(text, "@")
	host, p, ok := strings.Cut(repo, "/")
	if !ok {
		return Source{}, fmt.Errorf("%q is no repository; it is git:host/user/repo", text)
	}
	return gitSource("https://"+repo, host, p, ref)
}

func gitSource(address, host, p, ref string) (Source, error) {
	p = strings.TrimSuffix(strings.Trim(p, "/"), ".git")
	bad := p == "" || host == "" || strings.HasPrefix(host, ".") || strings.HasPrefix(host, "-") || strings.ContainsAny(host, `/\`) ||
		strings.Contains(p, `\`) || path.Clean(p) != p || strings.HasPrefix(p, "..") || strings.HasPrefix(p, "-")
	for _, part := range strings.Split(p, "/") {
		bad = bad || part == ".git"
	}
	if bad {
		return Source{}, fmt.Errorf("%q is no repository; it is git:host/user/repo", host+"/"+p)
	}
	if strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, " ~^:?*[\\\x00") || strings.Contains(ref, "..") {
		return Source{}, fmt.Errorf("%q is no branch, tag or commit", ref)
	}
	return Source{Kind: Git, Name: strings.ToLower(host) + "/" + p, Version: ref, URL: address}, nil
}

// Dir is where the files of a package are; base is the folder of the settings
// that name it.
func (s Source) Dir(base string) string {
	switch s.Kind {
	case NPM:
		return filepath.Join(base, "npm", "node_modules", filepath.FromSlash(s.Name))
	case Git:
		return filepath.Join(base, "git", filepath.FromSlash(s.Name))
	}
	return s.Name
}

// Same reports whether two sources are of the same package, of whichever
// version.
func (s Source) Same(t Source) bool { return s.Kind == t.Kind && s.Name == t.Name }

// String names the source for people.
func (s Source) String() string {
	text := s.Name
	if s.Kind != Local {
		text = string(s.Kind) + ":" + s.Name
		if s.Version != "" {
			text += "@" + s.Version
		}
	}
	return text
}

// resolve makes a path absolute.
func resolve(p, base string) string {
	if p == "~" || strings.HasPrefix(p, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			p = filepath.Join(home, p[1:])
		}
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	return filepath.Clean(p)
}
