"use strict";
const norm = (p, abs) => {
	const out = [];
	for (const part of p.split("/")) {
		if (part === "" || part === ".") continue;
		if (part === "..") { if (out.length && out.at(-1) !== "..") out.pop(); else if (!abs) out.push(".."); } else out.push(part);
	}
	return out.join("/");
};
const str = (p) => { if (typeof p !== "string") { const e = new TypeError(`The "path" argument must be of type string. Received ${p === null ? "null" : typeof p}`); e.code = "ERR_INVALID_ARG_TYPE"; throw e; } return p; };
const isAbsolute = (p) => str(p).startsWith("/") || /^[A-Za-z]:[\\/]/.test(p);
const normalize = (p) => { const abs = str(p).startsWith("/"), n = norm(p, abs); return (abs ? "/" : "") + n + (p.endsWith("/") && n ? "/" : "") || "."; };
const join = (...parts) => { const p = parts.map(str).filter(Boolean).join("/"); return p ? normalize(p) : "."; };
const resolve = (...parts) => {
	let p = "";
	for (let i = parts.length - 1; i >= 0; i--) { if (!str(parts[i])) continue; p = p ? parts[i] + "/" + p : parts[i]; if (isAbsolute(parts[i])) return (p.startsWith("/") ? "/" : "") + norm(p, true) || "/"; }
	return "/" + norm(process.cwd() + "/" + p, true);
};
const dirname = (p) => { const s = str(p).replace(/\/+$/, ""), i = s.lastIndexOf("/"); return i < 0 ? "." : i === 0 ? "/" : s.slice(0, i); };
const basename = (p, ext) => { const s = str(p).replace(/\/+$/, ""), b = s.slice(s.lastIndexOf("/") + 1); return ext && b.endsWith(ext) && b !== ext ? b.slice(0, -ext.length) : b; };
const extname = (p) => { const b = basename(p), i = b.lastIndexOf("."); return i <= 0 ? "" : b.slice(i); };
const relative = (from, to) => {
	const a = resolve(from).split("/").filter(Boolean), b = resolve(to).split("/").filter(Boolean);
	let i = 0;
	while (i < a.length && i < b.length && a[i] === b[i]) i++;
	return [...a.slice(i).map(() => ".."), ...b.slice(i)].join("/");
};
const parse = (p) => { const base = basename(p), ext = extname(p), root = isAbsolute(p) ? "/" : ""; return { root, dir: p.includes("/") ? dirname(p) : "", base, ext, name: ext ? base.slice(0, -ext.length) : base }; };
const format = (o) => { const base = o.base ?? (o.name ?? "") + (o.ext ?? ""), dir = o.dir ?? o.root ?? ""; return dir ? (dir.endsWith("/") ? dir : dir + "/") + base : base; };
const path = { sep: "/", delimiter: ":", isAbsolute, normalize, join, resolve, dirname, basename, extname, relative, parse, format, toNamespacedPath: (p) => p, matchesGlob: () => false };
path.posix = path; path.win32 = path;
module.exports = path;
