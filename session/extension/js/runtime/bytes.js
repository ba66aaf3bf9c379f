// Bytes and their texts: base 64, UTF-8, the Buffer of Node.
"use strict";
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
class TextEncoder {
	get encoding() { return "utf-8"; }
	encode(s = "") { return new Uint8Array(encodeUTF8(String(s))); }
	encodeInto(s, to) { const b = encodeUTF8(String(s)); to.set(b.subarray(0, to.length)); return { read: s.length, written: Math.min(b.length, to.length) }; }
}
class TextDecoder {
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
}
const btoa = (s) => toBase64(Uint8Array.from(String(s), (c) => c.charCodeAt(0)));
const atob = (s) => Array.from(fromBase64(String(s)), (c) => String.fromCharCode(c)).join("");
class Buffer extends Uint8Array {
	static from(v, enc, length) {
		if (typeof v === "string") return Buffer.of2(enc === "base64" || enc === "base64url" ? fromBase64(v) : enc === "hex" ? Uint8Array.from(v.match(/../g) ?? [], (h) => parseInt(h, 16)) : enc === "latin1" || enc === "binary" || enc === "ascii" ? Uint8Array.from(v, (c) => c.charCodeAt(0) & 255) : encodeUTF8(v));
		if (v instanceof ArrayBuffer) return new Buffer(v, enc, length);
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

module.exports = { toBase64, fromBase64, encodeUTF8, decodeUTF8, bytesOf, Buffer, TextEncoder, TextDecoder, btoa, atob };
