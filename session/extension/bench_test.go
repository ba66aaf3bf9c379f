package extension_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/agent"
	"tau/ai"
	"tau/session/extension"
	"tau/session/extension/js"
	"tau/session/resources"
)

func gate(b *testing.B, file string) {
	b.Helper()
	r := extension.NewRunner(extension.Options{Load: load(b.TempDir())})
	defer r.Close()
	for _, f := range r.Load(context.Background(), []resources.Source{{Path: file}}) {
		b.Fatal(f.Err)
	}
	args, err := json.Marshal(map[string]string{"command": "go test ./...", "why": strings.Repeat("because ", 20)})
	if err != nil {
		b.Fatal(err)
	}
	c := agent.ToolContext{Call: &ai.ToolCall{ID: "call_1", Name: "bash"}, Args: args, SetArgs: func(json.RawMessage) {}}
	for b.Loop() {
		if block, err := r.ToolCall(context.Background(), c); err != nil || block != nil {
			b.Fatal(block, err)
		}
	}
}

// One tool_call handler in TypeScript, there and back.
func BenchmarkToolCallInProcess(b *testing.B) {
	gate(b, script(b, `export default (pi) => { pi.on("tool_call", async (e) => { if (/\brm\s+-rf/.test(e.input.command)) return { block: true }; }); }`))
}

// The same by a program in Go.
func BenchmarkToolCallOverStdio(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "ext")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nTAU_EXT_TEST=go TAU_EXT_EVENTS=tool_call TAU_EXT_LOG=/dev/null exec '"+exe+"'\n"), 0o700); err != nil {
		b.Fatal(err)
	}
	gate(b, path)
}

// No extension listens.
func BenchmarkToolCallWithoutExtensions(b *testing.B) {
	r := extension.NewRunner(extension.Options{})
	for b.Loop() {
		if r.Wants("tool_call") {
			b.Fatal("somebody listens")
		}
	}
}

// Twenty extensions that are in the cache, from nothing to ready.
func BenchmarkLoadTwenty(b *testing.B) {
	dir := b.TempDir()
	l := &js.Loader{Cache: filepath.Join(dir, "cache"), Env: js.Env{CWD: dir, ProjectDir: ".tau"}}
	var files []resources.Source
	for i := range 20 {
		path := filepath.Join(dir, fmt.Sprintf("e%d.ts", i))
		code := fmt.Sprintf(`import { Type } from "typebox";
export default function (pi: any) {
	pi.on("tool_call", async (e: any) => undefined);
	pi.registerTool({ name: "tool%d", label: "T", description: "A tool", parameters: Type.Object({ text: Type.String() }), execute: async () => ({ content: [] }) });
	pi.registerCommand("command%d", { description: "A command", handler: async () => {} });
}`, i, i)
		if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
			b.Fatal(err)
		}
		files = append(files, resources.Source{Path: path})
	}
	once := func() {
		r := extension.NewRunner(extension.Options{Load: l.Load})
		for _, f := range r.Load(context.Background(), files) {
			b.Fatal(f.Err)
		}
		b.StopTimer()
		r.Close()
		b.StartTimer()
	}
	once() // fills the cache
	for b.Loop() {
		once()
	}
}

// What a key costs, beside the screen, when two extensions complete.
func BenchmarkSuggest(b *testing.B) {
	r := extension.NewRunner(extension.Options{Load: load(b.TempDir()), UI: &desk{words: []string{"own"}}, Mode: "tui"})
	defer r.Close()
	for _, f := range r.Load(b.Context(), []resources.Source{{Path: script(b, issues)}, {Path: script(b, shouting)}}) {
		b.Fatal(f.Err)
	}
	r.Start(b.Context(), "startup", "")
	for b.Loop() {
		if s := r.Suggest(b.Context(), typed("say wo"), false); len(s.Items) != 2 {
			b.Fatal(s)
		}
	}
}

// What showing a text of 10 kB costs, beside the screen, with a transformer.
func BenchmarkTransform(b *testing.B) {
	r := extension.NewRunner(extension.Options{Load: load(b.TempDir()), Mode: "tui"})
	defer r.Close()
	for _, f := range r.Load(b.Context(), []resources.Source{{Path: script(b, `export default (pi) => pi.registerMarkdownTransformer((m) => m.replaceAll("-->", "→"))`)}}) {
		b.Fatal(f.Err)
	}
	text := strings.Repeat("a --> b\n", 1250)
	for b.Loop() {
		if out := r.Transform(b.Context(), text, extension.Shown{Kind: "assistant", Width: 80}); !strings.HasPrefix(out, "a → b") {
			b.Fatalf("%.40q", out)
		}
	}
}
