// URL and URLSearchParams, as far as programs need them, and the helpers for files.
"use strict";
const enc = (s) => encodeURIComponent(s).replace(/%20/g, "+").replace(/[!'()~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
const dec = (s) => { try { return decodeURIComponent(s.replace(/\+/g, " ")); } catch { return s; } };
class URLSearchParams {
	#list = []; #changed;
	constructor(init = "", changed) {
		this.#changed = changed;
		if (typeof init === "string") for (const part of init.replace(/^\?/, "").split("&")) { if (!part) continue; const i = part.indexOf("="); this.#list.push(i < 0 ? [dec(part), ""] : [dec(part.slice(0, i)), dec(part.slice(i + 1))]); }
		else if (init?.[Symbol.iterator]) for (const [k, v] of init) this.#list.push([String(k), String(v)]);
		else for (const [k, v] of Object.entries(init ?? {})) this.#list.push([k, String(v)]);
	}
	get size() { return this.#list.length; }
	append(k, v) { this.#list.push([String(k), String(v)]); this.#changed?.(); }
	set(k, v) { const i = this.#list.findIndex(([n]) => n === k); if (i < 0) this.#list.push([k, String(v)]); else { this.#list[i][1] = String(v); this.#list = this.#list.filter(([n], j) => n !== k || j === i); } this.#changed?.(); }
	get(k) { return this.#list.find(([n]) => n === k)?.[1] ?? null; }
	getAll(k) { return this.#list.filter(([n]) => n === k).map(([, v]) => v); }
	has(k) { return this.#list.some(([n]) => n === k); }
	delete(k) { this.#list = this.#list.filter(([n]) => n !== k); this.#changed?.(); }
	sort() { this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); }
	forEach(f) { for (const [k, v] of this.#list) f(v, k, this); }
	keys() { return this.#list.map(([k]) => k)[Symbol.iterator](); } values() { return this.#list.map(([, v]) => v)[Symbol.iterator](); } entries() { return this.#list.map((x) => [...x])[Symbol.iterator](); }
	[Symbol.iterator]() { return this.entries(); }
	toString() { return this.#list.map(([k, v]) => `${enc(k)}=${enc(v)}`).join("&"); }
}
const ports = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21" };
class URL {
	#params;
	constructor(input, base) {
		input = String(input).trim();
		let m = /^([A-Za-z][A-Za-z0-9+.-]*:)(.*)$/s.exec(input);
		if (!m) {
			if (base === undefined) throw invalid(input);
			const b = new URL(base);
			if (input.startsWith("//")) m = [null, b.protocol, input];
			else {
				const [, p, q, h] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(input);
				let path = b.pathname;
				if (p.startsWith("/")) path = p; else if (p) path = b.pathname.replace(/[^/]*$/, "") + p;
				m = [null, b.protocol, `//${b.username ? b.username + (b.password ? ":" + b.password : "") + "@" : ""}${b.host}${path}${q ?? (p ? "" : b.search)}${h ?? ""}`];
			}
		}
		this.protocol = m[1].toLowerCase();
		let rest = m[2];
		this.username = this.password = this.hostname = this.port = "";
		this.hash = ""; this._search = "";
		let i = rest.indexOf("#"); if (i >= 0) { this.hash = rest.slice(i) === "#" ? "" : rest.slice(i); rest = rest.slice(0, i); }
		i = rest.indexOf("?"); if (i >= 0) { this._search = rest.slice(i) === "?" ? "" : rest.slice(i).replace(/ /g, "%20"); rest = rest.slice(0, i); }
		if (rest.startsWith("//") || ports[this.protocol] || this.protocol === "file:") {
			const [, auth, path] = /^\/*([^/]*)(.*)$/s.exec(this.protocol === "file:" && !rest.startsWith("///") && rest.startsWith("//") ? rest.slice(2) : this.protocol === "file:" ? "//" + "" + rest.replace(/^\/\//, "") : rest.slice(2)) ?? [];
			if (this.protocol === "file:") { this.pathname = clean("/" + rest.replace(/^\/+/, "")); }
			else {
				let host = auth;
				const at = host.lastIndexOf("@");
				if (at >= 0) { [this.username, this.password = ""] = host.slice(0, at).split(":"); host = host.slice(at + 1); }
				const h = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host);
				if (!h || (!h[1] && ports[this.protocol])) throw invalid(input);
				this.hostname = h[1].toLowerCase(); this.port = h[2] && h[2] !== ports[this.protocol] ? h[2] : "";
				this.pathname = clean(path || "/");
			}
		} else this.pathname = rest;
	}
	get host() { return this.hostname + (this.port ? ":" + this.port : ""); }
	set host(h) { [this.hostname, this.port = ""] = h.split(":"); }
	get origin() { return ports[this.protocol] ? `${this.protocol}//${this.host}` : "null"; }
	get search() { return this._search; }
	set search(s) { this._search = s && !s.startsWith("?") ? "?" + s : s; this.#params = undefined; }
	get searchParams() { return (this.#params ??= new URLSearchParams(this._search, () => { const s = this.#params.toString(); this._search = s ? "?" + s : ""; })); }
	get href() { return `${this.protocol}${ports[this.protocol] || this.protocol === "file:" || this.hostname ? "//" : ""}${this.username ? this.username + (this.password ? ":" + this.password : "") + "@" : ""}${this.host}${this.pathname}${this._search}${this.hash}`; }
	set href(h) { Object.assign(this, new URL(h)); }
	toString() { return this.href; } toJSON() { return this.href; }
	static canParse(u, b) { try { new URL(u, b); return true; } catch { return false; } }
	static parse(u, b) { try { return new URL(u, b); } catch { return null; } }
}
const clean = (path) => { const out = []; for (const part of path.replace(/ /g, "%20").split("/")) { if (part === "..") { if (out.length > 1) out.pop(); } else if (part !== ".") out.push(part); } const last = path.split("/").at(-1); return (out.join("/") || "/") + (last === ".." || last === "." ? "/" : ""); };
const invalid = (u) => { const e = new TypeError("Invalid URL"); e.code = "ERR_INVALID_URL"; e.input = u; return e; };
const fileURLToPath = (u) => { const url = typeof u === "string" ? new URL(u) : u; if (url.protocol !== "file:") throw new TypeError("The URL must be of scheme file"); return decodeURIComponent(url.pathname); };
const pathToFileURL = (p) => new URL("file://" + require("path").resolve(p).split("/").map(encodeURIComponent).join("/"));
module.exports = { URL, URLSearchParams, fileURLToPath, pathToFileURL, parse: (s) => { const u = new URL(s, "relative:///"); return { ...u, protocol: u.protocol, host: u.host, hostname: u.hostname, pathname: u.pathname, search: u.search, query: u.search.slice(1), hash: u.hash, href: u.href }; }, format: (u) => String(u.href ?? u), domainToASCII: (d) => d };
