// The process object of Node. It is made when it is first asked for, and its
// environment with it.
"use strict";
const { call, info, mode, started } = tau;
// For an extension the process ends with its session.
const exitHandlers = new Set();
const atExit = (f) => {
	if (!exitHandlers.size) require("api").api.on("session_shutdown", () => { for (const h of [...exitHandlers]) try { h(process.exitCode ?? 0); } catch (e) { tau.problem("exit", e); } });
	exitHandlers.add(f);
};
const stream = (name) => ({
	isTTY: false, columns: undefined, rows: undefined, fd: name === "stdout" ? 1 : 2, writable: true,
	write(data, enc, cb) { const s = typeof data === "string" ? data : tau.decodeUTF8(tau.bytesOf(data)); if (mode() === "tui" && name === "stdout") call("ui.write", { data: s }); else call("sys.output", { stream: name, text: s }); (typeof enc === "function" ? enc : cb)?.(); return true; },
	on() { return this; }, once() { return this; }, off() { return this; }, removeListener() { return this; }, emit() { return false; }, end() {},
});
/** Sends a signal. The program itself is only asked to end. */
const kill = (pid, signal) => {
	const name = require("os").signalName(signal ?? "SIGTERM");
	if (Math.abs(pid) === info.pid || pid === 0) { if (name) call("shutdown"); return true; }
	call("sys.signal", { pid, signal: name });
	return true;
};
const process = {
	env: call("sys.env"), argv: [info.exe], argv0: info.exe, execArgv: [], version: "v24.0.0", versions: { node: "24.0.0" }, platform: info.platform, arch: info.arch, pid: info.pid, ppid: 1, title: "tau", exitCode: undefined,
	cwd: () => info.cwd, chdir() { throw new Error("the working folder cannot be changed"); }, execPath: info.exe,
	stdout: stream("stdout"), stderr: stream("stderr"), stdin: { isTTY: false, on() { return this; }, once() { return this; }, setRawMode() { return this; }, resume() { return this; }, pause() { return this; } },
	exit(code) { call("shutdown"); const e = new Error(`process.exit(${code ?? 0})`); e.name = "ExitError"; throw e; },
	nextTick: (f, ...a) => queueMicrotask(() => f(...a)), uptime: () => (Date.now() - started) / 1000,
	hrtime: Object.assign((prev) => { const ms = Date.now() - started, t = [Math.floor(ms / 1000), (ms % 1000) * 1e6]; return prev ? [t[0] - prev[0], t[1] - prev[1]] : t; }, { bigint: () => BigInt(Date.now() - started) * 1000000n }),
	memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0 }), getuid: () => require("os").userInfo().uid, getgid: () => require("os").userInfo().gid, kill, umask: () => 18,
	on(ev, f) { if (ev === "exit" || ev === "beforeExit") atExit(f); return this; }, once(ev, f) { return this.on(ev, f); }, off(ev, f) { if (ev === "exit" || ev === "beforeExit") exitHandlers.delete(f); return this; }, removeListener(ev, f) { return this.off(ev, f); }, emit() { return false; }, emitWarning(w) { require("printing").console.error(String(w)); }, listenerCount: () => 0,
	features: {}, release: { name: "node" }, config: { variables: {} },
};
Object.defineProperty(process.stdout, "isTTY", { get: () => mode() === "tui" });
for (const [k, at] of [["columns", "columns"], ["rows", "rows"]]) Object.defineProperty(process.stdout, k, { get: () => (mode() === "tui" ? call("ui.size")?.[at] : undefined) });
// It is a module too, whose members are those of the object itself.
for (const n of ["default", "process"]) Object.defineProperty(process, n, { value: process, writable: true, configurable: true, enumerable: n === "default" });
module.exports = process;
