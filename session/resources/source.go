package resources

// Scope says whose a resource is.
type Scope string

// The scopes.
const (
	User      Scope = "user"
	Project   Scope = "project"
	Temporary Scope = "temporary" // of the command line
)

// The origins of a resource.
const (
	TopLevel = "top-level"
	Package  = "package"
)

// Source says where a resource comes from. Its JSON is that of the RPC
// command get_commands.
type Source struct {
	Path string `json:"path"`
	// Source is "auto" for what lies in a folder that is searched, "local" for
	// what settings or flags name, or the package as settings name it.
	Source  string `json:"source"`
	Scope   Scope  `json:"scope"`
	Origin  string `json:"origin"`
	BaseDir string `json:"baseDir,omitempty"`
}

// Tag is the mark of menus: [u] for the user's, [p] for the project's, [t] for
// those of the command line, with the package if there is one.
func (s Source) Tag() string {
	letter := "u"
	switch s.Scope {
	case Project:
		letter = "p"
	case Temporary:
		letter = "t"
	}
	if s.Origin == Package {
		return "[" + letter + ":" + s.Source + "]"
	}
	return "[" + letter + "]"
}

// Problem is something that was not loaded, or not as it stands.
type Problem struct {
	Path string
	Text string
}

func (p Problem) Error() string { return p.Path + ": " + p.Text }
