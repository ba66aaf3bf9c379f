"use strict";
const fail = (m, d) => { if (m instanceof Error) throw m; const e = new Error(m ?? d); e.name = "AssertionError"; e.code = "ERR_ASSERTION"; throw e; };
const ok = (v, m) => { if (!v) fail(m, "The expression evaluated to a falsy value"); };
const { isDeepStrictEqual } = require("util");
module.exports = Object.assign(ok, { ok, equal: (a, b, m) => ok(a == b, m), strictEqual: (a, b, m) => ok(Object.is(a, b), m), notStrictEqual: (a, b, m) => ok(!Object.is(a, b), m), deepStrictEqual: (a, b, m) => ok(isDeepStrictEqual(a, b), m), deepEqual: (a, b, m) => ok(isDeepStrictEqual(a, b), m), fail, throws: (f, m) => { try { f(); } catch { return; } fail(m, "Missing expected exception"); } });
