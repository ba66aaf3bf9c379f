"use strict";
const { text, toBase64, bytesOf, Buffer } = tau;
const un = (algorithm) => (d) => Buffer.from(text("sys.unzip", { data: toBase64(bytesOf(d)), algorithm }), "base64");
const cb = (f) => (d, o, done) => { const c = typeof o === "function" ? o : done; try { c(null, f(d)); } catch (e) { c(e); } };
const gunzipSync = un("gzip"), inflateSync = un("zlib");
module.exports = { gunzipSync, inflateSync, unzipSync: gunzipSync, gunzip: cb(gunzipSync), inflate: cb(inflateSync), constants: {} };
