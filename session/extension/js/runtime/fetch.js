// Requests over HTTP, as fetch has them.
"use strict";
const { callAsync, toBase64, fromBase64, bytesOf, Buffer } = tau;
class Headers {
	#h = new Map();
	constructor(init) { if (init instanceof Headers || Array.isArray(init)) for (const [k, v] of init) this.append(k, v); else for (const [k, v] of Object.entries(init ?? {})) if (v !== undefined) this.append(k, v); }
	append(k, v) { k = String(k).toLowerCase(); this.#h.set(k, this.#h.has(k) ? `${this.#h.get(k)}, ${v}` : String(v)); } set(k, v) { this.#h.set(String(k).toLowerCase(), String(v)); } get(k) { return this.#h.get(String(k).toLowerCase()) ?? null; } has(k) { return this.#h.has(String(k).toLowerCase()); } delete(k) { this.#h.delete(String(k).toLowerCase()); }
	forEach(f) { for (const [k, v] of this.#h) f(v, k, this); } keys() { return this.#h.keys(); } values() { return this.#h.values(); } entries() { return this.#h.entries(); } [Symbol.iterator]() { return this.#h.entries(); } getSetCookie() { return []; }
}
class ReadableStream {
	#q = []; #wait = []; #over = false; #error; #cancel; locked = false;
	constructor(src = {}) { this.#cancel = src.cancel; const c = { enqueue: (v) => { const w = this.#wait.shift(); if (w) w.res({ value: v, done: false }); else this.#q.push(v); }, close: () => { this.#over = true; for (const w of this.#wait.splice(0)) w.res({ value: undefined, done: true }); }, error: (e) => { this.#error = e; for (const w of this.#wait.splice(0)) w.rej(e); }, desiredSize: 1 }; this.controller = c; const s = src.start?.(c); const pull = async () => { await s; while (src.pull && !this.#over && !this.#error) { if (this.#q.length > 16) await new Promise((r) => setTimeout(r, 1)); else await src.pull(c); } }; if (src.pull) pull().catch((e) => c.error(e)); }
	getReader() { this.locked = true; return { read: () => (this.#q.length ? Promise.resolve({ value: this.#q.shift(), done: false }) : this.#error ? Promise.reject(this.#error) : this.#over ? Promise.resolve({ value: undefined, done: true }) : new Promise((res, rej) => this.#wait.push({ res, rej }))), releaseLock: () => { this.locked = false; }, cancel: async (r) => { this.#over = true; this.#cancel?.(r); }, closed: Promise.resolve() }; }
	async cancel(r) { this.#over = true; this.#cancel?.(r); }
	async *[Symbol.asyncIterator]() { const r = this.getReader(); for (;;) { const { value, done } = await r.read(); if (done) return; yield value; } }
	pipeThrough(t) { (async () => { const w = t.writable.getWriter?.(); for await (const v of this) await w.write(v); await w.close(); })(); return t.readable; }
}
const bodyBytes = async (b) => { if (b === undefined || b === null) return new Uint8Array(0); if (b instanceof ReadableStream) { const parts = []; for await (const v of b) parts.push(bytesOf(v)); return Buffer.concat(parts); } if (b instanceof URLSearchParams) return tau.encodeUTF8(b.toString()); if (b instanceof Blob) return b.bytes_; if (b instanceof FormData) return b.encode().body; return bytesOf(b); };
class Body {
	bodyUsed = false;
	async #all() { this.bodyUsed = true; return bodyBytes(this.body ?? this._body); }
	async text() { return tau.decodeUTF8(await this.#all()); } async json() { return JSON.parse(await this.text()); } async arrayBuffer() { const b = await this.#all(); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); } async bytes() { return new Uint8Array(await this.#all()); } async blob() { return new Blob([await this.#all()], { type: this.headers.get("content-type") ?? "" }); }
}
class Response extends Body {
	constructor(body, init = {}) { super(); this.status = init.status ?? 200; this.statusText = init.statusText ?? ""; this.ok = this.status >= 200 && this.status < 300; this.headers = new Headers(init.headers); this.url = init.url ?? ""; this.redirected = false; this.type = "basic"; this.body = body instanceof ReadableStream ? body : body === undefined || body === null ? null : new ReadableStream({ start(c) { c.enqueue(bytesOf(body)); c.close(); } }); }
	clone() { return new Response(this.body, this); }
	static json(v, init) { return new Response(JSON.stringify(v), { ...init, headers: { "content-type": "application/json", ...init?.headers } }); }
}
class Request extends Body { constructor(u, o = {}) { super(); this.url = String(u.url ?? u); this.method = (o.method ?? u.method ?? "GET").toUpperCase(); this.headers = new Headers(o.headers ?? u.headers); this._body = o.body ?? u._body; this.signal = o.signal ?? u.signal; } }
class Blob { constructor(parts = [], o = {}) { this.bytes_ = Buffer.concat(parts.map((p) => (p instanceof Blob ? p.bytes_ : bytesOf(p)))); this.size = this.bytes_.length; this.type = o.type ?? ""; } async text() { return tau.decodeUTF8(this.bytes_); } async arrayBuffer() { return this.bytes_.buffer.slice(this.bytes_.byteOffset, this.bytes_.byteOffset + this.size); } slice(a, b) { return new Blob([this.bytes_.subarray(a, b)], { type: this.type }); } }
class File extends Blob { constructor(parts, name, o) { super(parts, o); this.name = name; this.lastModified = Date.now(); } }
class FormData {
	#l = [];
	append(k, v, name) { this.#l.push([k, v, name]); } set(k, v) { this.delete(k); this.append(k, v); } delete(k) { this.#l = this.#l.filter(([n]) => n !== k); } get(k) { return this.#l.find(([n]) => n === k)?.[1] ?? null; } has(k) { return this.#l.some(([n]) => n === k); } *entries() { for (const [k, v] of this.#l) yield [k, v]; } [Symbol.iterator]() { return this.entries(); }
	encode() { this.boundary ??= "----tau" + Math.random().toString(16).slice(2); const parts = []; for (const [k, v, name] of this.#l) { parts.push(Buffer.from(`--${this.boundary}\r\nContent-Disposition: form-data; name="${k}"${v instanceof Blob ? `; filename="${name ?? v.name ?? "blob"}"\r\nContent-Type: ${v.type || "application/octet-stream"}` : ""}\r\n\r\n`), v instanceof Blob ? v.bytes_ : Buffer.from(String(v)), Buffer.from("\r\n")); } parts.push(Buffer.from(`--${this.boundary}--\r\n`)); return { body: Buffer.concat(parts), type: `multipart/form-data; boundary=${this.boundary}` }; }
}
const fetch = async (input, init = {}) => {
	const r = new Request(input, init), headers = Object.fromEntries(r.headers);
	if (r._body instanceof FormData && !headers["content-type"]) headers["content-type"] = r._body.encode().type;
	else if (r._body instanceof URLSearchParams && !headers["content-type"]) headers["content-type"] = "application/x-www-form-urlencoded;charset=UTF-8";
	else if (typeof r._body === "string" && !headers["content-type"]) headers["content-type"] = "text/plain;charset=UTF-8";
	let head;
	try { head = await callAsync("sys.fetch", { url: r.url, method: r.method, headers, body: toBase64(await bodyBytes(r._body)), manual: init.redirect === "manual" }, r.signal); } catch (e) { if (r.signal?.aborted) throw r.signal.reason; throw Object.assign(new TypeError("fetch failed"), { cause: e }); }
	const stop = () => { tau.handles.delete(head.id); tau.call("sys.end", { id: head.id }); };
	const body = new ReadableStream({ cancel: stop });
	r.signal?.addEventListener("abort", () => { stop(); body.controller.error(r.signal.reason); }, { once: true });
	tau.handles.set(head.id, (ev, data) => { if (ev === "data") body.controller.enqueue(new Uint8Array(fromBase64(data))); else { tau.handles.delete(head.id); if (data) body.controller.error(new TypeError(data)); else body.controller.close(); } });
	return new Response(body, { status: head.status, statusText: head.statusText, headers: head.headers, url: head.url });
};
module.exports = { fetch, Headers, Request, Response, ReadableStream, Blob, File, FormData };
