"use strict";
let c;
const i = () => (c ??= tau.call("sys.os"));
module.exports = { homedir: () => process.env.HOME || i().home, tmpdir: () => (process.env.TMPDIR || i().tmp).replace(/(.)\/$/, "$1"), hostname: () => i().host, platform: () => process.platform, type: () => ({ linux: "Linux", darwin: "Darwin", win32: "Windows_NT" })[process.platform] ?? process.platform, arch: () => process.arch, release: () => "", version: () => "", machine: () => process.arch, EOL: "\n", userInfo: () => ({ username: i().user, homedir: i().home, uid: i().uid, gid: i().gid, shell: process.env.SHELL ?? null }), cpus: () => Array.from({ length: i().cpus }, () => ({ model: "", speed: 0, times: {} })), availableParallelism: () => i().cpus, totalmem: () => 8e9, freemem: () => 4e9, loadavg: () => [0, 0, 0], uptime: () => 0, networkInterfaces: () => ({}), endianness: () => "LE", devNull: "/dev/null", constants: { signals: { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 } } };
// The name of a signal that may be given as its number; empty for 0.
Object.defineProperty(module.exports, "signalName", { value: (s) => {
	const { signals } = module.exports.constants;
	const name = s === 0 ? "" : typeof s === "number" ? Object.keys(signals).find((n) => signals[n] === s) : s;
	if (name !== "" && typeof name !== "string") throw Object.assign(new TypeError(`Unknown signal: ${s}`), { code: "ERR_UNKNOWN_SIGNAL" });
	return name;
} });
