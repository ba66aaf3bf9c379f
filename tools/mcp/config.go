package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"
)

// Exposure says how the tools of a server come to the model.
type Exposure string

// The exposures. A configuration may also say codemode or codemode-deferred,
// which are read as Deferred.
const (
	Direct   Exposure = "direct"   // declared from the beginning
	Deferred Exposure = "deferred" // declared when tool_search has found them
	Hidden   Exposure = "hidden"   // not at all
)

// Scope says whose configuration names a server.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
	Client  Scope = "client" // of the program that drives tau
	// Extension is an extension's; Path is its file.
	Extension Scope = "extension"
)

// Server is the configuration of one server.
type Server struct {
	Name  string
	Scope Scope
	Path  string // of the file that names it

	// A program: its name, or
	Command string
	Args    []string
	Env     map[string]string // added to tau's own environment
	CWD     string            // the session's folder if empty

	// a service.
	URL     string
	Headers map[string]string
	OAuth   OAuth
	// Provider names the provider whose sign-in or key is used as bearer token.
	Provider string

	Timeout  time.Duration // of a connection and of a call
	Disabled bool
	Exposure Exposure
	// ToolExposure is by the name of a tool, in which * stands for anything.
	ToolExposure map[string]Exposure
	Description  string
}

// OAuth says how to sign in at a service.
type OAuth struct {
	Off                   bool   `json:"-"` // "oauth": false
	ClientID              string `json:"clientId"`
	ClientSecret          string `json:"clientSecret"`
	CallbackPort          int    `json:"callbackPort"`
	CallbackURL           string `json:"callbackUrl"`
	Scope                 string `json:"scope"`
	ClientName            string `json:"clientName"`
	ClientRegistration    string `json:"clientRegistration"` // auto, cimd or dcr
	AuthServerMetadataURL string `json:"authServerMetadataUrl"`
}

// DefaultTimeout is how long a server may take to connect, or to answer a call
// without a sign of progress.
const DefaultTimeout = 60 * time.Second

// File is an mcp.json.
type File struct {
	Path  string
	Scope Scope
}

// Load reads files in order; a server of a later one takes the place of one of
// the same name. An entry with neither command nor url changes only enabled,
// exposure and toolExposure of the one before. A file that is not there is no
// problem. The servers come in the order of their names.
func Load(files ...File) (servers []Server, problems []error) {
	byName := map[string]Server{}
	for _, f := range files {
		b, err := os.ReadFile(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("read MCP servers: %w", err))
			continue
		}
		problems = append(problems, add(byName, b, f)...)
	}
	return sorted(byName), problems
}

// Entries is Load for servers that a program names, as a JSON object by name.
func Entries(object []byte, scope Scope) (servers []Server, problems []error) {
	byName := map[string]Server{}
	doc := append(append([]byte(`{"mcpServers":`), object...), '}')
	problems = add(byName, doc, File{Path: "servers of the client", Scope: scope})
	return sorted(byName), problems
}

// Registered reads the server that an extension, in the file path, registers.
func Registered(name string, config []byte, path string) (Server, error) {
	bad := strings.IndexFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if name == "" || bad >= 0 {
		return Server{}, fmt.Errorf("the name of an MCP server has letters, digits, - and _ only: %q", name)
	}
	var e entry
	if err := json.Unmarshal(config, &e); err != nil {
		return Server{}, fmt.Errorf("the MCP server %s: %w", name, err)
	}
	if e.Command == "" && e.URL == "" {
		return Server{}, fmt.Errorf("the MCP server %s has neither command nor url", name)
	}
	s := Server{Name: name, Scope: Extension, Path: path, Exposure: Deferred, Timeout: DefaultTimeout}
	if err := s.take(e, Extension); err != nil {
		return Server{}, fmt.Errorf("the MCP server %s: %w", name, err)
	}
	return s, nil
}

func sorted(byName map[string]Server) []Server {
	out := make([]Server, 0, len(byName))
	for _, s := range byName {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Server) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// entry is a server as a file has it.
type entry struct {
	Type         string                     `json:"type"`
	Command      string                     `json:"command"`
	Args         []string                   `json:"args"`
	Env          map[string]string          `json:"env"`
	CWD          string                     `json:"cwd"`
	URL          string                     `json:"url"`
	Headers      map[string]string          `json:"headers"`
	OAuth        json.RawMessage            `json:"oauth"`
	Auth         *struct{ Provider string } `json:"auth"`
	Timeout      float64                    `json:"timeout"`
	Enabled      *bool                      `json:"enabled"`
	Exposure     string                     `json:"exposure"`
	ToolExposure map[string]string          `json:"toolExposure"`
	Description  string                     `json:"description"`
}

func add(byName map[string]Server, b []byte, f File) (problems []error) {
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s: %s", f.Path, fmt.Sprintf(format, args...)))
	}
	b, err := hujson.Standardize(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
	if err != nil {
		bad("%v; no server of it is used", strings.TrimPrefix(err.Error(), "hujson: "))
		return problems
	}
	var doc struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		bad("mcpServers must be an object of servers by name; no server of it is used")
		return problems
	}
	names := make([]string, 0, len(doc.Servers))
	for n := range doc.Servers {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, name := range names {
		var e entry
		if err := json.Unmarshal(doc.Servers[name], &e); err != nil {
			bad("the server %s is not used: %v", name, err)
			continue
		}
		s, ok := byName[name]
		if e.Command != "" || e.URL != "" {
			s, ok = Server{Name: name, Scope: f.Scope, Path: f.Path, Exposure: Deferred, Timeout: DefaultTimeout}, true
		} else if !ok {
			bad("the server %s is not used: it has neither command nor url", name)
			continue
		}
		if err := s.take(e, f.Scope); err != nil {
			bad("the server %s is not used: %v", name, err)
			continue
		}
		byName[name] = s
	}
	return problems
}

func (s *Server) take(e entry, scope Scope) error {
	if e.Command != "" || e.URL != "" {
		if err := s.reach(e, scope); err != nil {
			return err
		}
	}
	if e.Enabled != nil {
		s.Disabled = !*e.Enabled
	}
	if e.Exposure != "" {
		x, err := ParseExposure(e.Exposure)
		if err != nil {
			return err
		}
		s.Exposure = x
	}
	if e.ToolExposure != nil {
		s.ToolExposure = map[string]Exposure{}
		for name, v := range e.ToolExposure {
			x, err := ParseExposure(v)
			if err != nil {
				return fmt.Errorf("toolExposure of %s: %w", name, err)
			}
			s.ToolExposure[name] = x
		}
	}
	return nil
}

// reach takes what says where the server is.
func (s *Server) reach(e entry, scope Scope) error {
	switch kind := strings.ToLower(e.Type); {
	case kind == "sse":
		return errors.New("the transport sse is obsolete and not supported; most such servers also speak http at another address")
	case kind != "" && kind != "stdio" && kind != "http" && kind != "streamable-http":
		return fmt.Errorf("type %q is not known; there are stdio and http", e.Type)
	case e.Command != "" && e.URL != "":
		return errors.New("it has both command and url")
	case kind == "stdio" && e.Command == "":
		return errors.New("its type is stdio, and it has no command")
	case kind != "" && kind != "stdio" && e.URL == "":
		return errors.New("its type is http, and it has no url")
	}
	if e.URL != "" {
		if u, err := url.Parse(e.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("url %q is no http address", e.URL)
		}
	}
	s.Command, s.Args, s.Env, s.CWD = e.Command, e.Args, e.Env, e.CWD
	s.URL, s.Headers, s.Description = e.URL, e.Headers, e.Description
	if e.Timeout > 0 {
		// In milliseconds, but a small number can only mean seconds.
		unit := time.Millisecond
		if e.Timeout < 1000 {
			unit = time.Second
		}
		s.Timeout = min(time.Duration(e.Timeout*float64(unit)), 24*time.Hour)
	}
	if len(e.OAuth) > 0 && string(e.OAuth) != "null" && string(e.OAuth) != "true" {
		if string(e.OAuth) == "false" {
			s.OAuth.Off = true
		} else if err := json.Unmarshal(e.OAuth, &s.OAuth); err != nil {
			return fmt.Errorf("oauth: %w", err)
		}
	}
	switch s.OAuth.ClientRegistration {
	case "", "auto", "cimd", "dcr":
	default:
		return fmt.Errorf("oauth.clientRegistration %q is not known; there are auto, cimd and dcr", s.OAuth.ClientRegistration)
	}
	if e.Auth != nil && e.Auth.Provider != "" {
		if scope == Project {
			// A project must not send the user's keys where it likes.
			return errors.New("auth is for the user's own mcp.json only")
		}
		s.Provider = e.Auth.Provider
	}
	return nil
}

// ParseExposure reads an exposure.
func ParseExposure(s string) (Exposure, error) {
	switch x := Exposure(strings.ToLower(s)); x {
	case Direct, Deferred, Hidden:
		return x, nil
	case "codemode", "codemode-deferred":
		return Deferred, nil
	}
	return "", fmt.Errorf("exposure %q is not known; there are direct, deferred and hidden", s)
}

// exposure of a tool: an exact name beats patterns, of which a longer one beats
// a shorter.
func (s *Server) exposure(tool string) Exposure {
	if x, ok := s.ToolExposure[tool]; ok {
		return x
	}
	best, out := "", s.Exposure
	for pattern, x := range s.ToolExposure {
		if ok, err := path.Match(pattern, tool); ok && err == nil && (len(pattern) > len(best) || len(pattern) == len(best) && pattern > best) {
			best, out = pattern, x
		}
	}
	return out
}

// may reports whether a tool of the server can have the exposure.
func (s *Server) may(x Exposure) bool {
	if s.Exposure == x {
		return true
	}
	for _, t := range s.ToolExposure {
		if t == x {
			return true
		}
	}
	return false
}

// Target is the command line or the address, for people.
func (s *Server) Target() string {
	if s.URL != "" {
		return s.URL
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// expand puts variables of the environment in the place of ${NAME} and
// ${NAME:-otherwise}.
func expand(text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "${")
		out.WriteString(before)
		if !ok {
			return out.String(), nil
		}
		inner, after, ok := strings.Cut(rest, "}")
		if !ok {
			out.WriteString("${" + rest)
			return out.String(), nil
		}
		name, otherwise, has := strings.Cut(inner, ":-")
		value, set := os.LookupEnv(name)
		switch {
		case set && value != "":
			out.WriteString(value)
		case has:
			out.WriteString(otherwise)
		default:
			return "", fmt.Errorf("the variable %s is not set", name)
		}
		text = after
	}
}

func expandAll(m map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(m))
	for k, v := range m {
		x, err := expand(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		out[k] = x
	}
	return out, nil
}

// folder is where the program runs.
func (s *Server) folder(cwd string) (string, error) {
	dir, err := expand(s.CWD)
	if err != nil {
		return "", fmt.Errorf("cwd: %w", err)
	}
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			dir = filepath.Join(home, rest)
		}
	}
	if dir == "" {
		return cwd, nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	return dir, nil
}
