// What every extension starts with: the globals that programs for Node expect,
// the calls to and from the program, and the API that extensions get.
"use strict";
(() => {
	const G = globalThis;
	const hostCall = G.__host, hostAsyncCall = G.__hostAsync, settle = G.__settle, startTimer = G.__timer, clearTimer = G.__clear;
	const compiled = G.__compiled, cancelHost = G.__cancelHost;
	for (const n of ["__host", "__hostAsync", "__settle", "__timer", "__clear", "__compiled", "__cancelHost"]) delete G[n];
	const define = (name, value) => Object.defineProperty(G, name, { value, writable: true, configurable: true, enumerable: false });
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
	const codes = [[/no such file or directory|cannot find the (file|path)/, "ENOENT", -2], [/file exists/, "EEXIST", -17], [/permission denied/, "EACCES", -13], [/is a directory/, "EISDIR", -21], [/not a directory/, "ENOTDIR", -20], [/directory not empty/, "ENOTEMPTY", -39]];
	const errorOf = (message, method) => {
		const e = failure(String(message));
		if (method?.startsWith("sys.") && !e.code) for (const [re, code, no] of codes) if (re.test(e.message)) { e.code = code; e.errno = no; e.message = `${code}: ${e.message}`; break; }
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

	// ---------------------------------------------------------------- bytes
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const values = new Uint8Array(128).fill(255);
	for (let i = 0; i < 64; i++) values[digits.charCodeAt(i)] = i;
	values[45] = 62; values[95] = 63;
	const toBase64 = (b) => {
		const out = [];
		for (let i = 0; i < b.length; i += 3) {
			const n = (b[i] << 16) | ((b[i + 1] ?? 0) << 8) | (b[i + 2] ?? 0);
			out.push(digits[n >> 18], digits[(n >> 12) & 63], i + 1 < b.length ? digits[(n >> 6) & 63] : "=", i + 2 < b.length ? digits[n & 63] : "=");
		}
		return out.join("");
	};
	const fromBase64 = (s) => {
		let n = 0, bits = 0, at = 0;
		const out = new Uint8Array(Math.floor((s.length * 3) / 4) + 3);
		for (let i = 0; i < s.length; i++) {
			const v = values[s.charCodeAt(i)] ?? 255;
			if (v === 255) continue;
			n = (n << 6) | v; bits += 6;
			if (bits >= 8) { bits -= 8; out[at++] = (n >> bits) & 255; }
		}
		return out.subarray(0, at);
	};
	const encodeUTF8 = (s) => {
		const out = new Uint8Array(s.length * 3);
		let at = 0;
		for (let i = 0; i < s.length; i++) {
			let c = s.charCodeAt(i);
			if (c < 0x80) { out[at++] = c; continue; }
			if (c >= 0xd800 && c < 0xdc00 && i + 1 < s.length) { const d = s.charCodeAt(i + 1); if (d >= 0xdc00 && d < 0xe000) { c = 0x10000 + ((c - 0xd800) << 10) + (d - 0xdc00); i++; } }
			if (c >= 0xd800 && c < 0xe000) c = 0xfffd;
			if (c < 0x800) out[at++] = 0xc0 | (c >> 6);
			else {
				if (c < 0x10000) out[at++] = 0xe0 | (c >> 12);
				else { out[at++] = 0xf0 | (c >> 18); out[at++] = 0x80 | ((c >> 12) & 63); }
				out[at++] = 0x80 | ((c >> 6) & 63);
			}
			out[at++] = 0x80 | (c & 63);
		}
		return out.subarray(0, at);
	};
	const decodeUTF8 = (b) => {
		const parts = [];
		let chunk = [];
		for (let i = 0; i < b.length; ) {
			const c = b[i++];
			let n = 0, min = 0, v = c;
			if (c >= 0xc2 && c < 0xe0) { n = 1; v = c & 31; min = 0x80; } else if (c >= 0xe0 && c < 0xf0) { n = 2; v = c & 15; min = 0x800; } else if (c >= 0xf0 && c < 0xf5) { n = 3; v = c & 7; min = 0x10000; } else if (c >= 0x80) v = 0xfffd;
			let k = 0;
			for (; k < n && (b[i] & 0xc0) === 0x80 && i < b.length; k++) v = (v << 6) | (b[i++] & 63);
			if (n > 0 && (k < n || v < min || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))) v = 0xfffd;
			if (v > 0xffff) { v -= 0x10000; chunk.push(0xd800 | (v >> 10), 0xdc00 | (v & 0x3ff)); } else chunk.push(v);
			if (chunk.length > 8192) { parts.push(String.fromCharCode(...chunk)); chunk = []; }
		}
		parts.push(String.fromCharCode(...chunk));
		return parts.join("");
	};
	const bytesOf = (v) => v instanceof Uint8Array ? v : v instanceof ArrayBuffer ? new Uint8Array(v) : ArrayBuffer.isView(v) ? new Uint8Array(v.buffer, v.byteOffset, v.byteLength) : encodeUTF8(String(v ?? ""));
	define("TextEncoder", class TextEncoder {
		get encoding() { return "utf-8"; }
		encode(s = "") { return new Uint8Array(encodeUTF8(String(s))); }
		encodeInto(s, to) { const b = encodeUTF8(String(s)); to.set(b.subarray(0, to.length)); return { read: s.length, written: Math.min(b.length, to.length) }; }
	});
	define("TextDecoder", class TextDecoder {
		constructor(encoding = "utf-8") { this.encoding = encoding; this.rest = new Uint8Array(0); }
		decode(v, o) {
			let b = v === undefined ? new Uint8Array(0) : bytesOf(v);
			if (this.encoding === "latin1" || this.encoding === "iso-8859-1") return Array.from(b, (c) => String.fromCharCode(c)).join("");
			if (this.rest.length) { const all = new Uint8Array(this.rest.length + b.length); all.set(this.rest); all.set(b, this.rest.length); b = all; this.rest = new Uint8Array(0); }
			if (o?.stream) {
				let cut = b.length;
				for (let k = 1; k <= 3 && k <= b.length; k++) {
					const c = b[b.length - k];
					if ((c & 0xc0) === 0x80) continue;
					const want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
					if (want > k) cut = b.length - k;
					break;
				}
				this.rest = b.slice(cut); b = b.subarray(0, cut);
			}
			return decodeUTF8(b);
		}
	});
	define("btoa", (s) => toBase64(Uint8Array.from(String(s), (c) => c.charCodeAt(0))));
	define("atob", (s) => Array.from(fromBase64(String(s)), (c) => String.fromCharCode(c)).join(""));
	class Buffer extends Uint8Array {
		static from(v, enc) {
			if (typeof v === "string") return Buffer.of2(enc === "base64" || enc === "base64url" ? fromBase64(v) : enc === "hex" ? Uint8Array.from(v.match(/../g) ?? [], (h) => parseInt(h, 16)) : enc === "latin1" || enc === "binary" || enc === "ascii" ? Uint8Array.from(v, (c) => c.charCodeAt(0) & 255) : encodeUTF8(v));
			if (v instanceof ArrayBuffer) return new Buffer(v);
			if (v?.type === "Buffer") return Buffer.of2(Uint8Array.from(v.data));
			return Buffer.of2(v instanceof Uint8Array ? v : Uint8Array.from(v));
		}
		static of2(b) { const out = new Buffer(b.length); out.set(b); return out; }
		static alloc(n, fill) { const b = new Buffer(n); if (fill !== undefined) b.fill(typeof fill === "string" ? fill.charCodeAt(0) : fill); return b; }
		static allocUnsafe(n) { return new Buffer(n); }
		static isBuffer(v) { return v instanceof Buffer; }
		static isEncoding(e) { return ["utf8", "utf-8", "hex", "base64", "base64url", "latin1", "binary", "ascii"].includes(String(e).toLowerCase()); }
		static byteLength(v, enc) { return typeof v === "string" ? Buffer.from(v, enc).length : v.byteLength ?? v.length; }
		static concat(list, total) {
			const n = total ?? list.reduce((a, b) => a + b.length, 0), out = new Buffer(n);
			let at = 0;
			for (const b of list) { if (at >= n) break; out.set(b.subarray(0, n - at), at); at += b.length; }
			return out;
		}
		static compare(a, b) { for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1; return Math.sign(a.length - b.length); }
		toString(enc = "utf8", from = 0, to = this.length) {
			const b = from || to !== this.length ? this.subarray(from, to) : this;
			switch (String(enc).toLowerCase()) {
				case "base64": return toBase64(b);
				case "base64url": return toBase64(b).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
				case "hex": return Array.from(b, (c) => c.toString(16).padStart(2, "0")).join("");
				case "latin1": case "binary": case "ascii": return Array.from(b, (c) => String.fromCharCode(c)).join("");
			}
			return decodeUTF8(b);
		}
		toJSON() { return { type: "Buffer", data: Array.from(this) }; }
		equals(o) { return Buffer.compare(this, o) === 0; }
		slice(a, b) { return this.subarray(a, b); }
		write(s, at = 0) { const b = encodeUTF8(s); this.set(b.subarray(0, this.length - at), at); return b.length; }
		copy(to, at = 0, from = 0, end = this.length) { const part = this.subarray(from, end); to.set(part.subarray(0, to.length - at), at); return part.length; }
		indexOf(v, at = 0) { if (typeof v === "number") return super.indexOf(v, at); const n = bytesOf(v); outer: for (let i = at; i + n.length <= this.length; i++) { for (let k = 0; k < n.length; k++) if (this[i + k] !== n[k]) continue outer; return i; } return -1; }
		includes(v, at) { return this.indexOf(v, at) >= 0; }
		readUInt8(i = 0) { return this[i]; }
		readUInt16BE(i = 0) { return (this[i] << 8) | this[i + 1]; }
		readUInt16LE(i = 0) { return this[i] | (this[i + 1] << 8); }
		readUInt32BE(i = 0) { return ((this[i] << 24) | (this[i + 1] << 16) | (this[i + 2] << 8) | this[i + 3]) >>> 0; }
		readUInt32LE(i = 0) { return (this[i] | (this[i + 1] << 8) | (this[i + 2] << 16) | (this[i + 3] << 24)) >>> 0; }
		readInt32LE(i = 0) { return this.readUInt32LE(i) | 0; }
		writeUInt32BE(v, i = 0) { this[i] = v >>> 24; this[i + 1] = v >>> 16; this[i + 2] = v >>> 8; this[i + 3] = v; return i + 4; }
		writeUInt32LE(v, i = 0) { this[i] = v; this[i + 1] = v >>> 8; this[i + 2] = v >>> 16; this[i + 3] = v >>> 24; return i + 4; }
	}
	define("Buffer", Buffer);

	// ---------------------------------------------------------------- events and signals
	const abortError = () => { const e = new Error("This operation was aborted"); e.name = "AbortError"; e.code = "ABORT_ERR"; return e; };
	class Event { constructor(type, init = {}) { this.type = type; Object.assign(this, init); this.defaultPrevented = false; } preventDefault() { this.defaultPrevented = true; } stopPropagation() {} }
	class EventTarget {
		#on = new Map();
		addEventListener(type, f, o) { if (!f) return; const list = this.#on.get(type) ?? []; if (!list.some((l) => l.f === f)) list.push({ f, once: !!o?.once }); this.#on.set(type, list); }
		removeEventListener(type, f) { const list = this.#on.get(type); if (list) this.#on.set(type, list.filter((l) => l.f !== f)); }
		dispatchEvent(ev) {
			ev.target = this; ev.currentTarget = this;
			for (const l of [...(this.#on.get(ev.type) ?? [])]) { if (l.once) this.removeEventListener(ev.type, l.f); if (typeof l.f === "function") l.f.call(this, ev); else l.f.handleEvent(ev); }
			return !ev.defaultPrevented;
		}
	}
	class AbortSignal extends EventTarget {
		aborted = false; reason = undefined; onabort = null;
		throwIfAborted() { if (this.aborted) throw this.reason; }
		static abort(reason) { const c = new AbortController(); c.abort(reason); return c.signal; }
		static timeout(ms) { const c = new AbortController(); setTimeout(() => { const e = new Error("The operation timed out"); e.name = "TimeoutError"; c.abort(e); }, ms); return c.signal; }
		static any(list) { const c = new AbortController(); for (const s of list) { if (s.aborted) { c.abort(s.reason); break; } s.addEventListener("abort", () => c.abort(s.reason), { once: true }); } return c.signal; }
	}
	class AbortController {
		signal = new AbortSignal();
		abort(reason) { const s = this.signal; if (s.aborted) return; s.aborted = true; s.reason = reason ?? abortError(); const ev = new Event("abort"); s.onabort?.(ev); s.dispatchEvent(ev); }
	}
	for (const [n, v] of Object.entries({ Event, EventTarget, AbortSignal, AbortController })) define(n, v);
	define("DOMException", class DOMException extends Error { constructor(m, name = "Error") { super(m); this.name = name; } });

	// ---------------------------------------------------------------- console, process
	const show = (v, depth = 0, seen = new Set()) => {
		if (typeof v === "string") return depth ? JSON.stringify(v) : v;
		if (typeof v === "function") return `[Function: ${v.name || "anonymous"}]`;
		if (typeof v === "bigint") return `${v}n`;
		if (typeof v !== "object" || v === null) return String(v);
		if (v instanceof Error) return v.stack ? `${v.name}: ${v.message}` : String(v);
		if (v instanceof Date || v instanceof RegExp) return v instanceof Date ? v.toISOString() : String(v);
		if (seen.has(v)) return "[Circular]";
		if (depth > 3) return Array.isArray(v) ? "[Array]" : "[Object]";
		seen.add(v);
		let out;
		if (Array.isArray(v)) out = `[ ${v.slice(0, 100).map((x) => show(x, depth + 1, seen)).join(", ")}${v.length > 100 ? ", ..." : ""} ]`;
		else if (v instanceof Map) out = `Map(${v.size}) { ${[...v].map(([k, x]) => `${show(k, depth + 1, seen)} => ${show(x, depth + 1, seen)}`).join(", ")} }`;
		else if (v instanceof Set) out = `Set(${v.size}) { ${[...v].map((x) => show(x, depth + 1, seen)).join(", ")} }`;
		else if (v instanceof Uint8Array) out = `<Bytes ${v.length}>`;
		else { const n = v.constructor?.name; const body = Object.entries(v).map(([k, x]) => `${k}: ${show(x, depth + 1, seen)}`).join(", "); out = `${n && n !== "Object" ? n + " " : ""}{${body ? ` ${body} ` : ""}}`; }
		seen.delete(v);
		return out;
	};
	const format = (...args) => {
		let s = "";
		if (typeof args[0] === "string" && args.length > 1) s = args.shift().replace(/%([sdifjoO%])/g, (m, c) => c === "%" ? "%" : !args.length ? m : c === "s" ? show(args.shift()) : c === "j" ? JSON.stringify(args.shift()) : c === "d" || c === "i" || c === "f" ? String(Number(args.shift())) : show(args.shift(), 1));
		else if (args.length) s = show(args.shift());
		return [s, ...args.map((a) => show(a))].join(" ");
	};
	const output = (stream) => (...args) => { call("sys.output", { stream, text: format(...args) + "\n" }); };
	const counts = new Map(), times = new Map();
	define("console", {
		log: output("stdout"), info: output("stdout"), debug: output("stdout"), dir: output("stdout"), table: output("stdout"), group: output("stdout"), groupEnd() {},
		warn: output("stderr"), error: output("stderr"), trace: output("stderr"), assert(ok, ...a) { if (!ok) output("stderr")("Assertion failed:", ...a); },
		count(n = "default") { counts.set(n, (counts.get(n) ?? 0) + 1); output("stdout")(`${n}: ${counts.get(n)}`); },
		time(n = "default") { times.set(n, Date.now()); }, timeEnd(n = "default") { output("stdout")(`${n}: ${Date.now() - (times.get(n) ?? Date.now())}ms`); }, timeLog() {},
	});
	const problem = (event, e) => { call("error", { event, error: describe(e).split("\x00")[0] }); };
	const describe = (e) => e instanceof Error || (e && typeof e === "object" && "message" in e) ? `${e.name && e.name !== "Error" ? e.name + ": " : ""}${e.message}\x00${e.stack ?? ""}` : String(e);

	let info = {};
	const started = Date.now();
	define("performance", { now: () => Date.now() - started, timeOrigin: started, mark() {}, measure() {} });
	const exitHandlers = [];
	const stream = (name) => ({
		isTTY: false, columns: undefined, rows: undefined, fd: name === "stdout" ? 1 : 2, writable: true,
		write(data, enc, cb) { const s = typeof data === "string" ? data : decodeUTF8(bytesOf(data)); if (mode() === "tui" && name === "stdout") call("ui.write", { data: s }); else call("sys.output", { stream: name, text: s }); (typeof enc === "function" ? enc : cb)?.(); return true; },
		on() { return this; }, once() { return this; }, off() { return this; }, removeListener() { return this; }, emit() { return false; }, end() {},
	});
	const process = {
		env: {}, argv: ["node", "tau"], execArgv: [], version: "v24.0.0", versions: { node: "24.0.0" }, platform: "linux", arch: "x64", pid: 0, ppid: 1, title: "tau", exitCode: undefined,
		cwd: () => info.cwd, chdir() { throw new Error("the working folder cannot be changed"); }, execPath: "",
		stdout: stream("stdout"), stderr: stream("stderr"), stdin: { isTTY: false, on() { return this; }, once() { return this; }, setRawMode() { return this; }, resume() { return this; }, pause() { return this; } },
		exit(code) { call("shutdown"); const e = new Error(`process.exit(${code ?? 0})`); e.name = "ExitError"; throw e; },
		nextTick: (f, ...a) => queueMicrotask(() => f(...a)), uptime: () => (Date.now() - started) / 1000,
		hrtime: Object.assign((prev) => { const ms = Date.now() - started, t = [Math.floor(ms / 1000), (ms % 1000) * 1e6]; return prev ? [t[0] - prev[0], t[1] - prev[1]] : t; }, { bigint: () => BigInt(Date.now() - started) * 1000000n }),
		memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0 }), getuid: () => 0, kill() { throw new Error("process.kill is not to be had"); }, umask: () => 18,
		on(ev, f) { if (ev === "exit" || ev === "beforeExit") exitHandlers.push(f); return this; }, once(ev, f) { return this.on(ev, f); }, off() { return this; }, removeListener() { return this; }, emit() { return false; }, emitWarning(w) { output("stderr")(String(w)); }, listenerCount: () => 0,
		features: {}, release: { name: "node" }, config: { variables: {} },
	};
	define("process", process);
	define("navigator", { userAgent: "tau", platform: "tau" });

	// ---------------------------------------------------------------- structuredClone, URL, fetch: in files of their own, read when first used
	const lazy = (names, file) => { for (const n of names) Object.defineProperty(G, n, { configurable: true, enumerable: false, get() { const v = require(file)[n]; define(n, v); return v; }, set(v) { define(n, v); } }); };
	lazy(["URL", "URLSearchParams"], "url");
	lazy(["fetch", "Headers", "Request", "Response", "ReadableStream", "Blob", "FormData", "File"], "fetch");
	lazy(["crypto"], "webcrypto");
	lazy(["Intl"], "intl");
	define("structuredClone", (v) => {
		const seen = new Map();
		const copy = (x) => {
			if (typeof x === "function" || typeof x === "symbol") { const e = new Error(`${String(x)} could not be cloned.`); e.name = "DataCloneError"; throw e; }
			if (typeof x !== "object" || x === null) return x;
			if (seen.has(x)) return seen.get(x);
			if (x instanceof Date) return new Date(x.getTime());
			if (x instanceof RegExp) return new RegExp(x.source, x.flags);
			if (x instanceof ArrayBuffer) return x.slice(0);
			if (ArrayBuffer.isView(x)) return x.slice();
			if (x instanceof Error) { const e = new Error(x.message); e.name = x.name; e.stack = x.stack; return e; }
			let out;
			if (Array.isArray(x)) { out = []; seen.set(x, out); x.forEach((y, i) => { out[i] = copy(y); }); return out; }
			if (x instanceof Map) { out = new Map(); seen.set(x, out); for (const [k, y] of x) out.set(copy(k), copy(y)); return out; }
			if (x instanceof Set) { out = new Set(); seen.set(x, out); for (const y of x) out.add(copy(y)); return out; }
			out = {}; seen.set(x, out);
			for (const k of Object.keys(x)) out[k] = copy(x[k]);
			return out;
		};
		return copy(v);
	});

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
	define("__require", require);

	// ---------------------------------------------------------------- what modules and the API share
	let nextID = 0;
	const listeners = new Map(); // numbers that the program knows functions by
	const keep = (f) => { const id = ++nextID; listeners.set(id, f); return id; };
	let cachedState;
	const state = () => cachedState ??= call("state");
	const mode = () => state().mode;
	const tau = {
		call, callAsync, text, asyncText, handles, keep, listeners, toBase64, fromBase64, encodeUTF8, decodeUTF8, bytesOf, format, show, Buffer, problem, describe, abortError, mode, state,
		get info() { return info; },
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
	let makeContext; // found once
	const calls = new Map(); // under way: AbortController by id
	G.__cancelCall = (id) => { const a = calls.get(id); if (a) { a.aborted = true; a.controller?.abort(); } };
	const methods = {
		load: async () => { await loading; const f = factory; if (typeof f !== "function") throw new Error("the file has no default export that is a function"); await f(require("api").api); },
		event: ({ event, handler, payload }, signal) => {
			const h = listeners.get(handler);
			if (!h) return undefined;
			// What handlers may change in place; the payload goes back only if they did.
			const part = event === "tool_call" ? "input" : event === "before_agent_start" ? "systemPromptOptions" : event === "before_provider_headers" ? "headers" : "";
			const before = part && snapshot(payload[part]);
			if (event === "session_before_compact" || event === "session_before_tree") payload.signal = signal();
			const done = (result) => {
				delete payload.signal;
				const changed = part && differs(payload[part], before);
				if (!changed && (result === undefined || result === null)) return undefined;
				const out = {};
				if (result !== undefined && result !== null) out.result = event === "user_bash" && result.operations ? { operations: keep(result.operations) } : result;
				if (changed) out.payload = payload;
				return out;
			};
			makeContext ??= require("api").context;
			const r = h(payload, makeContext(signal));
			return typeof r?.then === "function" ? r.then(done) : done(r);
		},
		bus: ({ channel, data }) => { require("api").receive(channel, data); },
		notice: ({ what, id, data }) => what === "update" ? listeners.get(id)?.(data) : require("views").notice(what, id, data),
	};
	for (const n of ["tool", "command", "complete", "shortcut", "prepare", "transform", "stream", "route", "shell"]) methods[n] = (p, signal) => require("api").methods[n](p, signal());
	for (const n of ["suggest", "apply"]) methods[n] = (p, signal) => require("autocomplete").methods[n](p, signal());
	methods.oauth = (p, signal) => require("oauth").methods.oauth(p, signal());
	for (const n of ["render", "input", "dispose", "mount"]) methods[n] = (p) => require("views").methods[n](p);
	G.__event = (id, event, handler, payload) => { run(id, methods.event, { event, handler, payload: JSON.parse(payload) }); };
	G.__dispatch = (id, method, params) => {
		const f = methods[method];
		if (!f) { settle(id, false, `there is no method ${method}`); return; }
		let p;
		try { p = params === "" ? undefined : JSON.parse(params); } catch (e) { settle(id, false, describe(e)); return; }
		run(id, f, p);
	};
	const run = (id, f, params) => {
		cachedState = undefined;
		const ok = (v) => { calls.delete(id); cachedState = undefined; let s = ""; if (v !== undefined) { try { s = JSON.stringify(v) ?? ""; } catch (e) { settle(id, false, describe(e)); return; } } settle(id, true, s); };
		const bad = (e) => { calls.delete(id); settle(id, false, describe(e)); };
		const abort = {};
		calls.set(id, abort);
		// Most calls never look at their signal.
		const signal = () => {
			if (!abort.controller) { abort.controller = new AbortController(); if (abort.aborted) abort.controller.abort(); }
			return abort.controller.signal;
		};
		try {
			const r = f(params, signal);
			if (typeof r?.then === "function") r.then(ok, bad); else ok(r);
		} catch (e) { bad(e); }
	};
	let factory, loading;
	define("__loaded", (ext) => { factory = ext.default?.default ?? ext.default; });
	define("__run", (body) => { loading = body(); loading.catch(() => {}); });
	define("__boot", (i) => {
		info = i;
		const env = i.env;
		delete i.env;
		Object.assign(process.env, env);
		Object.assign(process, { platform: i.platform, arch: i.arch, pid: i.pid, execPath: i.exe, argv: [i.exe], argv0: i.exe });
		Object.defineProperty(process.stdout, "isTTY", { get: () => mode() === "tui" });
		for (const [k, at] of [["columns", "columns"], ["rows", "rows"]]) Object.defineProperty(process.stdout, k, { get: () => (mode() === "tui" ? call("ui.size")?.[at] : undefined) });
		delete G.__boot;
	});
})();
