"use strict";
const wait = (ms, v, o) => new Promise((res, rej) => { const t = setTimeout(() => res(v), ms); o?.signal?.addEventListener("abort", () => { clearTimeout(t); rej(tau.abortError()); }, { once: true }); });
module.exports = { setTimeout: wait, setImmediate: (v) => wait(0, v), setInterval: async function* (ms, v) { for (;;) { await wait(ms); yield v; } }, scheduler: { wait } };
