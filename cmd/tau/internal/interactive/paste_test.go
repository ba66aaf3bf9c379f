package interactive

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tau/cmd/tau/internal/cli"
)

func TestPasteAPicture(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in is xclip")
	}
	bin := t.TempDir()
	png := filepath.Join(bin, "clip.png")
	write(t, png, "\x89PNG\r\n\x1a\nrest")
	put := func(script string) {
		if err := os.WriteFile(filepath.Join(bin, "xclip"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("WSL_DISTRO_NAME", "")
	put("cat " + png)
	path, err := clipboardImage(context.Background(), os.Getenv)
	if err != nil || !strings.HasSuffix(path, ".png") {
		t.Fatalf("%s %v", path, err)
	}
	defer os.Remove(path)
	put("exit 1")
	if _, err := clipboardImage(context.Background(), os.Getenv); err == nil || !strings.Contains(err.Error(), "no picture") {
		t.Errorf("an empty clipboard: %v", err)
	}
	put("echo plain")
	if _, err := clipboardImage(context.Background(), os.Getenv); err == nil {
		t.Error("a text became a picture")
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := clipboardImage(context.Background(), os.Getenv); err == nil || !strings.Contains(err.Error(), "xclip is needed") {
		t.Errorf("no program: %v", err)
	}
}

func TestCompletionLeavesIgnoredFilesOut(t *testing.T) {
	work := home(t)
	write(t, filepath.Join(work, ".gitignore"), "out/\n*.log\n")
	write(t, filepath.Join(work, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(work, "out", "wanted.go"), "x")
	write(t, filepath.Join(work, "deep", "er", "wanted.go"), "x")
	write(t, filepath.Join(work, "wanted.log"), "x")
	relaunch(t, work, 90, 20, cli.Options{}, []turn{}, func(r *rig) {
		r.typing("@wanted")
		r.has("deep/er")
		r.hasNot("out/", "wanted.log")
		r.typing("\t")
		if got := r.p.editor.Text(); got != "@deep/er/wanted.go " {
			t.Errorf("editor %q", got)
		}
	})
}
