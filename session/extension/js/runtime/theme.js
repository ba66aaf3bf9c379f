// The theme as extensions use it: functions that put colours around text.
"use strict";
const wrap = (open, close) => (s) => (open ? open + String(s).replaceAll(close, close + open) + close : String(s));
const make = (t) => {
	const fg = t?.fg ?? {}, bg = t?.bg ?? {};
	const color = (name, s) => { if (!(name in fg)) throw new Error(`Unknown theme color: ${name}`); return fg[name] ? fg[name] + s + "\x1b[39m" : String(s); };
	return {
		name: t?.name ?? "dark", ...(t?.path ? { path: t.path } : {}),
		fg: color, bg: (name, s) => { if (!(name in bg)) throw new Error(`Unknown theme background color: ${name}`); return bg[name] ? bg[name] + s + "\x1b[49m" : String(s); },
		bold: wrap("\x1b[1m", "\x1b[22m"), italic: wrap("\x1b[3m", "\x1b[23m"), underline: wrap("\x1b[4m", "\x1b[24m"), inverse: wrap("\x1b[7m", "\x1b[27m"), strikethrough: wrap("\x1b[9m", "\x1b[29m"), dim: wrap("\x1b[2m", "\x1b[22m"),
		getFgAnsi: (n) => fg[n] ?? "", getBgAnsi: (n) => bg[n] ?? "", getColorMode: () => t?.mode ?? "truecolor",
		getThinkingBorderColor: (level) => (s) => color("thinking" + String(level)[0].toUpperCase() + String(level).slice(1), s), getBashModeBorderColor: () => (s) => color("bashMode", s),
	};
};
let cached, at = 0;
/** The theme in use; asked for again when drawing begins after a change. */
const current = () => { if (!cached || Date.now() - at > 1000) { const t = tau.call("ui.theme"); at = Date.now(); if (!cached || JSON.stringify(t) !== cached.key) cached = { key: JSON.stringify(t), theme: make(t ?? plain()) }; } return cached.theme; };
const plain = () => ({ fg: new Proxy({}, { has: () => true, get: () => "" }), bg: new Proxy({}, { has: () => true, get: () => "" }) });
/** A theme that follows the one in use. */
const live = new Proxy({}, { get: (_, k) => current()[k], has: (_, k) => k in current() });
const fgOf = (name) => (s) => current().fg(name, s);
const selectListTheme = () => ({ selectedPrefix: fgOf("accent"), selectedText: fgOf("accent"), description: fgOf("muted"), scrollInfo: fgOf("muted"), noMatch: fgOf("muted") });
const editorTheme = () => ({ borderColor: fgOf("borderMuted"), selectList: selectListTheme() });
const settingsListTheme = () => ({ label: (s, selected) => (selected ? current().fg("accent", s) : s), value: (s, selected) => current().fg(selected ? "accent" : "muted", s), description: fgOf("dim"), cursor: current().fg("accent", "→ "), hint: fgOf("dim") });
const markdownTheme = () => ({
	heading: fgOf("mdHeading"), link: fgOf("mdLink"), linkUrl: fgOf("mdLinkUrl"), code: fgOf("mdCode"), codeBlock: fgOf("mdCodeBlock"), codeBlockBorder: fgOf("mdCodeBlockBorder"), quote: fgOf("mdQuote"), quoteBorder: fgOf("mdQuoteBorder"), hr: fgOf("mdHr"), listBullet: fgOf("mdListBullet"),
	bold: (s) => current().bold(s), italic: (s) => current().italic(s), underline: (s) => current().underline(s), strikethrough: (s) => current().strikethrough(s),
	highlightCode: (code, lang) => tau.call("sys.code", { text: code, language: lang ?? "" }),
});
module.exports = { current: () => live, make, named: (name) => { const t = tau.call("ui.theme", { name }); return t ? make(t) : undefined; }, selectListTheme, editorTheme, settingsListTheme, markdownTheme };
