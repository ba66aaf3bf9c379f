// Events and the signals that stop calls.
"use strict";
class Event { constructor(type, init = {}) { this.type = type; Object.assign(this, init); this.defaultPrevented = false; } preventDefault() { this.defaultPrevented = true; } stopPropagation() {} }
class EventTarget {
	#on = new Map();
	addEventListener(type, f, o) { if (!f) return; const list = this.#on.get(type) ?? []; if (!list.some((l) => l.f === f)) list.push({ f, once: !!o?.once }); this.#on.set(type, list); }
	removeEventListener(type, f) { const list = this.#on.get(type); if (list) this.#on.set(type, list.filter((l) => l.f !== f)); }
	dispatchEvent(ev) {
		ev.target = this; ev.currentTarget = this;
		for (const l of [...(this.#on.get(ev.type) ?? [])]) { if (l.once) this.removeEventListener(ev.type, l.f); if (typeof l.f === "function") l.f.call(this, ev); else l.f.handleEvent(ev); }
		return !ev.defaultPrevented;
	}
}
class AbortSignal extends EventTarget {
	aborted = false; reason = undefined; onabort = null;
	throwIfAborted() { if (this.aborted) throw this.reason; }
	static abort(reason) { const c = new AbortController(); c.abort(reason); return c.signal; }
	static timeout(ms) { const c = new AbortController(); setTimeout(() => { const e = new Error("The operation timed out"); e.name = "TimeoutError"; c.abort(e); }, ms); return c.signal; }
	static any(list) { const c = new AbortController(); for (const s of list) { if (s.aborted) { c.abort(s.reason); break; } s.addEventListener("abort", () => c.abort(s.reason), { once: true }); } return c.signal; }
}
class AbortController {
	signal = new AbortSignal();
	abort(reason) { const s = this.signal; if (s.aborted) return; s.aborted = true; s.reason = reason ?? tau.abortError(); const ev = new Event("abort"); s.onabort?.(ev); s.dispatchEvent(ev); }
}
class DOMException extends Error { constructor(m, name = "Error") { super(m); this.name = name; } }

module.exports = { Event, EventTarget, AbortSignal, AbortController, DOMException };
