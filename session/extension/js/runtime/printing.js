// What console.log and the like print.
"use strict";
const { call } = tau;
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
const console = {
	log: output("stdout"), info: output("stdout"), debug: output("stdout"), dir: output("stdout"), table: output("stdout"), group: output("stdout"), groupEnd() {},
	warn: output("stderr"), error: output("stderr"), trace: output("stderr"), assert(ok, ...a) { if (!ok) output("stderr")("Assertion failed:", ...a); },
	count(n = "default") { counts.set(n, (counts.get(n) ?? 0) + 1); output("stdout")(`${n}: ${counts.get(n)}`); },
	time(n = "default") { times.set(n, Date.now()); }, timeEnd(n = "default") { output("stdout")(`${n}: ${Date.now() - (times.get(n) ?? Date.now())}ms`); }, timeLog() {},
};

module.exports = { console, format, show };
