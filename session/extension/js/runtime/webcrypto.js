"use strict";
const c = require("crypto");
const name = (a) => String(a?.name ?? a).replace("-", "").toLowerCase();
module.exports = { crypto: { randomUUID: c.randomUUID, getRandomValues: c.getRandomValues, subtle: { digest: async (a, d) => { const b = c.createHash(name(a)).update(new Uint8Array(tau.bytesOf(d))).digest(); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); } } } };
