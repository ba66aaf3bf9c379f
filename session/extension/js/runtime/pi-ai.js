// What extensions import from pi-ai.
"use strict";
const typebox = require("typebox");
const { callAsync, keep, listeners } = tau;
const StringEnum = (values, o = {}) => ({ type: "string", enum: [...values], ...(o.description ? { description: o.description } : {}), ...(o.default !== undefined ? { default: o.default } : {}) });
const uuidv7 = () => tau.text("sys.uuid", { version: 7 });

/** A queue of events that can be iterated once; result() is the last message. */
class EventStream {
	constructor(isComplete = () => false, extract = (x) => x) { this.queue = []; this.waiters = []; this.over = false; this.isComplete = isComplete; this.extract = extract; this.final = new Promise((resolve) => { this.resolve = resolve; }); }
	push(ev) { if (this.over) return; if (this.isComplete(ev)) { this.over = true; this.resolve(this.extract(ev)); } const w = this.waiters.shift(); if (w) w({ value: ev, done: false }); else this.queue.push(ev); if (this.over) this.#drain(); }
	end(result) { this.over = true; if (result !== undefined) this.resolve(result); this.#drain(); }
	#drain() { while (this.waiters.length) this.waiters.shift()({ value: undefined, done: true }); }
	async *[Symbol.asyncIterator]() {
		for (;;) {
			if (this.queue.length) { yield this.queue.shift(); continue; }
			if (this.over) return;
			const r = await new Promise((resolve) => this.waiters.push(resolve));
			if (r.done) return;
			yield r.value;
		}
	}
	result() { return this.final; }
}
class AssistantMessageEventStream extends EventStream {
	constructor() { super((ev) => ev.type === "done" || ev.type === "error", (ev) => (ev.type === "done" ? ev.message : ev.error)); }
}
const createAssistantMessageEventStream = () => new AssistantMessageEventStream();

const complete = async (model, context, o = {}) => {
	try {
		return await callAsync("models.complete", {
			model: { provider: model.provider, id: model.id }, context: { systemPrompt: context.systemPrompt, messages: context.messages ?? [], tools: context.tools },
			options: { apiKey: o.apiKey, headers: o.headers, maxTokens: o.maxTokens, temperature: o.temperature, reasoning: o.reasoning ?? o.reasoningEffort, cacheRetention: o.cacheRetention, sessionId: o.sessionId },
		}, o.signal);
	} catch (e) {
		if (!o.signal?.aborted) throw e;
		return { role: "assistant", content: [], api: model.api, provider: model.provider, model: model.id, usage: emptyUsage(), stopReason: "aborted", errorMessage: "Request was aborted", timestamp: Date.now() };
	}
};
const emptyUsage = () => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } });
const streamSimple = (model, context, o = {}) => {
	const s = createAssistantMessageEventStream();
	complete(model, context, o).then((m) => {
		if (m.stopReason === "error" || m.stopReason === "aborted") { s.push({ type: "error", reason: m.stopReason, error: m }); return; }
		s.push({ type: "start", partial: m });
		m.content.forEach((b, i) => {
			if (b.type === "text") { s.push({ type: "text_start", contentIndex: i, partial: m }); s.push({ type: "text_delta", contentIndex: i, delta: b.text, partial: m }); s.push({ type: "text_end", contentIndex: i, content: b.text, partial: m }); }
			else if (b.type === "thinking") { s.push({ type: "thinking_start", contentIndex: i, partial: m }); s.push({ type: "thinking_delta", contentIndex: i, delta: b.thinking, partial: m }); s.push({ type: "thinking_end", contentIndex: i, content: b.thinking, partial: m }); }
			else if (b.type === "toolCall") { s.push({ type: "toolcall_start", contentIndex: i, partial: m }); s.push({ type: "toolcall_delta", contentIndex: i, delta: JSON.stringify(b.arguments), partial: m }); s.push({ type: "toolcall_end", contentIndex: i, toolCall: b, partial: m }); }
		});
		s.push({ type: "done", reason: m.stopReason, message: m });
	}, (e) => { s.push({ type: "error", reason: "error", error: { role: "assistant", content: [], api: model.api, provider: model.provider, model: model.id, usage: emptyUsage(), stopReason: "error", errorMessage: e.message, timestamp: Date.now() } }); });
	return s;
};
const calculateCost = (model, usage) => {
	const c = model.cost ?? {};
	usage.cost = { input: ((c.input ?? 0) / 1e6) * usage.input, output: ((c.output ?? 0) / 1e6) * usage.output, cacheRead: ((c.cacheRead ?? 0) / 1e6) * usage.cacheRead, cacheWrite: ((c.cacheWrite ?? 0) / 1e6) * usage.cacheWrite, total: 0 };
	usage.cost.total = usage.cost.input + usage.cost.output + usage.cost.cacheRead + usage.cost.cacheWrite;
	return usage.cost;
};
const textOf = (content) => (typeof content === "string" ? content : (content ?? []).filter((b) => b.type === "text").map((b) => b.text).join("\n"));
/** The prompt that the system messages of a transcript make. */
const getCurrentSystemPrompt = (messages) => {
	const sections = new Map();
	let plain = "";
	for (const m of messages) {
		if (m.role !== "system") continue;
		if (m.sections) for (const [k, v] of Object.entries(m.sections)) { if (v === null) sections.delete(k); else sections.set(k, v); }
		else plain = textOf(m.content);
	}
	if (!sections.size) return plain;
	return [...sections].map(([k, v]) => (k === "preamble" ? v : `<${k}>\n${v}\n</${k}>`)).join("\n\n");
};
const getCurrentTools = (messages) => {
	const tools = new Map();
	for (const m of messages) if (m.role === "system") { for (const t of m.toolsAdded ?? []) tools.set(t.name, t); for (const t of m.toolsRemoved ?? []) tools.delete(t.name ?? t); }
	return [...tools.values()];
};
const validateToolArguments = (t, c) => {
	if (!typebox.Value.Check(t.parameters, c.arguments)) throw new Error(`Validation failed for tool "${c.name}": the arguments do not fit its parameters\n${JSON.stringify(c.arguments)}`);
	return c.arguments;
};
const registered = new Map();
module.exports = {
	...typebox, Type: typebox.Type, StringEnum, uuidv7, EventStream, AssistantMessageEventStream, createAssistantMessageEventStream, complete, completeSimple: complete, stream: streamSimple, streamSimple, calculateCost, getCurrentSystemPrompt, getCurrentTools,
	getModel: (p, id) => tau.call("models.find", { provider: p, id }), getModels: (p) => tau.call("models.all").filter((m) => !p || m.provider === p), getProviders: () => [...new Set(tau.call("models.all").map((m) => m.provider))], getEnvApiKey: (p) => process.env[`${p.toUpperCase().replace(/-/g, "_")}_API_KEY`],
	registerApiProvider: (p) => { registered.set(p.api, p); }, getApiProvider: (a) => registered.get(a), unregisterApiProviders() { }, modelsAreEqual: (a, b) => a?.id === b?.id && a?.provider === b?.provider, supportsXhigh: () => false,
	isContextOverflow: (m) => /context|too long/i.test(m?.errorMessage ?? ""), validateToolArguments, validateToolCall: (tools, c) => { const t = tools.find((x) => x.name === c.name); if (!t) throw new Error(`Tool "${c.name}" not found`); return validateToolArguments(t, c); }, parseStreamingJson: (s) => { try { return JSON.parse(s); } catch { return {}; } },
	sanitizeSurrogates: (s) => s.toWellFormed?.() ?? s, emptyUsage, getSupportedThinkingLevels: (m) => (m.reasoning ? ["off", "minimal", "low", "medium", "high"] : ["off"]), clampThinkingLevel: (m, l) => (m.reasoning ? l : "off"),
};
