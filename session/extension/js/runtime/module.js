"use strict";
const createRequire = (from) => {
	const base = require("path").dirname(String(from).startsWith("file:") ? require("url").fileURLToPath(String(from)) : String(from));
	const resolveFile = (name) => require("path").resolve(base, name);
	const cache = new Map();
	const load = (file) => {
		if (cache.has(file)) return cache.get(file).exports;
		const src = tau.text("sys.readFile", { path: file });
		const module = { exports: {} };
		cache.set(file, module);
		if (file.endsWith(".json")) { module.exports = JSON.parse(src); return module.exports; }
		(0, eval)(`(function (module, exports, require, __filename, __dirname) {${src}\n})`)(module, module.exports, createRequire(file), file, require("path").dirname(file));
		return module.exports;
	};
	const r = (name) => (/^[./]/.test(name) ? load(resolveFile(name)) : globalThis.__require(name));
	r.resolve = (name) => (/^[./]/.test(name) ? resolveFile(name) : name);
	r.cache = {};
	return r;
};
module.exports = { createRequire, builtinModules: ["fs", "path", "os", "url", "util", "events", "child_process", "crypto", "stream", "readline", "module", "zlib", "buffer", "process", "timers"], isBuiltin: (n) => n.startsWith("node:") };
