package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// setUnknown takes the long flags out of the arguments that are not tau's own.
// They are an extension's, or a mistake: Claim says which.
func (o *Options) setUnknown(fs *pflag.FlagSet, args []string) []string {
	var rest []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, value, has := strings.Cut(strings.TrimPrefix(a, "--"), "=")
		switch f := fs.Lookup(name); {
		case !strings.HasPrefix(a, "--") || len(name) == 0:
			rest = append(rest, a)
			if takesValue(fs, a) && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
		case f != nil:
			rest = append(rest, a)
			if !has && f.NoOptDefVal == "" && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
		default:
			u := Unknown{Name: name, Place: -1}
			switch {
			case has:
				u.Value = &value
			case i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && !strings.HasPrefix(args[i+1], "@"):
				i++
				u.Value, u.Place = &args[i], plain(rest)
			}
			o.Unknown = append(o.Unknown, u)
		}
	}
	return rest
}

// takesValue reports whether a short flag stands before its value.
func takesValue(fs *pflag.FlagSet, a string) bool {
	if len(a) != 2 || a[0] != '-' {
		return false
	}
	f := fs.ShorthandLookup(a[1:])
	return f != nil && f.NoOptDefVal == ""
}

// plain counts the arguments that become messages; it may be too large where
// values of flags are among them, which does no harm.
func plain(args []string) int {
	n := 0
	for _, a := range args {
		if !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "@") {
			n++
		}
	}
	return n
}

// Claim gives the unknown flags to extensions: types are those of the flags they
// have, "boolean" or "string". What is left is an error.
func (o *Options) Claim(types map[string]string) (values map[string]any, err error) {
	values = map[string]any{}
	for _, u := range o.Unknown {
		switch typ, ok := types[u.Name]; {
		case !ok:
			return nil, usage(unknown(u.Name))
		case typ == "string":
			if u.Value == nil {
				return nil, &UsageError{"--" + u.Name + " needs a value\nSee tau --help."}
			}
			values[u.Name] = *u.Value
		default:
			values[u.Name] = true
			if u.Place >= 0 {
				at := min(u.Place, len(o.Messages))
				o.Messages = slices.Insert(o.Messages, at, *u.Value)
			} else if u.Value != nil {
				values[u.Name] = *u.Value != "false" && *u.Value != "0"
			}
		}
	}
	o.Unknown = nil
	return values, nil
}

// unknown is pflag's own error for a flag it does not know.
func unknown(name string) error {
	fs := pflag.NewFlagSet("tau", pflag.ContinueOnError)
	fs.Usage = func() {}
	return fs.Parse([]string{"--" + name})
}
