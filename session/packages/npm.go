package packages

import (
	"cmp"
	"context"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const publicRegistry = "https://registry.npmjs.org"

// npm is the npm program, or empty.
func (m *Manager) npm() string {
	switch m.NPM {
	case "-":
		return ""
	case "":
		path, err := exec.LookPath("npm")
		if err != nil {
			return ""
		}
		return path
	}
	return m.NPM
}

// npmFlags keep npm from running anything of a package, and from what only
// developers and hosts of it need.
func npmFlags() []string {
	return []string{"--ignore-scripts", "--omit=dev", "--omit=peer", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"}
}

func (m *Manager) npmDir() string { return filepath.Join(m.Base, "npm") }

func (m *Manager) fetchNPM(ctx context.Context, s Source) error {
	if err := os.MkdirAll(m.npmDir(), 0o755); err != nil {
		return err
	}
	npm := m.npm()
	if npm == "" {
		return m.download(ctx, s)
	}
	spec := s.Name + "@" + cmp.Or(s.Version, "latest")
	m.say("installing %s with npm", spec)
	args := append([]string{"install"}, npmFlags()...)
	if m.Registry != "" {
		args = append(args, "--registry", m.Registry)
	}
	return m.command(ctx, m.npmDir(), npm, append(args, "--prefix", m.npmDir(), spec)...)
}

// dependencies installs what a cloned package needs of npm.
func (m *Manager) dependencies(ctx context.Context, dir string) error {
	needs := needs(dir)
	if len(needs) == 0 {
		return nil
	}
	npm := m.npm()
	if npm == "" {
		m.say("warning: it needs %s of npm, which is not installed here; what uses them will not work", strings.Join(needs, ", "))
		return nil
	}
	m.say("installing what it needs with npm")
	if err := m.command(ctx, dir, npm, append([]string{"install"}, npmFlags()...)...); err != nil {
		if ctx.Err() != nil {
			return err
		}
		m.say("warning: what it needs could not be installed: %v", err)
	}
	return nil
}

// needs are the packages that a package's manifest says it needs.
func needs(dir string) (names []string) {
	var p struct {
		Dependencies map[string]any `json:"dependencies"`
		Bundled      any            `json:"bundleDependencies"`
	}
	b, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil || json.Unmarshal(b, &p) != nil {
		return nil
	}
	for name := range p.Dependencies {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", filepath.FromSlash(name))); err != nil {
			names = append(names, name)
		}
	}
	return names
}

// release is what the registry says of one version.
type release struct {
	Version string `json:"version"`
	Dist    struct {
		Tarball   string `json:"tarball"`
		Integrity string `json:"integrity"`
	} `json:"dist"`
}

// download gets a package from the registry without npm. What it needs of
// others is not installed.
func (m *Manager) download(ctx context.Context, s Source) error {
	r, err := m.release(ctx, s)
	if err != nil {
		return err
	}
	m.say("downloading %s %s", s.Name, r.Version)
	sum, err := integrity(r.Dist.Integrity)
	if err != nil {
		return err
	}
	res, err := m.get(ctx, r.Dist.Tarball, "")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	tmp, err := os.MkdirTemp(m.npmDir(), ".new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	// The archive is not looked at before it is known to be the one.
	archive, err := os.Create(filepath.Join(tmp, "package.tgz"))
	if err != nil {
		return err
	}
	defer archive.Close()
	h := sha512.New()
	n, err := io.Copy(io.MultiWriter(archive, h), io.LimitReader(res.Body, maxArchive+1))
	switch {
	case err != nil:
		return fmt.Errorf("download %s: %w", s.Name, err)
	case n > maxArchive:
		return fmt.Errorf("the archive is larger than %d MB", maxArchive>>20)
	case !matches(h, sum):
		return errors.New("the archive is not the one that the registry speaks of: its checksum differs")
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	dir := filepath.Join(tmp, "package")
	if err := extract(archive, dir); err != nil {
		return fmt.Errorf("unpack %s: %w", s.Name, err)
	}
	if list := needs(dir); len(list) > 0 {
		m.say("warning: it needs %s; without npm they are not installed, and what uses them will not work", strings.Join(list, ", "))
	}
	return replaceDir(dir, s.Dir(m.Base))
}

// release asks the registry for a version: an exact one or a tag.
func (m *Manager) release(ctx context.Context, s Source) (release, error) {
	var r release
	base := strings.TrimSuffix(cmp.Or(m.Registry, os.Getenv("NPM_CONFIG_REGISTRY"), os.Getenv("npm_config_registry"), publicRegistry), "/")
	version := cmp.Or(s.Version, "latest")
	if strings.ContainsAny(version, "^~<>=|*x ") && !strings.Contains(version, "next") {
		return r, fmt.Errorf("without npm a version must be exact, and %s is not", version)
	}
	// A scoped name is one part of the path.
	address := base + "/" + strings.Replace(s.Name, "/", "%2f", 1) + "/" + url.PathEscape(version)
	res, err := m.get(ctx, address, "application/json")
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(io.LimitReader(res.Body, 8<<20)).Decode(&r); err != nil {
		return r, fmt.Errorf("read what the registry says of %s: %w", s.Name, err)
	}
	if r.Dist.Tarball == "" {
		return r, fmt.Errorf("the registry names no archive of %s", s)
	}
	return r, nil
}

func (m *Manager) get(ctx context.Context, address, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	client := m.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		if res.StatusCode == http.StatusNotFound {
			return nil, errors.New("there is no such package or version")
		}
		return nil, fmt.Errorf("the registry answers %s", res.Status)
	}
	return res, nil
}

// integrity reads a checksum of https://www.w3.org/TR/SRI/. Only the strongest
// that npm gives will do.
func integrity(text string) ([]byte, error) {
	for _, part := range strings.Fields(text) {
		if b64, ok := strings.CutPrefix(part, "sha512-"); ok {
			b64, _, _ = strings.Cut(b64, "?")
			if sum, err := base64.StdEncoding.DecodeString(b64); err == nil && len(sum) == sha512.Size {
				return sum, nil
			}
		}
	}
	return nil, errors.New("the registry gives no sha512 checksum of the archive")
}

func matches(h hash.Hash, sum []byte) bool { return subtle.ConstantTimeCompare(h.Sum(nil), sum) == 1 }
