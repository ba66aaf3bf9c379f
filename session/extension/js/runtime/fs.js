// Files, as the modules fs and fs/promises of Node have them.
"use strict";
const { call, callAsync, text, asyncText, toBase64, fromBase64, bytesOf, Buffer } = tau;
const p = (x) => { if (x instanceof URL) return require("url").fileURLToPath(x); if (x instanceof Uint8Array) return tau.decodeUTF8(x); return require("path").resolve(x); };
const encoding = (o) => (typeof o === "string" ? o : o?.encoding);
const decode = (s, o) => { const b = Buffer.from(s, "base64"), e = encoding(o); return e ? b.toString(e) : b; };
const binary = (o) => { const e = encoding(o); return !(e === "utf8" || e === "utf-8"); };
const data = (d, o) => (typeof d === "string" && !binary({ encoding: encoding(o) ?? "utf8" }) ? { data: d } : { data: toBase64(typeof d === "string" ? Buffer.from(d, encoding(o)) : bytesOf(d)), binary: true });
const flags = (o) => ({ append: /a/.test(o?.flag ?? ""), exclusive: /x/.test(o?.flag ?? ""), mode: o?.mode });
class Stats {
	constructor(s) { this.size = s.size; this.mode = s.mode | (s.kind === "dir" ? 0o40000 : s.kind === "link" ? 0o120000 : 0o100000); this.mtimeMs = this.ctimeMs = this.atimeMs = this.birthtimeMs = s.mtimeMs; this.mtime = this.ctime = this.atime = this.birthtime = new Date(s.mtimeMs); Object.defineProperty(this, "kind", { value: s.kind }); this.uid = this.gid = this.ino = this.dev = 0; this.nlink = 1; }
	isFile() { return this.kind === "file"; } isDirectory() { return this.kind === "dir"; } isSymbolicLink() { return this.kind === "link"; } isFIFO() { return false; } isSocket() { return false; } isBlockDevice() { return false; } isCharacterDevice() { return false; }
}
class Dirent {
	constructor(name, kind, dir) { this.name = name; Object.defineProperty(this, "kind", { value: kind }); this.parentPath = this.path = dir; }
	isFile() { return this.kind === "file"; } isDirectory() { return this.kind === "dir"; } isSymbolicLink() { return this.kind === "link"; }
}
const walk = (list, dir, o, readdir) => {
	if (!o?.recursive) return list.map(([n, k]) => (o?.withFileTypes ? new Dirent(n, k, dir) : n));
	const out = [];
	const go = (entries, at, rel) => { for (const [n, k] of entries) { out.push(o.withFileTypes ? new Dirent(n, k, at) : rel + n); if (k === "dir") go(readdir(at + "/" + n), at + "/" + n, rel + n + "/"); } };
	go(list, dir, "");
	return out;
};
const raw = (dir) => call("sys.readdir", { path: dir });
const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024 };
const milliseconds = (t) => Math.round(t instanceof Date ? t.getTime() : Number(t) * 1000);
const ops = {
	readFile: [(f, o) => ["sys.readFile", { path: p(f), binary: binary(o) }, (s) => (binary(o) ? decode(s, o) : s), true]],
	writeFile: [(f, d, o) => ["sys.writeFile", { path: p(f), ...data(d, o), ...flags(typeof o === "object" ? o : {}) }]],
	appendFile: [(f, d, o) => ["sys.writeFile", { path: p(f), ...data(d, o), append: true }]],
	stat: [(f) => ["sys.stat", { path: p(f) }, (s) => new Stats(s)]],
	lstat: [(f) => ["sys.stat", { path: p(f), link: true }, (s) => new Stats(s)]],
	access: [(f, mode = 0) => ["sys.access", { path: p(f), mode }]],
	readdir: [(f, o) => ["sys.readdir", { path: p(f) }, (l) => walk(l, p(f), typeof o === "object" ? o : {}, raw)]],
	mkdir: [(f, o) => ["sys.mkdir", { path: p(f), recursive: !!o?.recursive }, () => (o?.recursive ? p(f) : undefined)]],
	rm: [(f, o) => ["sys.rm", { path: p(f), recursive: !!o?.recursive, force: !!o?.force }]],
	rmdir: [(f, o) => ["sys.rm", { path: p(f), recursive: !!o?.recursive }]],
	unlink: [(f) => ["sys.rm", { path: p(f) }]],
	rename: [(a, b) => ["sys.rename", { path: p(a), to: p(b) }]],
	copyFile: [(a, b) => ["sys.copy", { path: p(a), to: p(b) }]],
	cp: [(a, b, o) => ["sys.copy", { path: p(a), to: p(b), recursive: !!o?.recursive }]],
	symlink: [(to, f) => ["sys.symlink", { path: p(f), to }]],
	readlink: [(f) => ["sys.readlink", { path: p(f) }, (s) => s]],
	realpath: [(f) => ["sys.realpath", { path: p(f) }, (s) => s]],
	chmod: [(f, mode) => ["sys.chmod", { path: p(f), mode: typeof mode === "string" ? parseInt(mode, 8) : mode }]],
	mkdtemp: [(f) => ["sys.mkdtemp", { path: p(f) }, (s) => s]],
	utimes: [(f, a, m) => ["sys.utimes", { path: p(f), atime: milliseconds(a), mtime: milliseconds(m) }]],
	truncate: [(f, length) => ["sys.truncateFile", { path: p(f), length: typeof length === "number" ? length : 0 }]],
};
const fs = { constants, promises: { constants }, Stats, Dirent };
for (const [name, [make]] of Object.entries(ops)) {
	fs[name + "Sync"] = (...args) => {
		const [m, params, then, isText] = make(...args);
		let v;
		try { v = isText ? text(m, params) : call(m, params); } catch (e) { if (name.endsWith("stat") && args[1]?.throwIfNoEntry === false && e.code === "ENOENT") return undefined; throw named(e, name, params.path); }
		return then ? then(v) : undefined;
	};
	fs.promises[name] = async (...args) => {
		const [m, params, then, isText] = make(...args);
		let v;
		try { v = isText ? await asyncText(m, params, args[1]?.signal) : await callAsync(m, params); } catch (e) { throw named(e, name, params.path); }
		return then ? then(v) : undefined;
	};
	fs[name] = (...args) => { const cb = args.pop(); fs.promises[name](...args).then((v) => cb(null, v), (e) => cb(e)); };
}
const named = (e, syscall, path) => { e.syscall = syscall; e.path = path; return e; };
fs.existsSync = (f) => { try { return call("sys.exists", { path: p(f) }); } catch { return false; } };
fs.exists = (f, cb) => cb(fs.existsSync(f));
fs.accessSync ??= () => {};
const open = (f, flag = "r") => {
	let at = 0;
	return {
		fd: 3, async readFile(o) { return fs.promises.readFile(f, o); }, async writeFile(d, o) { return fs.promises.writeFile(f, d, o); }, async appendFile(d, o) { return fs.promises.appendFile(f, d, o); }, async stat() { return fs.promises.stat(f); }, async close() {}, async sync() {},
		async read(buf, off = 0, len = buf.length, pos = null) { const b = fs.readFileSync(f), from = pos ?? at; const part = b.subarray(from, from + len); buf.set(part, off); if (pos === null) at += part.length; return { bytesRead: part.length, buffer: buf }; },
		async write(d) { await fs.promises.appendFile(f, d); return { bytesWritten: d.length }; }, async [Symbol.asyncDispose]() {}, flag,
	};
};
fs.promises.open = async (f, flag) => { if (/w/.test(flag ?? "")) await fs.promises.writeFile(f, ""); else if (!/a/.test(flag ?? "")) await fs.promises.access(f); return open(f, flag); };
let nextFD = 100;
const fds = new Map();
fs.openSync = (f, flag = "r") => { if (/w/.test(flag)) fs.writeFileSync(f, ""); else if (!/a/.test(flag)) fs.accessSync(f); fds.set(++nextFD, { f, at: 0 }); return nextFD; };
fs.closeSync = (fd) => { fds.delete(fd); };
fs.readSync = (fd, buf, off = 0, len = buf.length, pos = null) => { const h = fds.get(fd), from = pos ?? h.at, part = fs.readFileSync(h.f).subarray(from, from + len); buf.set(part, off); if (pos === null) h.at += part.length; return part.length; };
fs.writeSync = (fd, d) => { if (fd === 1 || fd === 2) { process[fd === 1 ? "stdout" : "stderr"].write(d); return d.length; } fs.appendFileSync(fds.get(fd).f, d); return d.length; };
fs.fsyncSync = () => {};
fs.createReadStream = (f, o = {}) => {
	const { Readable } = require("stream");
	const s = new Readable({ encoding: encoding(o) });
	s.path = f;
	fs.promises.readFile(f).then((b) => { const part = b.subarray(o.start ?? 0, o.end === undefined ? undefined : o.end + 1); for (let i = 0; i < part.length; i += 65536) s.push(part.subarray(i, i + 65536)); s.push(null); }, (e) => s.destroy(e));
	return s;
};
fs.createWriteStream = (f, o = {}) => {
	const { Writable } = require("stream");
	let first = !/a/.test(o.flags ?? "w");
	return new Writable({ write(d, enc, cb) { try { (first ? fs.writeFileSync : fs.appendFileSync)(f, d); first = false; cb(); } catch (e) { cb(e); } }, final(cb) { if (first) fs.writeFileSync(f, ""); cb(); } });
};
fs.watch = (f, o, cb) => {
	if (typeof o === "function") { cb = o; o = {}; }
	const { EventEmitter } = require("events"), w = new EventEmitter();
	const id = call("sys.watch", { path: p(f) });
	tau.handles.set(id, (ev, [kind, name]) => w.emit("change", kind, name));
	w.close = () => { tau.handles.delete(id); call("sys.end", { id }); w.emit("close"); };
	w.ref = w.unref = () => w;
	if (cb) w.on("change", cb);
	o?.signal?.addEventListener("abort", () => w.close(), { once: true });
	return w;
};
fs.watchFile = (f, o, cb) => { fs.watch(f, typeof o === "function" ? o : cb); };
fs.unwatchFile = () => {};
module.exports = fs;
