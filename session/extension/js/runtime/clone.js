// Copies of values with all that they hold.
"use strict";
const structuredClone = (v) => {
	const seen = new Map();
	const copy = (x) => {
		if (typeof x === "function" || typeof x === "symbol") { const e = new Error(`${String(x)} could not be cloned.`); e.name = "DataCloneError"; throw e; }
		if (typeof x !== "object" || x === null) return x;
		if (seen.has(x)) return seen.get(x);
		if (x instanceof Date) return new Date(x.getTime());
		if (x instanceof RegExp) return new RegExp(x.source, x.flags);
		if (x instanceof ArrayBuffer) return x.slice(0);
		if (x instanceof DataView) return new DataView(x.buffer.slice(x.byteOffset, x.byteOffset + x.byteLength));
		if (ArrayBuffer.isView(x)) return new (x instanceof Uint8Array ? Uint8Array : x.constructor)(x); // a Buffer's slice would share the bytes
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
};

module.exports = { structuredClone };
