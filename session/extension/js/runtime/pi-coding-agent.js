// What extensions import from pi-coding-agent.
"use strict";
const { call, callAsync, keep, listeners } = tau;
const tuiLib = require("pi-tui");
const { Container, Text, Spacer, Editor, visibleWidth } = tuiLib;
const CONFIG_DIR_NAME = tau.info.configDir, VERSION = tau.info.version;
const DEFAULT_MAX_LINES = 2000, DEFAULT_MAX_BYTES = 50 * 1024, GREP_MAX_LINE_LENGTH = 500;
const getAgentDir = () => tau.info.agentDir;
const theme = () => require("theme");

// ---------------------------------------------------------------- cutting text
const size = (s) => tau.encodeUTF8(s).length;
const formatSize = (n) => (n < 1024 ? `${n}B` : n < 1024 * 1024 ? `${(n / 1024).toFixed(1)}KB` : `${(n / 1024 / 1024).toFixed(1)}MB`);
const linesOf = (s) => { if (!s) return []; const l = s.split("\n"); if (l.at(-1) === "") l.pop(); return l; };
const cut = (s, o, pick) => {
	const maxLines = o.maxLines ?? DEFAULT_MAX_LINES, maxBytes = o.maxBytes ?? DEFAULT_MAX_BYTES, lines = linesOf(s), totalBytes = size(s), base = { totalLines: lines.length, totalBytes, maxLines, maxBytes };
	if (lines.length <= maxLines && totalBytes <= maxBytes) return { content: s, truncated: false, truncatedBy: null, outputLines: lines.length, outputBytes: totalBytes, lastLinePartial: false, firstLineExceedsLimit: false, ...base };
	return { ...pick(lines, maxLines, maxBytes), truncated: true, ...base };
};
const truncateHead = (s, o = {}) => cut(s, o, (lines, maxLines, maxBytes) => {
	const out = [];
	let bytes = 0, by = "lines";
	if (size(lines[0] ?? "") > maxBytes) return { content: "", truncatedBy: "bytes", outputLines: 0, outputBytes: 0, lastLinePartial: false, firstLineExceedsLimit: true };
	for (const l of lines.slice(0, maxLines)) { const n = size(l) + (out.length ? 1 : 0); if (bytes + n > maxBytes) { by = "bytes"; break; } out.push(l); bytes += n; }
	return { content: out.join("\n"), truncatedBy: by, outputLines: out.length, outputBytes: bytes, lastLinePartial: false, firstLineExceedsLimit: false };
});
const truncateTail = (s, o = {}) => cut(s, o, (lines, maxLines, maxBytes) => {
	const out = [];
	let bytes = 0, by = "lines", partial = false;
	for (let i = lines.length - 1; i >= 0 && out.length < maxLines; i--) {
		const n = size(lines[i]) + (out.length ? 1 : 0);
		if (bytes + n > maxBytes) { by = "bytes"; if (!out.length) { const b = tau.encodeUTF8(lines[i]); let at = b.length - maxBytes; while (at < b.length && (b[at] & 0xc0) === 0x80) at++; out.unshift(tau.decodeUTF8(b.subarray(at))); bytes = b.length - at; partial = true; } break; }
		out.unshift(lines[i]); bytes += n;
	}
	return { content: out.join("\n"), truncatedBy: by, outputLines: out.length, outputBytes: bytes, lastLinePartial: partial, firstLineExceedsLimit: false };
});
const truncateLine = (s, max = GREP_MAX_LINE_LENGTH) => (s.length <= max ? { text: s, wasTruncated: false } : { text: `${s.slice(0, max)}... [truncated]`, wasTruncated: true });
const formatReadLineRange = (offset, limit) => (offset === undefined && limit === undefined ? "" : `:${offset ?? 1}${limit === undefined ? "" : `-${(offset ?? 1) + limit - 1}`}`);

// ---------------------------------------------------------------- files
const queues = new Map();
const withFileMutationQueue = async (path, f) => {
	const key = require("path").resolve(path), before = queues.get(key) ?? Promise.resolve();
	const run = before.catch(() => {}).then(f), settled = run.catch(() => {});
	queues.set(key, settled);
	try { return await run; } finally { if (queues.get(key) === settled) queues.delete(key); }
};
const parseFrontmatter = (s) => call("sys.frontmatter", { text: s });
const stripFrontmatter = (s) => parseFrontmatter(s).body;

// ---------------------------------------------------------------- messages
const textOf = (c) => (typeof c === "string" ? c : (c ?? []).filter((b) => b.type === "text").map((b) => b.text).join("\n"));
const user = (text, timestamp) => ({ role: "user", content: [{ type: "text", text }], timestamp });
const convertToLlm = (msgs) => msgs.flatMap((m) => {
	switch (m.role) {
		case "bashExecution": return m.excludeFromContext ? [] : [user(`Ran \`${m.command}\`\n${m.output ? "```\n" + m.output + "\n```" : "(no output)"}${m.exitCode ? `\n\nCommand exited with code ${m.exitCode}` : ""}`, m.timestamp)];
		case "custom": return [{ role: "user", content: typeof m.content === "string" ? [{ type: "text", text: m.content }] : m.content, timestamp: m.timestamp }];
		case "branchSummary": return [user(`The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${m.summary}</summary>`, m.timestamp)];
		case "compactionSummary": return [user(`The conversation history before this point was compacted into the following summary:\n\n<summary>\n${m.summary}\n</summary>`, m.timestamp)];
		case "system": case "user": case "assistant": case "toolResult": return [m];
	}
	return [];
});
const serializeConversation = (msgs) => {
	const out = [];
	for (const m of msgs) {
		if (m.role === "user") { const s = textOf(m.content); if (s) out.push(`[User]: ${s}`); }
		else if (m.role === "assistant") {
			const thinking = m.content.filter((b) => b.type === "thinking").map((b) => b.thinking).join("\n"), said = textOf(m.content), calls = m.content.filter((b) => b.type === "toolCall");
			if (thinking) out.push(`[Assistant thinking]: ${thinking}`);
			if (said) out.push(`[Assistant]: ${said}`);
			if (calls.length) out.push(`[Assistant tool calls]: ${calls.map((c) => `${c.name}(${Object.entries(c.arguments ?? {}).map(([k, v]) => `${k}=${JSON.stringify(v)}`).join(", ")})`).join("; ")}`);
		} else if (m.role === "toolResult") { const s = textOf(m.content); if (s) out.push(`[Tool result]: ${s.length > 2000 ? s.slice(0, 2000) + `\n\n[... ${s.length - 2000} more characters truncated]` : s}`); }
	}
	return out.join("\n\n");
};

// ---------------------------------------------------------------- built-in tools
const run = (name, o, id, params, signal, onUpdate) => {
	const update = onUpdate ? keep(onUpdate) : 0;
	return callAsync("builtin.execute", { name, ...o, toolCallId: id, params, update }, signal).then((r) => { if (r?.isError) throw new Error(textOf(r.content)); return r; }).finally(() => listeners.delete(update));
};
const text = (s, details) => ({ content: [{ type: "text", text: s }], details });
/** How tools work through operations of the extension, such as those of another machine. */
const through = {
	bash: async (cwd, ops, p, signal, onUpdate, options) => {
		const out = [];
		let all = "";
		const dec = new TextDecoder();
		const onData = (d) => { all += dec.decode(tau.bytesOf(d), { stream: true }); onUpdate?.(text(truncateTail(all).content, undefined)); };
		let r;
		try { r = await ops.exec((options.commandPrefix ? options.commandPrefix + "\n" : "") + p.command, cwd, { onData, signal, timeout: p.timeout, env: { ...process.env } }); } catch (e) {
			const m = /^timeout:(.*)$/.exec(e.message);
			throw new Error([all, e.message === "aborted" ? "Command aborted" : m ? `Command timed out after ${m[1]} seconds` : e.message].filter(Boolean).join("\n\n"));
		}
		const t = truncateTail(all), body = t.content + (t.truncated ? `\n\n[Showing the last ${t.outputLines} of ${t.totalLines} lines]` : "");
		if (r.exitCode) throw new Error(`${body || "(no output)"}\n\nCommand exited with code ${r.exitCode}`);
		return text(body || "(no output)", t.truncated ? { truncation: t } : undefined);
	},
	read: async (cwd, ops, p) => {
		const path = require("path").resolve(cwd, p.path);
		await ops.access(path);
		const mime = await ops.detectImageMimeType?.(path);
		const data = await ops.readFile(path);
		if (mime) return { content: [{ type: "text", text: `Read image file [${mime}]` }, { type: "image", data: tau.toBase64(tau.bytesOf(data)), mimeType: mime }] };
		const lines = tau.decodeUTF8(tau.bytesOf(data)).split("\n"), from = Math.max(0, (p.offset ?? 1) - 1);
		if (from >= lines.length) throw new Error(`Offset ${p.offset} is beyond end of file (${lines.length} lines total)`);
		const part = lines.slice(from, p.limit === undefined ? undefined : from + p.limit), t = truncateHead(part.join("\n")), end = from + t.outputLines;
		return text(t.content + (end < lines.length ? `\n\n[Showing lines ${from + 1}-${end} of ${lines.length}. Use offset=${end + 1} to continue.]` : ""), t.truncated ? { truncation: t } : undefined);
	},
	write: async (cwd, ops, p) => { const path = require("path").resolve(cwd, p.path); await ops.mkdir(require("path").dirname(path)); await ops.writeFile(path, p.content); return text(`Successfully wrote ${size(p.content)} bytes to ${p.path}`, undefined); },
	edit: async (cwd, ops, p) => {
		const path = require("path").resolve(cwd, p.path);
		await ops.access(path);
		let s = tau.decodeUTF8(tau.bytesOf(await ops.readFile(path)));
		for (const e of p.edits ?? [p]) { const i = s.indexOf(e.oldText); if (i < 0) throw new Error(`Could not find the exact text in ${p.path}.`); if (s.indexOf(e.oldText, i + 1) >= 0) throw new Error(`Found more than one occurrence of the text in ${p.path}. Provide more context.`); s = s.slice(0, i) + e.newText + s.slice(i + e.oldText.length); }
		await ops.writeFile(path, s);
		return text(`Successfully replaced ${(p.edits ?? [p]).length} block(s) in ${p.path}.`, { diff: "" });
	},
};
const builtin = (name) => (cwd, options = {}) => {
	const def = call("builtin", { name, cwd });
	const execute = async (id, params, signal, onUpdate) => {
		if (options.operations && through[name]) return through[name](cwd, options.operations, params, signal, onUpdate, options);
		const o = { cwd };
		let p = params;
		if (name === "bash") {
			let c = { command: (options.commandPrefix ? options.commandPrefix + "\n" : "") + params.command, cwd, env: { ...process.env } };
			if (options.spawnHook) c = options.spawnHook(c) ?? c;
			o.cwd = c.cwd;
			o.env = Object.fromEntries(Object.entries(c.env).filter(([k, v]) => v !== undefined && process.env[k] !== v));
			if (options.shellPath) o.shellPath = options.shellPath;
			p = { ...params, command: c.command };
		}
		return run(name, o, id, p, signal, onUpdate);
	};
	return { ...def, execute };
};
const kinds = { Read: "read", Bash: "bash", Edit: "edit", Write: "write", Grep: "grep", Find: "find", Ls: "ls" };
const creators = {};
for (const [K, name] of Object.entries(kinds)) { creators[`create${K}Tool`] = builtin(name); creators[`create${K}ToolDefinition`] = builtin(name); creators[`is${K}ToolResult`] = (e) => e.toolName === name; }
const createCodingTools = (cwd) => ["read", "bash", "edit", "write"].map((n) => builtin(n)(cwd));
const createReadOnlyTools = (cwd) => ["read", "grep", "find", "ls"].map((n) => builtin(n)(cwd));
const createLocalBashOperations = () => ({ exec: (command, cwd, o) => new Promise((resolve, reject) => { const { spawn } = require("child_process"); const c = spawn(process.env.SHELL_FOR_TOOLS ?? "/bin/bash", ["-c", command], { cwd, env: o.env, stdio: ["ignore", "pipe", "pipe"], signal: undefined }); let late = false; const t = o.timeout ? setTimeout(() => { late = true; c.kill("SIGKILL"); }, o.timeout * 1000) : undefined; c.stdout.on("data", o.onData); c.stderr.on("data", o.onData); c.on("error", reject); const stop = () => c.kill("SIGKILL"); o.signal?.addEventListener("abort", stop, { once: true }); c.on("close", (exitCode) => { clearTimeout(t); if (o.signal?.aborted) reject(new Error("aborted")); else if (late) reject(new Error(`timeout:${o.timeout}`)); else resolve({ exitCode }); }); }) });

// ---------------------------------------------------------------- components
class DynamicBorder { constructor(color = (s) => theme().current().fg("border", s)) { this.color = color; } invalidate() {} render(width) { return [this.color("─".repeat(Math.max(1, width)))]; } }
class BorderedLoader extends Container {
	constructor(tui, th, message, o = {}) {
		super();
		const border = (s) => th.fg("border", s);
		this.loader = new tuiLib.CancellableLoader(tui, (s) => th.fg("accent", s), (s) => th.fg("muted", s), message);
		this.addChild(new DynamicBorder(border)); this.addChild(this.loader);
		if (o.cancellable !== false) { this.addChild(new Spacer(1)); this.addChild(new Text(th.fg("dim", "esc cancel"), 1, 0)); }
		this.addChild(new Spacer(1)); this.addChild(new DynamicBorder(border));
	}
	get signal() { return this.loader.signal; } set onAbort(f) { this.loader.onAbort = f; } get onAbort() { return this.loader.onAbort; }
	handleInput(data) { this.loader.handleInput(data); } dispose() { this.loader.dispose(); }
}
/** The program's own editor, which extensions may change in part: what they do not do themselves it does. */
class CustomEditor {
	constructor(tui, th, keybindings, o = {}) { this.tui = tui; this.theme = th ?? theme().editorTheme(); this.keybindings = keybindings; this.borderColor = this.theme.borderColor; this.options = o; this.actionHandlers = new Map(); this.focused = true; }
	#base(method, params) { return call("ui.baseEditor", { method, params }); }
	onAction(action, f) { this.actionHandlers.set(action, f); }
	render(width) { return this.#base("render", { width, border: this.borderColor("─") }) ?? []; }
	handleInput(data) { this.#base("input", { data }); }
	getText() { return this.#base("text") ?? ""; } getExpandedText() { return this.getText(); } setText(s) { this.#base("setText", { text: s }); } insertTextAtCursor(s) { this.#base("insert", { text: s }); } getLines() { return this.getText().split("\n"); } getCursor() { return this.#base("cursor") ?? { line: 0, col: 0 }; }
	addToHistory() {} setAutocompleteProvider() {} setPaddingX() {} isShowingAutocomplete() { return false; } invalidate() {}
}
const message = (Base) => Base;
const defineTool = (t) => t;
const isToolCallEventType = (name, e) => e.toolName === name;
const keyHint = (id, d) => require("keybindings").keyHint(id, d);
const rawKeyHint = (k, d) => { const th = theme().current(); return th.fg("dim", k) + th.fg("muted", ` ${d}`); };
const createEventBus = () => { const on = new Map(); return { on: (c, f) => { (on.get(c) ?? on.set(c, new Set()).get(c)).add(f); return () => on.get(c).delete(f); }, emit: (c, d) => { for (const f of on.get(c) ?? []) f(d); }, clear: () => on.clear() }; };
module.exports = {
	...creators, CONFIG_DIR_NAME, VERSION, APP_NAME: "tau", DEFAULT_MAX_LINES, DEFAULT_MAX_BYTES, GREP_MAX_LINE_LENGTH, getAgentDir, formatSize, truncateHead, truncateTail, truncateLine, formatReadLineRange, withFileMutationQueue, parseFrontmatter, stripFrontmatter, convertToLlm, serializeConversation, createCodingTools, createReadOnlyTools, createLocalBashOperations,
	DynamicBorder, BorderedLoader, CustomEditor, Editor, defineTool, isToolCallEventType, keyHint, keyText: (id) => require("keybindings").keyText(id), rawKeyHint, createEventBus, getMarkdownTheme: () => theme().markdownTheme(), getSelectListTheme: () => theme().selectListTheme(), getSettingsListTheme: () => theme().settingsListTheme(), highlightCode: (code, lang) => call("sys.code", { text: code, language: lang ?? "" }), getLanguageFromPath: (p) => require("path").extname(p).slice(1) || undefined,
	copyToClipboard: async (s) => { call("ui.copy", { text: String(s) }); }, getShellConfig: () => ({ shell: "/bin/bash", args: ["-c"] }), isBashToolResult: (e) => e.toolName === "bash", wrapToolDefinition: message, Theme: class Theme {}, initTheme() {}, buildSessionContext: () => call("session.context"), estimateTokens: (m) => Math.ceil(JSON.stringify(m.content ?? m).length / 4), getLatestCompactionEntry: (l) => [...l].reverse().find((e) => e.type === "compaction") ?? null, parseSessionEntries: (s) => s.split("\n").filter(Boolean).map((l) => JSON.parse(l)), loadSkills: () => ({ skills: [], diagnostics: [] }), sliceByColumn: tuiLib.sliceByColumn, visibleWidth,
};
