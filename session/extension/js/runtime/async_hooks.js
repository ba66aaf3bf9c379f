"use strict";
module.exports = { AsyncLocalStorage: class { run(v, f, ...a) { const old = this.v; this.v = v; try { return f(...a); } finally { this.v = old; } } getStore() { return this.v; } enterWith(v) { this.v = v; } exit(f) { return this.run(undefined, f); } } };
