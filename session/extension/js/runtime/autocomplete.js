// Completion in the editor: providers that extensions put before the usual one.
"use strict";
const { call, callAsync } = tau;
const query = (lines, line, col, o) => ({ lines, line, before: (lines[line] ?? "").slice(0, col), force: !!o?.force });
/** What the program, and the extensions loaded before this one, do. */
const below = {
	getSuggestions: async (lines, line, col, o) => {
		try { return (await callAsync("completion.next", query(lines, line, col, o), o?.signal)) ?? null; } catch (e) { if (o?.signal?.aborted) return null; throw e; }
	},
	applyCompletion: (lines, line, col, item, prefix) => {
		const r = call("completion.apply", { ...query(lines, line, col), item, prefix });
		return { lines: r.lines, cursorLine: r.line, cursorCol: r.before.length };
	},
	shouldTriggerFileCompletion: (lines, line, col) => { const typed = (lines[line] ?? "").slice(0, col).trim(); return !typed.startsWith("/") || typed.includes(" "); },
};
let top = below;
const triggers = new Set();
const add = (factory) => {
	top = factory(top);
	for (const c of top.triggerCharacters ?? []) triggers.add(c);
	call("registerAutocomplete", { triggerCharacters: [...triggers], applies: true });
};
const methods = {
	suggest: async ({ lines, line, before, force }, signal) => {
		const col = before.length;
		if (force && top.shouldTriggerFileCompletion && !top.shouldTriggerFileCompletion(lines, line, col)) return { items: [], prefix: "" };
		const s = await top.getSuggestions(lines, line, col, { signal, force });
		return { items: s?.items ?? [], prefix: s?.prefix ?? "" };
	},
	apply: ({ lines, line, before, item, prefix }) => {
		const r = top.applyCompletion(lines, line, before.length, item, prefix);
		return { lines: r.lines, line: r.cursorLine, before: (r.lines[r.cursorLine] ?? "").slice(0, r.cursorCol) };
	},
};
module.exports = { add, methods };
