// Every method of pi's RpcClient is called on tau, and what it gives is looked at.
//
//	TAU_BIN=…/tau FAKELLM=…/serve node test.mjs
//
// FAKELLM is the stand-in for providers (go build ./ai/internal/fakellm/serve).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { RpcClient } from "@earendil-works/pi-coding-agent";

const here = path.dirname(fileURLToPath(import.meta.url));
const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tau-rpcclient-")));
const agent = path.join(home, "agent"), work = path.join(home, "work");
fs.mkdirSync(agent); fs.mkdirSync(work);
const addr = path.join(home, "addr");
const fake = spawn(process.env.FAKELLM, ["-addr-file", addr], { stdio: "ignore" });
process.on("exit", () => { fake.kill(); fs.rmSync(home, { recursive: true, force: true }); });
for (let i = 0; !fs.existsSync(addr) || !fs.readFileSync(addr, "utf8"); i++) {
  assert(i < 500, "the stand-in did not start");
  await new Promise((r) => setTimeout(r, 20));
}
const cost = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 };
const model = (id, more) => ({ id, name: id, input: ["text", "image"], contextWindow: 200000, maxTokens: 32000, cost, ...more });
fs.writeFileSync(path.join(agent, "models.json"), JSON.stringify({ providers: { bench: {
  baseUrl: "http://" + fs.readFileSync(addr, "utf8"), api: "anthropic-messages", apiKey: "k", models: [model("one"), model("two", { reasoning: true })],
} } }));
fs.writeFileSync(path.join(agent, "settings.json"), JSON.stringify({
  defaultProvider: "bench", defaultModel: "one", enabledModels: ["bench/one", "bench/two"], compaction: { keepRecentTokens: 50 }, retry: { baseDelayMs: 2000 },
}));

const called = new Set();
const client = new Proxy(new RpcClient({ cliPath: path.join(here, "tau.mjs"), cwd: work, env: { HOME: home, TAU_AGENT_DIR: agent } }), {
  get(target, name) {
    const v = target[name];
    if (typeof v !== "function") return v;
    called.add(name);
    return v.bind(target);
  },
});
const until = async (what, f) => {
  for (let i = 0; i < 500; i++) { if (await f()) return; await new Promise((r) => setTimeout(r, 20)); }
  assert.fail("never: " + what);
};
const events = [];

await client.start();
const unsubscribe = client.onEvent((e) => events.push(e));

// State, models, levels.
let state = await client.getState();
assert.equal(state.model.id, "one");
assert.equal(state.isStreaming, false);
assert.equal(state.messageCount, 0);
assert.deepEqual((await client.getAvailableModels()).filter((m) => m.provider === "bench").map((m) => m.id), ["one", "two"]);
assert.equal((await client.setModel("bench", "two")).id, "two");
assert.deepEqual(await client.getAvailableThinkingLevels(), ["off", "minimal", "low", "medium", "high"]);
await client.setThinkingLevel("low");
assert.equal((await client.cycleThinkingLevel()).level, "medium");
const cycled = await client.cycleModel();
assert.deepEqual([cycled.model.id, cycled.thinkingLevel, cycled.isScoped], ["one", "off", true]);
assert.equal(await client.cycleThinkingLevel(), null);
await assert.rejects(client.setModel("bench", "none"), /not found/i);

// A turn, with a picture.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
let turn = await client.promptAndWait("BENCH:echo hello", [{ type: "image", data: png, mimeType: "image/png" }], 20000);
assert(turn.some((e) => e.type === "message_end" && e.message.role === "assistant"));
assert.equal(await client.getLastAssistantText(), "hello");
const messages = await client.getMessages();
assert.deepEqual(messages.map((m) => m.role), ["system", "user", "assistant"]);

// Queues.
await client.setSteeringMode("all");
await client.setFollowUpMode("all");
state = await client.getState();
assert.deepEqual([state.steeringMode, state.followUpMode], ["all", "all"]);
assert.equal(await client.prompt("BENCH:hang after=3"), "started");
await until("streaming", async () => (await client.getState()).isStreaming && events.some((e) => e.type === "message_update"));
await assert.rejects(client.prompt("no"), /streamingBehavior/);
assert.equal(await client.prompt("queued one", undefined, "followUp"), "queued");
assert.equal(await client.steer("queued two"), "queued");
assert.equal(await client.followUp("queued three"), "queued");
assert.equal((await client.getState()).pendingMessageCount, 3);
assert.deepEqual(await client.clearQueue(), { steering: ["queued two"], followUp: ["queued one", "queued three"] });
await client.abort();
assert.equal((await client.getState()).isStreaming, false);

// waitForIdle and collectEvents begin to listen before the run ends.
const idle = client.waitForIdle(20000), collected = client.collectEvents(20000);
await client.prompt('BENCH:call name=bash args={"command":"echo from a tool"}');
await idle;
assert((await collected).some((e) => e.type === "tool_execution_end" && e.result.content[0].text.includes("from a tool")));

// Retries.
await client.setAutoRetry(true);
await client.prompt("BENCH:error 529 times=1 id=r");
await until("a retry", () => events.some((e) => e.type === "auto_retry_start"));
await client.abortRetry();
await until("its end", async () => !(await client.getState()).isStreaming);
await client.setAutoRetry(false);

// Commands of the user's own.
const ran = await client.bash("echo mine; exit 3");
assert.deepEqual([ran.output.trim(), ran.exitCode, ran.cancelled], ["mine", 3, false]);
const long = client.bash("sleep 60");
await new Promise((r) => setTimeout(r, 200));
await client.abortBash();
assert.equal((await long).cancelled, true);

// The session.
await client.setSessionName("a name");
assert.equal((await client.getState()).sessionName, "a name");
const stats = await client.getSessionStats();
assert(stats.userMessages >= 3 && stats.tokens.total > 0 && stats.cost > 0);
const all = await client.getEntries();
assert.equal(all.leafId, all.entries.at(-1).id);
assert.equal((await client.getEntries(all.entries.at(-3).id)).entries.length, 2);
await assert.rejects(client.getEntries("nonesuch"), /not found/);
const tree = await client.getTree();
assert.equal(tree.tree.length, 1);
assert.equal(tree.leafId, all.leafId);
const page = await client.exportHtml(path.join(home, "out.html"));
assert(fs.readFileSync(page.path, "utf8").includes("hello"));
assert(Array.isArray(await client.getCommands()));

// Compaction.
await client.setAutoCompaction(false);
assert.equal((await client.getState()).autoCompactionEnabled, false);
await client.promptAndWait("BENCH:stream tokens=300", undefined, 20000);
const compacted = await client.compact("be brief");
assert(compacted.summary.length > 0 && compacted.tokensBefore > 0);

// Other sessions.
const first = (await client.getState()).sessionFile;
const said = await client.getForkMessages();
const forked = await client.fork(said[0].entryId);
assert.equal(forked.text, "BENCH:echo hello");
assert.notEqual((await client.getState()).sessionFile, first);
await client.promptAndWait("BENCH:echo in the fork", undefined, 20000);
const fork = (await client.getState()).sessionFile;
assert.equal((await client.clone()).cancelled, false);
assert.notEqual((await client.getState()).sessionFile, fork);
assert.equal((await client.newSession(first)).cancelled, false);
assert.equal((await client.getState()).messageCount, 0);
assert.equal((await client.switchSession(first)).cancelled, false);
assert.equal((await client.getState()).sessionName, "a name");
await assert.rejects(client.switchSession(path.join(agent, "models.json")), /session/);

unsubscribe();
const heard = events.length;
await client.promptAndWait("BENCH:echo nobody listens", undefined, 20000);
assert.equal(events.length, heard);
assert.equal(typeof client.getStderr(), "string");
await client.stop();

const internal = new Set(["constructor", "handleLine", "createProcessExitError", "rejectPendingRequests", "send", "getData"]);
const missing = Object.getOwnPropertyNames(RpcClient.prototype).filter((n) => !internal.has(n) && !called.has(n));
assert.deepEqual(missing, [], "methods that were never called");
console.log(`pi's RpcClient: ${called.size} methods called, all as expected`);
process.exit(0);
