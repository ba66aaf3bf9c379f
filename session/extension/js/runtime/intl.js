// The little of Intl that formatting in English needs.
"use strict";
class NumberFormat {
	constructor(locale, o = {}) { this.o = o; }
	format(n) { const o = this.o, max = o.maximumFractionDigits ?? (o.style === "currency" ? 2 : o.style === "percent" ? 0 : 3), min = o.minimumFractionDigits ?? (o.style === "currency" ? 2 : 0); let v = o.style === "percent" ? n * 100 : n; let s = Math.abs(v).toFixed(Math.max(max, min)); if (s.includes(".")) { let [i, f] = s.split("."); while (f.length > min && f.endsWith("0")) f = f.slice(0, -1); s = f ? `${i}.${f}` : i; } if (o.useGrouping !== false) s = s.replace(/^\d+/, (d) => d.replace(/\B(?=(\d{3})+$)/g, ",")); return (v < 0 ? "-" : "") + (o.style === "currency" ? "$" : "") + s + (o.style === "percent" ? "%" : ""); }
	resolvedOptions() { return { locale: "en-US" }; }
}
class DateTimeFormat { constructor(l, o = {}) { this.o = o; } format(d = new Date()) { return new Date(d).toLocaleString(); } formatToParts(d) { return [{ type: "literal", value: this.format(d) }]; } resolvedOptions() { return { locale: "en-US", timeZone: "UTC" }; } }
class Segmenter {
	constructor(locale, o = {}) { this.granularity = o.granularity ?? "grapheme"; }
	*segment(s) {
		let i = 0;
		for (const segment of tau.call("sys.segments", { text: s, granularity: this.granularity }) ?? []) {
			const it = { segment, index: i, input: s };
			if (this.granularity === "word") it.isWordLike = /[\p{L}\p{N}]/u.test(segment);
			yield it;
			i += segment.length;
		}
	}
}
class Collator { compare(a, b) { return a < b ? -1 : a > b ? 1 : 0; } }
class PluralRules { select(n) { return n === 1 ? "one" : "other"; } }
class RelativeTimeFormat { format(n, u) { return n < 0 ? `${-n} ${u}${n === -1 ? "" : "s"} ago` : `in ${n} ${u}${n === 1 ? "" : "s"}`; } }
class ListFormat { format(l) { const a = [...l]; return a.length < 2 ? a.join("") : a.slice(0, -1).join(", ") + " and " + a.at(-1); } }
module.exports = { Intl: { NumberFormat, DateTimeFormat, Segmenter, Collator, PluralRules, RelativeTimeFormat, ListFormat } };
