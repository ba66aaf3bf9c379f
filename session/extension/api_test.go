package extension_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/ai"
	"tau/session/extension"
	"tau/session/message"
	"tau/session/resources"
)

func script(t testing.TB, code string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.ts")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// apiScript calls everything an extension is given and says what came back.
const apiScript = `
import { readFileSync, writeFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, utimesSync } from "node:fs";
import * as path from "node:path";
import { execSync, spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import os from "node:os";
import { truncateToWidth } from "@earendil-works/pi-tui";
import { copyToClipboard, parseFrontmatter } from "@earendil-works/pi-coding-agent";
export default function (pi: any) {
	const out: Record<string, unknown> = {};
	const note = (name: string, v: unknown) => { out[name] = v === undefined ? "undefined" : v; };
	pi.registerFlag("color", { type: "string", default: "red" });
	pi.registerShortcut("ctrl+shift+u", { description: "x", handler: async (ctx: any) => ctx.ui.notify("pressed") });
	pi.registerMessageRenderer("card", () => undefined);
	pi.registerEntryRenderer("card", (e: any) => ({ render: (w: number) => ["entry " + e.data.n + " " + w], invalidate() {} }));
	pi.registerMarkdownTransformer((s: string) => s.toUpperCase());
	pi.registerTool({ name: "extra", description: "d", parameters: { type: "object", properties: {} }, defaultActive: false, execute: async () => ({ content: [] }) });
	pi.registerTool({ name: "outer", description: "d", parameters: { type: "object", properties: {} }, execute: async (_i: any, _p: any, _s: any, _u: any, ctx: any) => {
		const seen: any[] = [];
		const r = await ctx.executeTool("work", { y: 2 }, { onUpdate: (u: any) => seen.push(u) });
		const no = await ctx.executeTool("nothing", {});
		return { content: [{ type: "text", text: JSON.stringify([r.content[0].text, no.isError, seen.length]) }] };
	} });
	pi.registerCommand("complete", { description: "c", getArgumentCompletions: (p: string) => [{ value: p + "1", label: "one" }], handler: async () => {} });
	pi.on("session_start", async () => {});
	const off = pi.on("turn_start", () => note("off", "called"));
	off();
	pi.events.on("ch", (d: any) => note("bus", d.n));
	pi.registerCommand("api", { description: "calls everything", handler: async (_args: string, ctx: any) => {
		note("mode", [ctx.mode, ctx.hasUI, ctx.isProjectTrusted(), ctx.isIdle(), ctx.hasPendingMessages()]);
		note("model", [ctx.model.id, ctx.modelRegistry.find("p", "o").id, ctx.modelRegistry.find("p", "none") === undefined, ctx.modelRegistry.getAvailable().length]);
		note("flag", pi.getFlag("color"));
		note("tools", [pi.getActiveTools(), pi.getAllTools().map((t: any) => t.name)]);
		pi.setActiveTools(["work", "extra", "unknown"]);
		note("tools2", pi.getActiveTools());
		pi.setActiveTools(["work", "outer"]);
		pi.setSessionName("named");
		note("name", pi.getSessionName());
		note("entry", typeof pi.appendEntry("state", { n: 1 }));
		pi.sendMessage({ customType: "card", content: "a card", display: true, details: { d: 1 } });
		note("branch", ctx.sessionManager.getBranch().map((e: any) => e.type));
		const leaf = ctx.sessionManager.getLeafId();
		pi.setLabel(leaf, "here");
		note("label", ctx.sessionManager.getLabel(leaf));
		note("level", [pi.getThinkingLevel(), (pi.setThinkingLevel("low"), pi.getThinkingLevel())]);
		note("setModel", [await pi.setModel({ provider: "p", id: "o" }), await pi.setModel({ provider: "p", id: "none" }), ctx.model.id]);
		await pi.setModel({ provider: "p", id: "m" });
		const ex = await pi.exec("sh", ["-c", "echo out; echo err >&2; exit 3"]);
		note("exec", [ex.stdout.trim(), ex.stderr.trim(), ex.code, ex.killed]);
		const slow = await pi.exec("sleep", ["5"], { timeout: 30 });
		note("timeout", slow.killed);
		note("settings", pi.getSettings().theme);
		note("commands", pi.getCommands().map((c: any) => c.name));
		note("ui", [await ctx.ui.select("Pick", ["a", "b"]), await ctx.ui.confirm("Sure?", "m"), await ctx.ui.input("Name", "p"), (await ctx.ui.editor("E", "x")) === undefined, await ctx.ui.custom(() => ({})) === undefined]);
		ctx.ui.setStatus("k", "busy"); ctx.ui.setStatus("k", undefined); ctx.ui.setWidget("w", ["l"]); ctx.ui.setWidget("w", undefined); ctx.ui.setTitle("T"); ctx.ui.setEditorText("E");
		ctx.ui.setWorkingMessage("x"); ctx.ui.setHeader(undefined); ctx.ui.setFooter(undefined); ctx.ui.setToolsExpanded(true);
		note("prompt", [ctx.getSystemPrompt().length > 10, Object.keys(ctx.getSystemPromptOptions().sections).length > 0]);
		note("usage", ctx.getContextUsage().contextWindow);
		const answer = await ctx.modelRegistry.complete(ctx.model, { systemPrompt: "s", messages: [{ role: "user", content: "q", timestamp: 1 }] }, {});
		note("complete", answer.content[0].text);
		pi.events.emit("ch", { n: 7 });
		pi.registerMcpServer("s", { url: "http://x" });
		note("mcp", pi.getMcpServers().map((s: any) => s.name));
		pi.unregisterMcpServer("s");
		let thrown = ""; try { pi.on("no_such_event", () => {}); } catch (e: any) { thrown = e.message; }
		note("bad event", thrown.includes("no_such_event"));
		// Node
		const dir = mkdtempSync(path.join(os.tmpdir(), "tau-test-"));
		writeFileSync(path.join(dir, "a.txt"), "hällo");
		let code = ""; try { readFileSync(path.join(dir, "none")); } catch (e: any) { code = e.code; }
		note("fs", [readFileSync(path.join(dir, "a.txt"), "utf8"), readdirSync(dir), statSync(dir).isDirectory(), code, Buffer.from("hällo").toString("base64")]);
		note("hash", createHash("sha256").update("x").digest("hex").slice(0, 8));
		note("uuid", randomUUID().length);
		note("execSync", execSync("printf hi").toString());
		note("spawn", await new Promise((res) => { const c = spawn("sh", ["-c", "cat; exit 4"]); let s = ""; c.stdout.on("data", (d: any) => { s += d; }); c.on("close", (n: number) => res([s, n])); c.stdin.write("in"); c.stdin.end(); }));
		const left = (e: any) => e.code, attempt = (f: any) => { try { return f(); } catch (e) { return left(e); } };
		const sleeper = spawn("sleep", ["60"]);
		note("kill", [attempt(() => process.kill(sleeper.pid!, 0)), sleeper.kill(0), await new Promise((res) => { sleeper.on("exit", (n: any, s: any) => res(s)); process.kill(-sleeper.pid!, 9); }),
			attempt(() => process.kill(sleeper.pid!, 0)), attempt(() => process.kill(1, "SIGNOTHING")), process.kill(process.pid, 0)]);
		const tFile = path.join(dir, "t");
		writeFileSync(tFile, "four"); truncateSync(tFile, 2); utimesSync(tFile, 1, new Date(5000));
		note("times", [statSync(tFile).mtimeMs, readFileSync(tFile, "utf8")]);
		rmSync(dir, { recursive: true });
		note("gone", existsSync(dir));
		note("own", typeof process.getuid!() === "number" && os.userInfo().uid === process.getuid!());
		const bytes = Buffer.from("ab"), other = structuredClone(bytes); other[0] = 0;
		note("bytes", [bytes[0], structuredClone(new DataView(new Uint8Array([1, 2]).buffer, 1)).getUint8(0)]);
		const front = parseFrontmatter("---\r\nname: \"a\\tb\"\nwhen: 2024-01-02\nlist: [x, 'y: z']\ntext: |\n  one\n  two\n---\n\nBody\n");
		note("front", [front.frontmatter, front.body, parseFrontmatter("plain\r\n").body, attempt(() => parseFrontmatter("---\na: [\n---\n")) === undefined]);
		note("part", Buffer.from(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2).toString("hex"));
		note("copy", await copyToClipboard("x").catch((e: any) => e.message.includes("clipboard")));
		const cut = (s: string, granularity: any) => [...new Intl.Segmenter("en", { granularity }).segment(s)].map((x) => x.segment);
		note("fit", truncateToWidth("\x1b[31mabcdef\x1b[39m", 4, "").includes("abc"));
		note("segments", [cut("e\u0301👩‍👧a", "grapheme").length, cut("two words", "word"), cut("One. Two.", "sentence").length]);
		note("url", new URL("/b?x=1#h", "https://user@host:8080/a").href);
		note("clone", structuredClone({ a: [1, new Date(0)] }).a.length);
		const t0 = Date.now(); await new Promise((r) => setTimeout(r, 20)); note("timer", Date.now() - t0 >= 19);
		const ac = new AbortController(); setTimeout(() => ac.abort(), 10);
		const aborted = await pi.exec("sleep", ["5"], { signal: ac.signal });
		note("abort", aborted.killed);
		note("utf8", new TextDecoder().decode(new TextEncoder().encode("a€😀")));
		writeFileSync(process.env.TAU_EXT_LOG!, JSON.stringify(out));
	} });
}
`

func TestTheAPI(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("TAU_EXT_LOG", log)
	st := newStage(t, 0, script(t, apiScript))
	st.ui.choice = "b"
	st.llm.will(says("completed"))
	ctx := context.Background()
	c, args, ok := st.r.Command("/api")
	if !ok {
		t.Fatal("there is no command")
	}
	if err := st.r.Run(ctx, c, args); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"mode": `["rpc",true,true,true,false]`, "model": `["m","o",true,2]`, "flag": `"red"`, "tools": `[["work","extra","outer"],["work","extra","outer"]]`,
		"tools2": `["work","extra"]`, "name": `"named"`, "entry": `"string"`, "label": `"here"`, "level": `["off","low"]`,
		"branch":   `["model_change","thinking_level_change","session_info","custom","custom_message"]`,
		"setModel": `[true,false,"o"]`, "exec": `["out","err",3,false]`, "timeout": `true`, "settings": `"dark"`, "commands": `["complete","api"]`,
		"ui": `["b",true,"typed",true,true]`, "prompt": `[true,true]`, "usage": `100000`, "complete": `"completed"`, "bus": `7`, "mcp": `["s"]`,
		"bad event": `true`, "fs": `["hällo",["a.txt"],true,"ENOENT","aMOkbGxv"]`, "gone": `false`, "hash": `"2d711642"`, "uuid": `36`,
		"kill": `[true,true,"SIGKILL","ESRCH",null,true]`, "times": `[5000,"fo"]`, "own": `true`, "bytes": `[97,2]`,
		"front": `[{"list":["x","y: z"],"name":"a\tb","text":"one\ntwo","when":"2024-01-02"},"Body","plain\n",true]`, "part": `"0203"`, "copy": `true`,
		"segments": `[3,["two"," ","words"],2]`,
		"fit":      `true`, "execSync": `"hi"`, "spawn": `["in",4]`, "url": `"https://user@host:8080/b?x=1#h"`, "clone": `2`, "timer": `true`, "abort": `true`, "utf8": `"a€😀"`,
	} {
		if string(got[name]) != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
	if _, ok := got["off"]; ok {
		t.Error("a handler that was taken off was called")
	}
	for _, note := range []string{"status k busy", "status k -", "widget w [l]", "widget w -", "title T", "editor text E", "confirm Sure? m"} {
		if !st.ui.said(note) {
			t.Errorf("the UI was not told %q", note)
		}
	}
	if !st.has(message.RoleCustom, "a card") {
		t.Error("the custom message is not in the session")
	}
	st.llm.will(calls("outer", `{}`), says("ok"))
	st.ask("nest")
	if got := st.lastResult(); got != `["worked {\"y\":2}",true,1]` {
		t.Errorf("executeTool: %s", got)
	}
	if items := st.r.Complete(ctx, st.r.Commands()[0], "v"); len(items) != 1 || items[0].Value != "v1" {
		t.Errorf("completions %v", items)
	}
	st.r.Press(ctx, st.r.Shortcuts()[0])
	if !st.ui.said("notify : pressed") {
		t.Error("the shortcut did nothing")
	}
	v, err := st.r.Draw("entry", "card", map[string]any{"data": map[string]int{"n": 5}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if lines, err := v.Lines(40); err != nil || strings.Join(lines, "|") != "entry 5 40" {
		t.Errorf("the entry: %v %v", lines, err)
	}
	if got := st.r.Transform(ctx, "abc", extension.Shown{Kind: "assistant", Width: 80}); got != "ABC" {
		t.Errorf("the markdown: %s", got)
	}
	if e := st.errors(); e != "" {
		t.Error(e)
	}
}

// Each handler sees what the one before made of the event.
func TestHandlersAreChained(t *testing.T) {
	one := script(t, `export default (pi) => {
		pi.on("input", (e) => ({ action: "transform", text: e.text + " one" }));
		pi.on("tool_call", (e) => { e.input.seen = "one"; });
		pi.on("tool_result", (e) => ({ content: [{ type: "text", text: e.content[0].text + " one" }] }));
		pi.on("before_agent_start", (e) => { e.systemPromptOptions.sections.extra = "EXTRA"; return { message: { customType: "x", content: "from one", display: false } }; });
		pi.on("context", (e) => ({ messages: [...e.messages, { role: "user", content: [{ type: "text", text: "added" }], timestamp: 1 }] }));
		pi.on("before_provider_request", (e) => ({ ...e.payload, one: 1 }));
		pi.on("message_end", (e) => { if (e.message.role === "assistant" && e.message.stopReason === "stop") return { message: { ...e.message, content: [{ type: "text", text: "replaced" }] } }; });
	}`)
	two := script(t, `export default (pi) => {
		pi.on("input", (e) => ({ action: "transform", text: e.text + " two" }));
		pi.on("tool_call", (e) => { e.input.seen += " two"; });
		pi.on("tool_result", (e) => ({ content: [{ type: "text", text: e.content[0].text + " two" }] }));
		pi.on("before_agent_start", (e) => ({ systemPrompt: e.systemPrompt + "\nEND" }));
		pi.on("before_provider_request", (e) => ({ ...e.payload, two: e.payload.one + 1 }));
	}`)
	st := newStage(t, 0, one, two)
	out, handled := st.r.Input(context.Background(), extension.Input{Content: ai.TextBlocks("hi"), Source: "rpc"})
	if handled || ai.ContentText(out) != "hi one two" {
		t.Errorf("input: %q", ai.ContentText(out))
	}
	st.llm.will(calls("work", `{}`), says("said"))
	st.ask("go")
	if got := st.lastResult(); got != `worked {"seen":"one two"} one two` {
		t.Errorf("the tool: %s", got)
	}
	req := st.llm.asked[0]
	if !strings.Contains(req.System, "EXTRA") || !strings.HasSuffix(req.System, "END") {
		t.Errorf("the prompt: %s", req.System)
	}
	if last := req.Messages[len(req.Messages)-1].(*ai.UserMessage); ai.ContentText(last.Content) != "added" {
		t.Errorf("the context: %s", ai.ContentText(last.Content))
	}
	if !st.has(message.RoleCustom, "from one") || st.has(ai.RoleUser, "added") {
		t.Error("what was added to the run or to the request is not where it should be")
	}
	if got := st.llm.bodies[0]; !strings.Contains(got, `"two":2`) {
		t.Errorf("the payload: %s", got)
	}
	if text, _ := st.s.LastText(); text != "replaced" {
		t.Errorf("the answer: %s", text)
	}
	if e := st.errors(); e != "" {
		t.Error(e)
	}
}

// What an extension does wrong is told of, and nothing else happens.
func TestHostileExtensions(t *testing.T) {
	write := func(name, code string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(code), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ready := `printf '{"jsonrpc":"2.0","id":1,"result":{"events":["turn_start"]}}\n'; `
	for name, tt := range map[string]struct{ file, err string }{ // what takes for ever has the shorter limit
		"endless loop":    {script(t, `export default (pi) => { pi.on("turn_start", () => { for (;;) {} }); }`), "too long"},
		"hangs":           {script(t, `export default (pi) => { pi.on("turn_start", () => new Promise(() => {})); }`), "did nothing for too long"},
		"throws":          {script(t, `export default (pi) => { pi.on("turn_start", () => { throw new Error("oh no"); }); }`), "oh no (test.ts:1)"},
		"all memory":      {script(t, `export default (pi) => { pi.on("turn_start", () => { const a = []; for (;;) a.push(new Array(1e6).fill(1)); }); }`), "out of memory|too long"},
		"deep recursion":  {script(t, `export default (pi) => { const f = () => f() + 1; pi.on("turn_start", () => f()); }`), "stack overflow"},
		"rejects":         {script(t, `export default (pi) => { pi.on("turn_start", async () => { await null; throw new TypeError("later"); }); }`), "TypeError: later"},
		"returns garbage": {script(t, `export default (pi) => { pi.on("turn_start", () => "x".repeat(1e6)); pi.on("turn_start", () => { throw 5; }); }`), "5"},
		"exits":           {write("exits.sh", "#!/bin/sh\nread l; "+ready+"read l; echo dying >&2; exit 3"), "exit status 3"},
		"prints garbage":  {write("garbage.sh", "#!/bin/sh\nread l; "+ready+"while read l; do i=0; while [ $i -lt 200 ]; do echo garbage; i=$((i+1)); done; done"), "not JSON-RPC"},
		"a 1 GB line":     {write("long.sh", "#!/bin/sh\nread l; "+ready+"read l; head -c 1000000000 /dev/zero | tr '\\0' x; sleep 60"), "more than 32 MiB"},
		"forks and hangs": {write("forks.sh", "#!/bin/sh\nread l; "+ready+"sleep 300 & sleep 300 & while read l; do :; done"), "did nothing for too long"},
	} {
		t.Run(name, func(t *testing.T) {
			good := script(t, `export default (pi) => { pi.on("turn_end", () => { pi.appendEntry("good", {}); }); }`)
			limit := 10 * time.Second
			if strings.Contains(tt.err, "too long") {
				limit = 700 * time.Millisecond
			}
			st := newStage(t, limit, tt.file, good)
			st.llm.will(calls("work", `{}`), says("fine"))
			st.ask("go")
			if text, _ := st.s.LastText(); text != "fine" {
				t.Errorf("the session: %q", text)
			}
			entries := 0
			for _, n := range st.s.Store().Nodes() {
				if n.Type == "custom" {
					entries++
				}
			}
			if entries != 2 {
				t.Errorf("the other extension was called %d times", entries)
			}
			eventually(t, tt.err, func() bool {
				for want := range strings.SplitSeq(tt.err, "|") {
					if strings.Contains(st.errors(), want) {
						return true
					}
				}
				return false
			})
		})
	}
}

// A handler of tool_call that fails blocks the call.
func TestAFailingGateIsShut(t *testing.T) {
	st := newStage(t, 0, script(t, `export default (pi) => { pi.on("tool_call", () => { throw new Error("broken"); }); }`))
	st.llm.will(calls("work", `{}`), says("ok"))
	st.ask("go")
	if got := st.lastResult(); !strings.Contains(got, "broken") || strings.Contains(got, "worked") {
		t.Errorf("the call: %s", got)
	}
}

func TestAnExtensionThatCannotBeLoaded(t *testing.T) {
	for code, want := range map[string]string{
		"export default (pi) => {\n  let x: = 1;\n}":                      "test.ts:2:",
		"import x from 'no-such-package';\nexport default () => { x(); }": "no-such-package",
		"import x from 'node:cluster';\nexport default () => { x(); }":    "node:cluster of Node is not to be had",
		"export const a = 1;": "no default export",
		"const a = 1;\nthrow new Error('at the top');\nexport default () => {}": "at the top (test.ts:2)",
		"export default async () => {\n\n  await null; undefined.x;\n}":         "test.ts:3",
	} {
		r := extension.NewRunner(extension.Options{Load: load(t.TempDir())})
		failed := r.Load(context.Background(), []resources.Source{{Path: script(t, code)}})
		if len(failed) != 1 || !strings.Contains(failed[0].Err, want) {
			t.Errorf("%q: %v, want %q", code, failed, want)
		}
		r.Close()
	}
}

func TestLimitsStopWhileTheUserIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := extension.NewRunner(extension.Options{Limit: time.Second, Load: func(context.Context, resources.Source, extension.Host) (extension.Carrier, error) {
			return slowCarrier{}, nil
		}})
		r.Load(context.Background(), []resources.Source{{Path: "x"}})
		h := r.Extensions()[0].Host()
		if _, err := h.Serve(context.Background(), "on", json.RawMessage(`{"event":"turn_start","handler":1}`)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r.Start(context.Background(), "startup", "") // nobody listens: at once
		if time.Since(began) > 0 {
			t.Error("an event that nobody wants took time")
		}
		r.Close()
	})
}

// slowCarrier never answers.
type slowCarrier struct{}

func (slowCarrier) Call(ctx context.Context, _ string, _ any) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}
func (slowCarrier) Close() error { return nil }

// What an extension has left to do at the end of its process is done when its
// session ends, and what it took back is not.
func TestExitOfTheProcess(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("TAU_EXT_LOG", log)
	st := newStage(t, 0, script(t, `
import { appendFileSync } from "node:fs";
const say = (s: string) => appendFileSync(process.env.TAU_EXT_LOG!, s);
const never = () => say("never");
export default function (pi: any) {
	process.on("exit", (code: number) => { say("exit " + code + ";"); throw new Error("too late"); });
	process.on("exit", never);
	process.once("exit", () => say("once;"));
	process.off("exit", never);
}
`))
	if _, err := os.Stat(log); err == nil {
		t.Error("it ended at once")
	}
	st.r.Shutdown(t.Context(), "quit", "")
	if b, err := os.ReadFile(log); err != nil || string(b) != "exit 0;once;" {
		t.Errorf("%s, %v", b, err)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.failed) != 1 || !strings.Contains(st.failed[0].Err, "too late") {
		t.Errorf("failures: %v", st.failed)
	}
}
