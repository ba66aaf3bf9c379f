// What every extension starts with: the globals that programs for Node expect,
// the calls to and from the program, and the API that extensions get.
"use strict";
(() => {
	const G = globalThis;
	const hostCall = G.__host, hostAsyncCall = G.__hostAsync, settle = G.__settle, startTimer = G.__timer, clearTimer = G.__clear;
	const compiled = G.__compiled, cancelHost = G.__cancelHost;
	for (const n of ["__host", "__hostAsync", "__settle", "__timer", "__clear", "__compiled", "__cancelHost"]) delete G[n];
	const property = Object.defineProperty;
	const define = (name, value) => property(G, name, { value, writable: true, configurable: true });
	define("global", G);
	define("self", G);

	// ---------------------------------------------------------------- calls of the program
	const failure = (text) => {
		const m = /^\x01([A-Z_]+)\x01([\s\S]*)$/.exec(text);
		const e = new Error(m ? `${m[1]}: ${m[2]}` : text);
		if (m) e.code = m[1];
		if (m && m[1] === "ABORT_ERR") e.name = "AbortError";
		return e;
	};
	const text = (method, params) => {
		try { return hostCall(method, params === undefined ? "" : JSON.stringify(params)); } catch (e) { throw errorOf(e.message, method); }
	};
	/** Calls the program and returns what it answers. */
	const call = (method, params) => { const s = text(method, params); return s === "" ? undefined : JSON.parse(s); };
	const codes = () => [[/no such file or directory|cannot find the (file|path)/, "ENOENT", -2], [/file exists/, "EEXIST", -17], [/permission denied/, "EACCES", -13], [/is a directory/, "EISDIR", -21], [/not a directory/, "ENOTDIR", -20], [/directory not empty/, "ENOTEMPTY", -39], [/no such process/, "ESRCH", -3], [/operation not permitted/, "EPERM", -1]];
	const errorOf = (message, method) => {
		const e = failure(String(message));
		if (method?.startsWith("sys.") && !e.code) for (const [re, code, no] of codes()) if (re.test(e.message)) { e.code = code; e.errno = no; e.message = `${code}: ${e.message}`; break; }
		return e;
	};
	let asyncID = 0;
	const waiting = new Map();
	const asyncText = (method, params, signal) => new Promise((resolve, reject) => {
		if (signal?.aborted) { reject(signal.reason ?? abortError()); return; }
		const id = ++asyncID;
		const onAbort = () => { cancelHost(id); };
		signal?.addEventListener("abort", onAbort, { once: true });
		waiting.set(id, (ok, s) => {
			signal?.removeEventListener("abort", onAbort);
			if (ok) resolve(s); else reject(errorOf(s, method));
		});
		hostAsyncCall(id, method, params === undefined ? "" : JSON.stringify(params));
	});
	/** The same without waiting for it; signal cancels. */
	const callAsync = async (method, params, signal) => { const s = await asyncText(method, params, signal); return s === "" ? undefined : JSON.parse(s); };
	G.__settleHost = (id, ok, s) => { const w = waiting.get(id); waiting.delete(id); w?.(ok, s); };
	const handles = new Map();
	G.__emit = (id, event, data) => { handles.get(id)?.(event, JSON.parse(data)); };

	// ---------------------------------------------------------------- timers
	let timerID = 0;
	const timers = new Map();
	class Timeout {
		constructor(id) { this.id = id; }
		ref() { return this; }
		unref() { return this; }
		hasRef() { return true; }
		refresh() { const t = timers.get(this.id); if (t) { clearTimer(this.id); startTimer(this.id, t.ms); } return this; }
		close() { clear(this); return this; }
		[Symbol.toPrimitive]() { return this.id; }
	}
	const arm = (f, ms, args, every) => {
		const id = ++timerID;
		ms = Math.max(every ? 1 : 0, Math.min(2147483647, Number(ms) || 0));
		timers.set(id, { f, ms, args, every });
		startTimer(id, ms);
		return new Timeout(id);
	};
	const clear = (t) => { const id = typeof t === "object" && t !== null ? t.id : Number(t); if (timers.delete(id)) clearTimer(id); };
	G.__fire = (id) => {
		const t = timers.get(id);
		if (!t) return;
		if (t.every) startTimer(id, t.ms); else timers.delete(id);
		t.f(...t.args);
	};
	define("setTimeout", (f, ms, ...args) => arm(f, ms, args, false));
	define("setInterval", (f, ms, ...args) => arm(f, ms, args, true));
	define("setImmediate", (f, ...args) => arm(f, 0, args, false));
	for (const n of ["clearTimeout", "clearInterval", "clearImmediate"]) define(n, clear);
	define("queueMicrotask", (f) => { Promise.resolve().then(f).catch((e) => problem("microtask", e)); });

	// ---------------------------------------------------------------- what is small
	const abortError = () => { const e = new Error("This operation was aborted"); e.name = "AbortError"; e.code = "ABORT_ERR"; return e; };
	const problem = (event, e) => { call("error", { event, error: describe(e).split("\x00")[0] }); };
	const describe = (e) => e instanceof Error || (e && typeof e === "object" && "message" in e) ? `${e.name && e.name !== "Error" ? e.name + ": " : ""}${e.message}\x00${e.stack ?? ""}` : String(e);

	let info = {};
	const started = Date.now();
	define("performance", { now: () => Date.now() - started, timeOrigin: started, mark() {}, measure() {} });
	define("navigator", { userAgent: "tau", platform: "tau" });

	// ---------------------------------------------------------------- globals in files of their own, read when first used
	const lazy = (file, ...names) => {
		for (const n of names) property(G, n, { configurable: true, get: () => { const v = require(file)[n]; define(n, v); return v; }, set: (v) => { define(n, v); } });
	};
	lazy("bytes", "Buffer", "TextEncoder", "TextDecoder", "btoa", "atob");
	lazy("signals", "Event", "EventTarget", "AbortSignal", "AbortController", "DOMException");
	lazy("printing", "console");
	lazy("process", "process");
	lazy("clone", "structuredClone");
	lazy("url", "URL", "URLSearchParams");
	lazy("fetch", "fetch", "Headers", "Request", "Response", "ReadableStream", "Blob", "FormData", "File");
	lazy("webcrypto", "crypto");
	lazy("intl", "Intl");

	// ---------------------------------------------------------------- modules
	const loaded = new Map();
	const require = (name) => {
		const key = name.replace(/^node:/, "");
		if (loaded.has(key)) return loaded.get(key).exports;
		const code = compiled(name);
		if (typeof code !== "function") throw new Error(`Cannot find module '${name}'`);
		const module = { exports: {} };
		loaded.set(key, module);
		code(module, module.exports, require, tau);
		return module.exports;
	};
	G.__require = require;

	// ---------------------------------------------------------------- what modules and the API share
	let nextID = 0;
	const listeners = new Map(); // numbers that the program knows functions by
	const keep = (f) => { const id = ++nextID; listeners.set(id, f); return id; };
	let cachedState;
	const state = () => cachedState ??= call("state");
	const mode = () => state().mode;
	const tau = {
		call, callAsync, text, asyncText, handles, keep, listeners, problem, describe, abortError, mode, state, started,
		get info() { return info; },
		get toBase64() { return require("bytes").toBase64; }, get fromBase64() { return require("bytes").fromBase64; }, get encodeUTF8() { return require("bytes").encodeUTF8; },
		get decodeUTF8() { return require("bytes").decodeUTF8; }, get bytesOf() { return require("bytes").bytesOf; }, get Buffer() { return require("bytes").Buffer; },
		get format() { return require("printing").format; }, get show() { return require("printing").show; },
	};

	// ---------------------------------------------------------------- calls of the extension
	// What an object is like, to see later whether it was changed.
	const snapshot = (o) => {
		const flat = [];
		for (const k in o) { const v = o[k]; if (typeof v === "object" && v !== null) return JSON.stringify(o); flat.push(k, v); }
		return flat;
	};
	const differs = (o, before) => {
		if (typeof before === "string") return JSON.stringify(o) !== before;
		let i = 0;
		for (const k in o) { if (before[i] !== k || before[i + 1] !== o[k]) return true; i += 2; }
		return i !== before.length;
	};
	const calls = new Map(); // under way, by id
	/** A call under way. Most never look at their signal, so that it is made when one does. */
	class Running {
		#id; #controller; #aborted = false;
		constructor(id) { this.#id = id; calls.set(id, this); cachedState = undefined; }
		get signal() {
			if (!this.#controller) { this.#controller = new (require("signals").AbortController)(); if (this.#aborted) this.#controller.abort(); }
			return this.#controller.signal;
		}
		abort() { this.#aborted = true; this.#controller?.abort(); }
		fail(e) { calls.delete(this.#id); settle(this.#id, false, describe(e)); }
		done(v) {
			calls.delete(this.#id);
			cachedState = undefined;
			let s = "";
			if (v !== undefined) { try { s = JSON.stringify(v) ?? ""; } catch (e) { settle(this.#id, false, describe(e)); return; } }
			settle(this.#id, true, s);
		}
	}
	G.__cancelCall = (id) => { calls.get(id)?.abort(); };

	// What of an event's payload handlers may change in place; it goes back only if they did.
	const changeable = new Map([["tool_call", "input"], ["before_agent_start", "systemPromptOptions"], ["before_provider_headers", "headers"]]);
	const answer = (event, payload, part, before, result) => {
		delete payload.signal;
		const changed = part !== undefined && differs(payload[part], before);
		if (result === undefined || result === null) return changed ? { payload } : undefined;
		const out = { result: event === "user_bash" && result.operations ? { operations: keep(result.operations) } : result };
		if (changed) out.payload = payload;
		return out;
	};
	let makeContext; // found once
	G.__event = (id, event, handler, text) => {
		const c = new Running(id);
		try {
			const h = listeners.get(handler);
			if (!h) { c.done(undefined); return; }
			const payload = JSON.parse(text), part = changeable.get(event), before = part && snapshot(payload[part]);
			if (event === "session_before_compact" || event === "session_before_tree") payload.signal = c.signal;
			makeContext ??= require("api").context;
			const r = h(payload, makeContext(() => c.signal));
			if (typeof r?.then !== "function") { c.done(answer(event, payload, part, before, r)); return; }
			const bad = (e) => { c.fail(e); };
			r.then((v) => { try { v = answer(event, payload, part, before, v); } catch (e) { bad(e); return; } c.done(v); }, bad);
		} catch (e) { c.fail(e); }
	};

	const methods = {
		load: async () => { await loading; const f = factory; if (typeof f !== "function") throw new Error("the file has no default export that is a function"); await f(require("api").api); },
		bus: ({ channel, data }) => { require("api").receive(channel, data); },
		notice: ({ what, id, data }) => what === "update" ? listeners.get(id)?.(data) : require("views").notice(what, id, data),
	};
	for (const n of ["tool", "command", "complete", "shortcut", "prepare", "transform", "stream", "route", "shell"]) methods[n] = (p, c) => require("api").methods[n](p, c.signal);
	for (const n of ["suggest", "apply"]) methods[n] = (p, c) => require("autocomplete").methods[n](p, c.signal);
	methods.oauth = (p, c) => require("oauth").methods.oauth(p, c.signal);
	for (const n of ["render", "input", "dispose", "mount"]) methods[n] = (p) => require("views").methods[n](p);
	G.__dispatch = (id, method, params) => {
		const c = new Running(id), f = methods[method];
		if (!f) { c.fail(`there is no method ${method}`); return; }
		try {
			const r = f(params === "" ? undefined : JSON.parse(params), c);
			if (typeof r?.then === "function") r.then((v) => { c.done(v); }, (e) => { c.fail(e); }); else c.done(r);
		} catch (e) { c.fail(e); }
	};
	let factory, loading;
	G.__loaded = (ext) => { factory = ext.default?.default ?? ext.default; };
	G.__run = (body) => { loading = body(); loading.catch(() => {}); };
	G.__boot = (s) => { info = JSON.parse(s); delete G.__boot; };
})();
