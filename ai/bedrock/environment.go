package bedrock

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"tau/ai"
)

// environment is what AWS's own programs read of the machine: variables and
// the shared files. The files are read once for a request, and only if asked
// for.
type environment struct {
	opts     *ai.Options
	profiles map[string]map[string]string // nil until read
	sessions map[string]map[string]string // sections [sso-session name]
}

func newEnvironment(opts *ai.Options) *environment { return &environment{opts: opts} }

func (e *environment) get(name string) string { return e.opts.Getenv(name) }

// region is the configured one, "" if there is none.
func (e *environment) region() string {
	if r := firstSet(e.get("AWS_REGION"), e.get("AWS_DEFAULT_REGION")); r != "" {
		return r
	}
	return e.profile(e.profileName())["region"]
}

func (e *environment) profileName() string {
	return firstSet(e.get("AWS_PROFILE"), e.get("AWS_DEFAULT_PROFILE"), "default")
}

// profile returns the settings of a profile; of the two files, credentials
// wins.
func (e *environment) profile(name string) map[string]string {
	e.readFiles()
	return e.profiles[name]
}

func (e *environment) home() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

func (e *environment) readFiles() {
	if e.profiles != nil {
		return
	}
	e.profiles, e.sessions = map[string]map[string]string{}, map[string]map[string]string{}
	config := firstSet(e.get("AWS_CONFIG_FILE"), filepath.Join(e.home(), ".aws", "config"))
	keys := firstSet(e.get("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(e.home(), ".aws", "credentials"))
	for _, path := range []string{config, keys} {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // most machines have neither
		}
		for section, settings := range parseINI(data) {
			into, name := e.profiles, section
			if rest, ok := strings.CutPrefix(section, "sso-session "); ok {
				into, name = e.sessions, rest
			} else if rest, ok := strings.CutPrefix(section, "profile "); ok {
				name = rest
			}
			name = strings.TrimSpace(name)
			if into[name] == nil {
				into[name] = map[string]string{}
			}
			for key, value := range settings {
				into[name][key] = value
			}
		}
	}
}

// parseINI reads the sections of a file of AWS's. Keys are lower case; nested
// settings, which are indented, are left out: none of them is about
// credentials.
func parseINI(data []byte) map[string]map[string]string {
	sections := map[string]map[string]string{}
	var current map[string]string
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if line == "" || line[0] == '#' || line[0] == ';' || line[0] == ' ' || line[0] == '\t' {
			continue
		}
		if line[0] == '[' {
			name, _, ok := strings.Cut(line[1:], "]")
			current = nil
			if ok {
				name = strings.TrimSpace(name)
				if sections[name] == nil {
					sections[name] = map[string]string{}
				}
				current = sections[name]
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || current == nil {
			continue
		}
		for _, mark := range []string{" #", " ;", "\t#", "\t;"} { // comments need space before them
			value, _, _ = strings.Cut(value, mark)
		}
		current[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	return sections
}
