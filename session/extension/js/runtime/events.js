"use strict";
class EventEmitter {
	#on = new Map();
	#add(ev, f, once, front) { const list = this.#on.get(ev) ?? []; list[front ? "unshift" : "push"]({ f, once }); this.#on.set(ev, list); return this; }
	on(ev, f) { this.#add(ev, f, false); this.onListener?.(ev); return this; } addListener(ev, f) { return this.on(ev, f); } once(ev, f) { this.#add(ev, f, true); this.onListener?.(ev); return this; }
	prependListener(ev, f) { return this.#add(ev, f, false, true); } prependOnceListener(ev, f) { return this.#add(ev, f, true, true); }
	off(ev, f) { const list = this.#on.get(ev); if (list) { const i = list.findIndex((l) => l.f === f); if (i >= 0) this.#on.set(ev, list.toSpliced(i, 1)); } return this; }
	removeListener(ev, f) { return this.off(ev, f); }
	removeAllListeners(ev) { if (ev === undefined) this.#on.clear(); else this.#on.delete(ev); return this; }
	emit(ev, ...args) {
		const list = this.#on.get(ev);
		if (!list?.length) { if (ev === "error") throw args[0] instanceof Error ? args[0] : new Error(String(args[0])); return false; }
		for (const l of list) { if (l.once) this.off(ev, l.f); l.f.apply(this, args); }
		return true;
	}
	listenerCount(ev) { return this.#on.get(ev)?.length ?? 0; } listeners(ev) { return (this.#on.get(ev) ?? []).map((l) => l.f); } rawListeners(ev) { return this.listeners(ev); } eventNames() { return [...this.#on.keys()]; }
	setMaxListeners() { return this; } getMaxListeners() { return 10; }
}
EventEmitter.EventEmitter = EventEmitter;
EventEmitter.once = (e, ev) => new Promise((resolve, reject) => { const bad = (err) => reject(err); e.once(ev, (...a) => { e.off("error", bad); resolve(a); }); if (ev !== "error") e.once("error", bad); });
EventEmitter.on = async function* (e, ev) { const q = []; let wake; e.on(ev, (...a) => { q.push(a); wake?.(); }); for (;;) { if (!q.length) await new Promise((r) => { wake = r; }); yield q.shift(); } };
EventEmitter.setMaxListeners = () => {};
EventEmitter.defaultMaxListeners = 10;
module.exports = EventEmitter;
