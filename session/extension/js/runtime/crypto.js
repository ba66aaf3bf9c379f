"use strict";
const { text, toBase64, fromBase64, bytesOf, Buffer } = tau;
class Hash {
	constructor(algorithm, key) { this.algorithm = algorithm; this.key = key; this.parts = []; }
	update(d, enc) { this.parts.push(typeof d === "string" ? Buffer.from(d, enc) : bytesOf(d)); return this; }
	digest(enc) { const s = text("sys.hash", { algorithm: this.algorithm, data: toBase64(Buffer.concat(this.parts)), key: this.key === undefined ? "" : toBase64(bytesOf(this.key)) }); const b = Buffer.from(s, "base64"); return enc ? b.toString(enc) : b; }
	copy() { const h = new Hash(this.algorithm, this.key); h.parts = [...this.parts]; return h; }
}
const randomBytes = (size, cb) => { const b = Buffer.from(text("sys.random", { size }), "base64"); if (cb) cb(null, b); return b; };
const randomUUID = () => text("sys.uuid", {});
const getRandomValues = (a) => { const b = randomBytes(a.byteLength); new Uint8Array(a.buffer, a.byteOffset, a.byteLength).set(b); return a; };
module.exports = { createHash: (a) => new Hash(a), createHmac: (a, k) => new Hash(a, k), hash: (a, d, enc = "hex") => new Hash(a).update(d).digest(enc), randomBytes, randomUUID, getRandomValues, randomInt: (a, b) => { if (b === undefined) { b = a; a = 0; } return a + (randomBytes(6).readUInt32BE(0) % (b - a)); }, timingSafeEqual: (a, b) => a.length === b.length && a.every((x, i) => x === b[i]), webcrypto: { randomUUID, getRandomValues, get subtle() { return require("webcrypto").crypto.subtle; } } };
