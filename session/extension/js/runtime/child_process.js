"use strict";
const { call, toBase64, bytesOf, Buffer } = tau;
const EventEmitter = require("events");
const { Readable, Writable } = require("stream");
const envOf = (o) => (o?.env ? Object.fromEntries(Object.entries(o.env).filter(([, v]) => v !== undefined).map(([k, v]) => [k, String(v)])) : { ...process.env });
const shellOf = (command, args, o) => {
	if (!o?.shell) return [command, args];
	const sh = typeof o.shell === "string" ? o.shell : process.platform === "win32" ? "cmd.exe" : "/bin/sh";
	return [sh, [process.platform === "win32" ? "/c" : "-c", [command, ...args].join(" ")]];
};
const args3 = (args, o) => (Array.isArray(args) ? [args, o ?? {}] : [[], args ?? {}]);
const stdioOf = (o, i) => (Array.isArray(o?.stdio) ? (o.stdio[i] ?? "pipe") : (o?.stdio ?? "pipe"));
const cwdOf = (o) => { const c = o?.cwd; return c instanceof URL ? require("url").fileURLToPath(c) : c ? require("path").resolve(c) : undefined; };
class ChildProcess extends EventEmitter {
	constructor() { super(); this.exitCode = null; this.signalCode = null; this.killed = false; this.connected = false; }
	kill(signal = "SIGTERM") {
		if (this.exitCode !== null || this.signalCode !== null || !this.handle) return false;
		const name = require("os").signalName(signal);
		if (!name) return true; // it is only asked whether it is there
		this.killed = true;
		try { return call("sys.kill", { id: this.handle, signal: name }); } catch { return false; }
	}
	ref() { return this; } unref() { return this; } disconnect() {} send() { return false; }
}
const spawn = (command, args, options) => {
	const [a, o] = args3(args, options), [c, list] = shellOf(command, a, o);
	const p = new ChildProcess();
	p.spawnfile = c; p.spawnargs = [c, ...list];
	const out = stdioOf(o, 1), err = stdioOf(o, 2), inp = stdioOf(o, 0);
	p.stdout = out === "pipe" ? new Readable() : null; p.stderr = err === "pipe" ? new Readable() : null;
	let r;
	try { r = call("sys.spawn", { command: c, args: list.map(String), cwd: cwdOf(o), env: envOf(o), stdin: inp, detached: !!o.detached }); } catch (e) { r = { error: e.message, code: e.code }; }
	if (r.error) {
		const e = Object.assign(new Error(`spawn ${c} ${r.code ?? ""}`.trim()), { code: r.code, errno: -2, syscall: `spawn ${c}`, path: c, spawnargs: list });
		p.stdin = inp === "pipe" ? new Writable({ write(d, x, cb) { cb(); } }) : null;
		setTimeout(() => { p.emit("error", e); p.stdout?.push(null); p.stderr?.push(null); p.emit("close", -2, null); }, 0);
		return p;
	}
	p.handle = r.id; p.pid = r.pid;
	// What is written goes out in order.
	let chain = Promise.resolve();
	const put = (o, cb) => { chain = chain.then(() => tau.callAsync("sys.write", { id: r.id, ...o })).then(() => cb(), (e) => cb(e)); };
	p.stdin = inp === "pipe" ? new Writable({ write(d, enc, cb) { put({ data: toBase64(bytesOf(d)) }, cb); }, final(cb) { put({ data: "", end: true }, () => cb()); } }) : null;
	p.stdio = [p.stdin, p.stdout, p.stderr];
	const give = (s, data, name) => { const b = Buffer.from(data, "base64"); if (s) s.push(b); else if (stdioOf(o, name === "stdout" ? 1 : 2) === "inherit") process[name].write(b); };
	const timer = o.timeout ? setTimeout(() => p.kill(o.killSignal), o.timeout) : undefined;
	const onAbort = () => { p.kill(o.killSignal); p.emit("error", tau.abortError()); };
	if (o.signal?.aborted) setTimeout(onAbort, 0);
	o.signal?.addEventListener("abort", onAbort, { once: true });
	setTimeout(() => p.emit("spawn"), 0);
	tau.handles.set(r.id, (ev, data) => {
		switch (ev) {
			case "stdout": give(p.stdout, data, ev); break;
			case "stderr": give(p.stderr, data, ev); break;
			case "exit": p.exitCode = data.code; p.signalCode = data.signal; clearTimeout(timer); o.signal?.removeEventListener("abort", onAbort); p.emit("exit", data.code, data.signal); break;
			case "close": {
				tau.handles.delete(r.id);
				p.stdout?.push(null); p.stderr?.push(null);
				// What was piped is read before the end is told.
				let left = 1;
				const done = () => { if (--left === 0) p.emit("close", data.code, data.signal); };
				for (const s of [p.stdout, p.stderr]) if (s?.readable && s.listenerCount("data")) { left++; s.once("end", done); }
				queueMicrotask(done);
			}
		}
	});
	return p;
};
const spawnSync = (command, args, options) => {
	const [a, o] = args3(args, options), [c, list] = shellOf(command, a, o);
	const inherit = o.stdio === "inherit" || (Array.isArray(o.stdio) && o.stdio[0] === "inherit" && o.stdio[1] === "inherit");
	const r = call("sys.spawnSync", { command: c, args: list.map(String), cwd: cwdOf(o), env: envOf(o), input: o.input === undefined ? "" : toBase64(bytesOf(o.input)), timeout: o.timeout ?? 0, terminal: inherit });
	const conv = (s) => { const b = Buffer.from(s, "base64"); return o.encoding && o.encoding !== "buffer" ? b.toString(o.encoding) : b; };
	const out = { pid: r.pid, status: r.status, signal: r.signal ?? null, stdout: conv(r.stdout), stderr: conv(r.stderr) };
	out.output = [null, out.stdout, out.stderr];
	if (r.error) out.error = Object.assign(new Error(r.error), { code: r.code, syscall: `spawnSync ${c}`, path: c });
	return out;
};
const sync = (r, what, o) => {
	if (r.error) throw Object.assign(r.error, { status: r.status, signal: r.signal, stdout: r.stdout, stderr: r.stderr });
	if (r.status !== 0) throw Object.assign(new Error(`Command failed: ${what}\n${r.stderr}`), { status: r.status, signal: r.signal, stdout: r.stdout, stderr: r.stderr, output: r.output, pid: r.pid });
	return r.stdout;
};
const execSync = (command, o = {}) => sync(spawnSync(command, [], { ...o, shell: o.shell ?? true }), command, o);
const execFileSync = (file, args, options) => { const [a, o] = args3(args, options); return sync(spawnSync(file, a, o), [file, ...a].join(" "), o); };
const collect = (p, what, o, cb) => {
	const out = [], err = [];
	let over = false;
	const conv = (l) => { const b = Buffer.concat(l); return o.encoding === "buffer" || o.encoding === null ? b : b.toString(o.encoding ?? "utf8"); };
	p.stdout?.on("data", (d) => out.push(d)); p.stderr?.on("data", (d) => err.push(d));
	const end = (e) => { if (over) return; over = true; cb?.(e, conv(out), conv(err)); };
	p.on("error", end);
	p.on("close", (code, signal) => end(code === 0 ? null : Object.assign(new Error(`Command failed: ${what}\n${conv(err)}`), { code: code ?? null, killed: p.killed, signal, cmd: what, stdout: conv(out), stderr: conv(err) })));
	return p;
};
const exec = (command, o, cb) => { if (typeof o === "function") { cb = o; o = {}; } return collect(spawn(command, [], { ...o, shell: o?.shell ?? true }), command, o ?? {}, cb); };
const execFile = (file, args, o, cb) => { if (typeof args === "function") { cb = args; args = []; o = {}; } else if (!Array.isArray(args)) { cb = o; o = args; args = []; } if (typeof o === "function") { cb = o; o = {}; } return collect(spawn(file, args, o ?? {}), [file, ...args].join(" "), o ?? {}, cb); };
const custom = Symbol.for("nodejs.util.promisify.custom");
exec[custom] = (c, o) => new Promise((res, rej) => exec(c, o ?? {}, (e, stdout, stderr) => (e ? rej(Object.assign(e, { stdout, stderr })) : res({ stdout, stderr }))));
execFile[custom] = (f, a, o) => new Promise((res, rej) => execFile(f, a ?? [], o ?? {}, (e, stdout, stderr) => (e ? rej(Object.assign(e, { stdout, stderr })) : res({ stdout, stderr }))));
module.exports = { spawn, spawnSync, exec, execSync, execFile, execFileSync, ChildProcess, fork() { throw new Error("fork needs Node"); } };
