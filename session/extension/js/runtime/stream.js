// Streams that hold what was pushed until somebody listens.
"use strict";
const EventEmitter = require("events");
class Stream extends EventEmitter { pipe(to) { this.on("data", (d) => to.write(d)); this.on("end", () => { if (to !== process.stdout && to !== process.stderr) to.end?.(); }); return to; } }
class Readable extends Stream {
	#queue = []; #ended = false; #flowing = false; #scheduled = false; #decoder;
	constructor(o = {}) { super(); this.readable = true; this.destroyed = false; if (o.read) this._read = o.read; if (o.encoding) this.setEncoding(o.encoding); }
	static from(it) { const r = new Readable(); (async () => { try { for await (const x of it) r.push(x); r.push(null); } catch (e) { r.destroy(e); } })(); return r; }
	setEncoding(e) { this.#decoder = e && e !== "buffer" ? { e, d: new TextDecoder() } : undefined; return this; }
	push(d) {
		if (d === null) this.#ended = true; else this.#queue.push(this.#decoder && typeof d !== "string" ? (/^utf-?8$/i.test(this.#decoder.e) ? this.#decoder.d.decode(d, { stream: true }) : Buffer.from(d).toString(this.#decoder.e)) : d);
		this.#flow();
		return true;
	}
	#flow() {
		if (!this.#flowing || this.#scheduled) return;
		this.#scheduled = true;
		queueMicrotask(() => {
			this.#scheduled = false;
			while (this.#queue.length && this.#flowing) this.emit("data", this.#queue.shift());
			if (this.#ended && !this.#queue.length && this.readable) { this.readable = false; this.readableEnded = true; this.emit("end"); this.emit("close"); }
		});
	}
	onListener(ev) { if (ev === "data") this.resume(); if (ev === "end" && this.#ended) this.#flow(); if (ev === "readable") queueMicrotask(() => this.emit("readable")); }
	resume() { this.#flowing = true; this._read?.(); this.#flow(); return this; } pause() { this.#flowing = false; return this; }
	read() { return this.#queue.shift() ?? null; }
	destroy(e) { if (this.destroyed) return this; this.destroyed = true; this.readable = false; if (e) queueMicrotask(() => this.emit("error", e)); queueMicrotask(() => this.emit("close")); return this; }
	async *[Symbol.asyncIterator]() {
		const q = [];
		let over = false, failed, wake;
		this.on("data", (d) => { q.push(d); wake?.(); });
		this.on("end", () => { over = true; wake?.(); });
		this.on("error", (e) => { failed = e; wake?.(); });
		for (;;) {
			while (q.length) yield q.shift();
			if (failed) throw failed;
			if (over) return;
			await new Promise((r) => { wake = r; });
		}
	}
}
class Writable extends Stream {
	constructor(o = {}) { super(); this.writable = true; if (o.write) this._write = o.write; if (o.final) this._final = o.final; }
	write(d, enc, cb) { if (typeof enc === "function") cb = enc; this._write?.(d, typeof enc === "string" ? enc : "utf8", (e) => { if (e) this.emit("error", e); cb?.(e); }); return true; }
	end(d, enc, cb) { if (typeof d === "function") { cb = d; d = undefined; } if (d !== undefined && d !== null) this.write(d, enc); this.writable = false; const fin = () => queueMicrotask(() => { this.emit("finish"); this.emit("close"); cb?.(); }); if (this._final) this._final(fin); else fin(); return this; }
	destroy(e) { if (e) this.emit("error", e); this.emit("close"); return this; }
	cork() {} uncork() {}
}
class Duplex extends Readable { constructor(o = {}) { super(o); this.writable = true; if (o.write) this._write = o.write; if (o.final) this._final = o.final; } }
for (const k of ["write", "end"]) Duplex.prototype[k] = Writable.prototype[k];
class Transform extends Duplex { constructor(o = {}) { super(o); if (o.transform) this._transform = o.transform; if (o.flush) this._flush = o.flush; } _write(d, enc, cb) { this._transform(d, enc, (e, v) => { if (v !== undefined && v !== null) this.push(v); cb(e); }); } _final(cb) { if (this._flush) this._flush((e, v) => { if (v) this.push(v); this.push(null); cb(); }); else { this.push(null); cb(); } } }
class PassThrough extends Transform { _transform(d, enc, cb) { cb(null, d); } }
const pipeline = (...s) => { const cb = typeof s.at(-1) === "function" ? s.pop() : undefined; for (let i = 0; i + 1 < s.length; i++) s[i].pipe(s[i + 1]); s.at(-1).on("finish", () => cb?.()); for (const x of s) x.on("error", (e) => cb?.(e)); return s.at(-1); };
module.exports = Object.assign(Stream, { Stream, Readable, Writable, Duplex, Transform, PassThrough, pipeline, finished: (s, cb) => { s.on("end", () => cb()); s.on("finish", () => cb()); s.on("error", cb); }, promises: { pipeline: (...s) => new Promise((res, rej) => pipeline(...s, (e) => (e ? rej(e) : res()))) } });
