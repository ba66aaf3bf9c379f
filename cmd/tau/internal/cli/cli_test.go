package cli

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Options
		err  string
	}{
		{"", Options{}, ""},
		{"-p hello", Options{Print: true, Messages: []string{"hello"}}, ""},
		{"-p @a.txt hello @b", Options{Print: true, Files: []string{"a.txt", "b"}, Messages: []string{"hello"}}, ""},
		{"hello -p", Options{Print: true, Messages: []string{"hello"}}, ""},
		{"-p -- -x --y", Options{Print: true, Messages: []string{"-x", "--y"}}, ""},
		{"-c -n work", Options{Continue: true, Name: "work"}, ""},
		{"--model opus:high --thinking=low", Options{Model: "opus:high", Thinking: "low"}, ""},
		{"-t read,bash -xt bash", Options{Tools: []string{"read", "bash"}, ExcludeTools: []string{"bash"}}, ""},
		{"-nt -nc", Options{NoTools: true, NoContext: true}, ""},
		{"@", Options{Messages: []string{"@"}}, ""},
		{"--list-models opus", Options{ListModels: true, Messages: []string{"opus"}}, ""},
		{"-ne -ns -np --no-mcp -nbt", Options{NoBuiltinTools: true, NoSkills: true, NoTemplates: true, NoExtensions: true, NoMCP: true}, ""},
		{"--models a,b", Options{Models: []string{"a", "b"}}, ""},
		{"--model a --models b", Options{}, "exclude each other"},
		{"-h", Options{Help: true}, ""},
		{"--nope", Options{}, "unknown flag --nope"},
		{"--contin", Options{}, "did you mean --continue?"},
		{"-q", Options{}, "unknown flag -q"},
		{"--model", Options{}, "flag needs an argument"},
		{"--mode xml", Options{}, "--mode xml is not known"},
		{"-c --no-session", Options{}, "only one of"},
		{"--provider x", Options{}, "needs --model"},
	} {
		got, err := Parse(strings.Fields(tt.in))
		if err == nil && len(got.Unknown) > 0 {
			_, err = got.Claim(nil)
		}
		if tt.err != "" {
			var u *UsageError
			if !errors.As(err, &u) || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: error %v, want %q", tt.in, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		tt.want.Mode = "text"
		if got.Tools == nil {
			tt.want.Tools = nil
		}
		if !reflect.DeepEqual(normalizeEmpty(got), normalizeEmpty(tt.want)) {
			t.Errorf("%q\n got  %+v\n want %+v", tt.in, got, tt.want)
		}
	}
}

func normalizeEmpty(o Options) Options {
	for _, s := range []*[]string{&o.Tools, &o.ExcludeTools, &o.Models, &o.AppendSystem, &o.Files, &o.Messages} {
		if len(*s) == 0 {
			*s = nil
		}
	}
	return o
}

// Flags that extensions have are told apart by their type: what stands after a
// boolean one is a message.
func TestClaim(t *testing.T) {
	types := map[string]string{"plan": "boolean", "preset": "string"}
	for _, tt := range []struct {
		in     string
		plan   any
		preset any
		msgs   []string
		err    string
	}{
		{"--plan hello there", true, nil, []string{"hello", "there"}, ""},
		{"hello --plan there", true, nil, []string{"hello", "there"}, ""},
		{"--preset small hello", nil, "small", []string{"hello"}, ""},
		{"--preset=small --plan=false hi", false, "small", []string{"hi"}, ""},
		{"-p --plan --model m hi", true, nil, []string{"hi"}, ""},
		{"--preset", nil, nil, nil, "--preset needs a value"},
		{"--other x", nil, nil, nil, "unknown flag --other"},
	} {
		o, err := Parse(strings.Fields(tt.in))
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		values, err := o.Claim(types)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: error %v, want %q", tt.in, err, tt.err)
			}
			continue
		}
		if err != nil || values["plan"] != tt.plan || values["preset"] != tt.preset || !slices.Equal(o.Messages, tt.msgs) {
			t.Errorf("%q: %v %v %v", tt.in, values, o.Messages, err)
		}
	}
}
