package tools

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestRunGivesTheOutputAsItComes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	s := New(Options{CWD: t.TempDir()})
	defer s.Close()
	for _, tt := range []struct {
		script, text, deltas string
		code                 int
	}{
		{"echo a; echo b >&2", "a\nb\n", "a\nb\n", 0},
		{"printf 'x\\033[31my'; exit 3", "xy", "xy", 3},
		{"true", "", "", 0},
	} {
		var deltas strings.Builder
		out, err := s.Run(context.Background(), tt.script, func(d string) { deltas.WriteString(d) })
		if err != nil || out.Text != tt.text || out.ExitCode == nil || *out.ExitCode != tt.code || out.Cancelled || out.Truncated {
			t.Errorf("%q: %+v %v", tt.script, out, err)
		}
		if deltas.String() != tt.deltas {
			t.Errorf("%q: deltas %q, want %q", tt.script, deltas.String(), tt.deltas)
		}
	}
	out, err := s.Run(context.Background(), "seq 1 30000", nil)
	if err != nil || !out.Truncated || out.FullOutputPath == "" || !strings.HasSuffix(out.Text, "\n30000") {
		t.Errorf("long output: truncated %v, path %q, %v", out.Truncated, out.FullOutputPath, err)
	}
	if _, err := s.Run(context.Background(), " ", nil); err == nil {
		t.Error("an empty command was run")
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	s := New(Options{CWD: t.TempDir()})
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	began := time.Now()
	out, err := s.Run(ctx, "echo begun; sleep 60", func(string) { cancel() })
	if err != nil || !out.Cancelled || out.ExitCode != nil || out.Text != "begun\n" {
		t.Errorf("%+v %v", out, err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
