"use strict";
const EventEmitter = require("events");
const createInterface = (o) => {
	const input = o.input ?? o, rl = new EventEmitter();
	let rest = "", over = false;
	const dec = new TextDecoder();
	const feed = (s) => { rest += s; const l = rest.split(/\r?\n/); rest = l.pop(); for (const x of l) rl.emit("line", x); };
	input?.on?.("data", (d) => feed(typeof d === "string" ? d : dec.decode(d, { stream: true })));
	input?.on?.("end", () => { if (rest) rl.emit("line", rest); rest = ""; rl.close(); });
	input?.on?.("error", (e) => { rl.failed = e; if (rl.listenerCount("error")) rl.emit("error", e); rl.close(); });
	rl.close = () => { if (!over) { over = true; rl.emit("close"); } };
	rl.question = (q, cb) => { (typeof cb === "function" ? cb : () => {})(""); }; rl.setPrompt = rl.prompt = rl.pause = rl.resume = rl.write = () => rl;
	rl[Symbol.asyncIterator] = async function* () {
		const q = [];
		let done = over, wake;
		rl.on("line", (l) => { q.push(l); wake?.(); });
		rl.on("close", () => { done = true; wake?.(); });
		for (;;) { while (q.length) yield q.shift(); if (done) { if (rl.failed) throw rl.failed; return; } await new Promise((r) => { wake = r; }); }
	};
	return rl;
};
module.exports = { createInterface, clearLine() {}, cursorTo() {}, emitKeypressEvents() {}, promises: { createInterface } };
