// Components and helpers that extensions import from pi-tui. How wide text is, how it wraps and what keys mean is
// asked of the program, so that both sides agree; plain ASCII is answered here.
"use strict";
const { call, text } = tau;
const CURSOR_MARKER = "\x1b_pi:c\x07";
const CURSOR_START = "\x1b_pi:fc\x07", CURSOR_END = "\x1b_pi:/fc\x07";
const renderFakeCursor = (s) => `${CURSOR_START}\x1b[7m${s}\x1b[27m${CURSOR_END}`;
const sequences = /\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b[\]_][^\x07\x1b]*(?:\x07|\x1b\\)/g;
const ascii = /^[\x20-\x7e]*$/;
const visibleWidth = (s) => { s = String(s); const p = s.includes("\x1b") ? s.replace(sequences, "") : s; return ascii.test(p) ? p.length : call("sys.width", { text: p }); };
const truncateToWidth = (s, width, ellipsis = "...", pad = false) => {
	s = String(s); width = Math.max(0, Math.floor(width));
	const w = visibleWidth(s);
	let out = s;
	if (w > width) out = !s.includes("\x1b") && ascii.test(s) && ascii.test(ellipsis) ? s.slice(0, Math.max(0, width - ellipsis.length)) + ellipsis.slice(0, width) : text("sys.truncate", { text: s, width, ellipsis });
	return pad ? out + " ".repeat(Math.max(0, width - visibleWidth(out))) : out;
};
const sliceByColumn = (s, start, n) => (!s.includes("\x1b") && ascii.test(s) ? s.slice(start, start + n) : text("sys.slice", { text: s, start, width: n }));
const wrapTextWithAnsi = (s, width) => { s = String(s ?? ""); if (!s) return [""]; if (!s.includes("\n") && visibleWidth(s) <= width) return [s]; return call("sys.wrap", { text: s, width: Math.max(1, width) }); };
const padTo = (s, width) => s + " ".repeat(Math.max(0, width - visibleWidth(s)));

// ---------------------------------------------------------------- keys
const mods = (m) => (k) => `${m}+${k}`;
const Key = {
	escape: "escape", esc: "esc", enter: "enter", return: "return", tab: "tab", space: "space", backspace: "backspace", delete: "delete", insert: "insert", clear: "clear", home: "home", end: "end", pageUp: "pageUp", pageDown: "pageDown", up: "up", down: "down", left: "left", right: "right",
	...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i + 1}`, `f${i + 1}`])),
	backtick: "`", hyphen: "-", equals: "=", leftbracket: "[", rightbracket: "]", backslash: "\\", semicolon: ";", quote: "'", comma: ",", period: ".", slash: "/",
	ctrl: mods("ctrl"), shift: mods("shift"), alt: mods("alt"), super: mods("super"), ctrlShift: mods("ctrl+shift"), shiftCtrl: mods("shift+ctrl"), ctrlAlt: mods("ctrl+alt"), altCtrl: mods("alt+ctrl"), shiftAlt: mods("shift+alt"), altShift: mods("alt+shift"), ctrlShiftAlt: mods("ctrl+shift+alt"),
};
const common = { "\x1b": ["escape", "esc"], "\r": ["enter", "return"], "\n": ["enter", "return"], "\t": ["tab"], "\x7f": ["backspace"], " ": ["space"], "\x1b[A": ["up"], "\x1b[B": ["down"], "\x1b[C": ["right"], "\x1b[D": ["left"], "\x1bOA": ["up"], "\x1bOB": ["down"], "\x1bOC": ["right"], "\x1bOD": ["left"], "\x1b[Z": ["shift+tab"], "\x1b[3~": ["delete"], "\x1b[H": ["home"], "\x1b[F": ["end"], "\x1b[5~": ["pageUp", "pageup"], "\x1b[6~": ["pageDown", "pagedown"] };
const matchesKey = (data, key) => {
	const c = common[data];
	if (c) return c.includes(key);
	if (data.length === 1) {
		const n = data.charCodeAt(0);
		if (n > 32 && n < 127) return data === key || (data >= "A" && data <= "Z" && key === `shift+${data.toLowerCase()}`);
		if (n > 0 && n < 27) return key === `ctrl+${String.fromCharCode(n + 96)}`;
	}
	return call("ui.matchKey", { data, key });
};
const parseKey = (data) => common[data]?.[0] ?? (data.length === 1 && data > " " && data <= "~" ? data : (call("ui.parseKey", { data }) ?? undefined));
const isKeyRelease = (data) => /^\x1b\[\d+(?::\d*)*;\d*:3[u~A-HPQS]$|^\x1b\[1;\d*:3[A-HPQS]$/.test(data);
const isKeyRepeat = (data) => /^\x1b\[\d+(?::\d*)*;\d*:2[u~A-HPQS]$|^\x1b\[1;\d*:2[A-HPQS]$/.test(data);
const printable = (data) => {
	if (/^[^\x00-\x1f\x7f]+$/u.test(data)) return data;
	const m = /^\x1b\[(\d+)(?::\d*)*(?:;(\d+)(?::(\d))?)?u$/.exec(data);
	if (!m || m[3] === "3" || (m[2] && (Number(m[2]) - 1) & ~1)) return undefined;
	const c = Number(m[1]);
	return c >= 32 && c !== 127 && !(c >= 57344 && c <= 63743) ? String.fromCodePoint(c) : undefined;
};

// ---------------------------------------------------------------- components
class Text {
	constructor(s = "", paddingX = 1, paddingY = 1, bg) { this.text = s; this.paddingX = paddingX; this.paddingY = paddingY; this.bg = bg; }
	setText(s) { if (s !== this.text) { this.text = s; this.cache = undefined; } }
	setCustomBgFn(f) { this.bg = f; this.cache = undefined; }
	setPaddingX(n) { this.paddingX = n; this.cache = undefined; }
	invalidate() { this.cache = undefined; }
	render(width) {
		if (this.cache?.width === width) return this.cache.lines;
		const s = String(this.text ?? ""), lines = [];
		if (s.trim()) {
			const pad = " ".repeat(this.paddingX), inner = Math.max(1, width - 2 * this.paddingX), put = (l) => { const line = padTo(pad + l + pad, width); lines.push(this.bg ? this.bg(line) : line); };
			for (let i = 0; i < this.paddingY; i++) put("");
			for (const l of wrapTextWithAnsi(s.replace(/\t/g, "   "), inner)) put(l);
			for (let i = 0; i < this.paddingY; i++) put("");
		}
		this.cache = { width, lines };
		return lines;
	}
}
class TruncatedText { constructor(s, paddingX = 0, paddingY = 0) { this.text = s; this.px = paddingX; this.py = paddingY; } setText(s) { this.text = s; } invalidate() {} render(width) { const pad = " ".repeat(this.px), blank = Array.from({ length: this.py }, () => " ".repeat(width)); return [...blank, padTo(pad + truncateToWidth(String(this.text).split("\n")[0], Math.max(1, width - 2 * this.px)) + pad, width), ...blank]; } }
class Container {
	constructor() { this.children = []; }
	addChild(c) { this.children.push(c); } removeChild(c) { const i = this.children.indexOf(c); if (i >= 0) this.children.splice(i, 1); } clear() { this.children = []; }
	invalidate() { for (const c of this.children) c.invalidate?.(); }
	render(width) { return this.children.flatMap((c) => [...c.render(width)]); }
}
class Box extends Container {
	constructor(paddingX = 1, paddingY = 1, bg) { super(); this.paddingX = paddingX; this.paddingY = paddingY; this.bg = bg; }
	setBgFn(f) { this.bg = f; } setPaddingX(n) { this.paddingX = n; }
	render(width) {
		const inner = Math.max(1, width - 2 * this.paddingX), pad = " ".repeat(this.paddingX), body = super.render(inner);
		if (!body.length) return [];
		const put = (l) => { const line = padTo(l, width); return this.bg ? this.bg(line) : line; }, blank = Array.from({ length: this.paddingY }, () => put(""));
		return [...blank, ...body.map((l) => put(pad + l)), ...blank];
	}
}
class VStack extends Container {}
class HStack extends Container { render(width) { const w = Math.floor(width / Math.max(1, this.children.length)), cols = this.children.map((c) => c.render(w)); const n = Math.max(0, ...cols.map((c) => c.length)); return Array.from({ length: n }, (_, i) => cols.map((c) => padTo(c[i] ?? "", w)).join("")); } }
class Spacer { constructor(lines = 1) { this.lines = lines; } setLines(n) { this.lines = n; } invalidate() {} render() { return Array.from({ length: this.lines }, () => ""); } }
class Markdown {
	constructor(s = "", paddingX = 1, paddingY = 1, theme, style) { this.text = s; this.paddingX = paddingX; this.paddingY = paddingY; this.theme = theme; this.style = style; }
	setText(s) { this.text = s; this.cache = undefined; } invalidate() { this.cache = undefined; }
	render(width) {
		if (this.cache?.width === width) return this.cache.lines;
		const pad = " ".repeat(this.paddingX), body = String(this.text ?? "").trim() ? call("sys.markdown", { text: String(this.text), width: Math.max(1, width - 2 * this.paddingX) }) : [];
		const style = (l) => { const bg = this.style?.bgColor, line = padTo(pad + (this.style?.color ? this.style.color(l) : l), width); return bg ? bg(line) : line; };
		const blank = body.length ? Array.from({ length: this.paddingY }, () => style("")) : [];
		const lines = [...blank, ...body.map(style), ...blank];
		this.cache = { width, lines };
		return lines;
	}
}
class SelectList {
	capturesViewportInput = true;
	constructor(items, maxVisible = 5, theme, layout = {}) { this.items = items; this.filtered = items; this.selected = 0; this.maxVisible = maxVisible; this.theme = theme ?? require("theme").selectListTheme(); this.layout = layout; }
	setFilter(f) { const q = f.toLowerCase(); this.filtered = this.items.filter((i) => i.value.toLowerCase().startsWith(q)); this.selected = 0; }
	setSelectedIndex(i) { this.selected = Math.max(0, Math.min(i, this.filtered.length - 1)); }
	getSelectedItem() { return this.filtered[this.selected] ?? null; }
	invalidate() {}
	render(width) {
		const th = this.theme, n = this.filtered.length;
		if (!n) return [th.noMatch("  nothing matches")];
		const from = Math.max(0, Math.min(this.selected - Math.floor(this.maxVisible / 2), n - this.maxVisible)), to = Math.min(n, from + this.maxVisible);
		const col = Math.min(this.layout.maxPrimaryColumnWidth ?? 32, Math.max(this.layout.minPrimaryColumnWidth ?? 12, ...this.filtered.map((i) => visibleWidth(i.label || i.value) + 2)));
		const lines = [];
		for (let i = from; i < to; i++) {
			const it = this.filtered[i], on = i === this.selected, prefix = on ? "→ " : "  ", label = it.label || it.value;
			const desc = it.description?.replace(/[\r\n]+/g, " ").trim();
			if (desc && width > 40) {
				const name = padTo(truncateToWidth(label, col - 2, ""), col), rest = truncateToWidth(desc, Math.max(0, width - 2 - col - 2), "");
				lines.push(on ? th.selectedText(prefix + name + rest) : prefix + name + th.description(rest));
			} else { const l = prefix + truncateToWidth(label, Math.max(1, width - 4), ""); lines.push(on ? th.selectedText(l) : l); }
		}
		if (n > this.maxVisible) lines.push(th.scrollInfo(truncateToWidth(`  (${this.selected + 1}/${n})`, width, "")));
		return lines;
	}
	handleInput(data) {
		const n = this.filtered.length, move = (i) => { this.selected = i; const it = this.getSelectedItem(); if (it) this.onSelectionChange?.(it); };
		if (matchesKey(data, "up")) { if (n) move((this.selected + n - 1) % n); }
		else if (matchesKey(data, "down")) { if (n) move((this.selected + 1) % n); }
		else if (matchesKey(data, "pageUp")) move(Math.max(0, this.selected - this.maxVisible));
		else if (matchesKey(data, "pageDown")) move(Math.max(0, Math.min(n - 1, this.selected + this.maxVisible)));
		else if (matchesKey(data, "enter")) { const it = this.getSelectedItem(); if (it) this.onSelect?.(it); }
		else if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) this.onCancel?.();
	}
}
class SettingsList {
	capturesViewportInput = true;
	constructor(items, maxVisible, theme, onChange, onCancel, o = {}) { Object.assign(this, { items, maxVisible, theme, onChange, onCancel, selected: 0, query: "" }); this.search = !!o.enableSearch; }
	updateValue(id, v) { const it = this.items.find((i) => i.id === id); if (it) it.currentValue = v; }
	selectItem(id) { const i = this.#shown().findIndex((x) => x.id === id); if (i >= 0) this.selected = i; }
	invalidate() { this.sub?.invalidate?.(); }
	#shown() { return this.query ? fuzzyFilter(this.items, this.query, (i) => i.label) : this.items; }
	render(width) {
		if (this.sub) return this.sub.render(width);
		const th = this.theme, items = this.#shown(), n = items.length, lines = [];
		if (this.search) lines.push(`> ${this.query}${renderFakeCursor(" ")}`, "");
		const from = Math.max(0, Math.min(this.selected - Math.floor(this.maxVisible / 2), n - this.maxVisible)), to = Math.min(n, from + this.maxVisible), col = Math.min(30, Math.max(0, ...this.items.map((i) => visibleWidth(i.label))));
		for (let i = from; i < to; i++) { const it = items[i], on = i === this.selected; lines.push(truncateToWidth((on ? th.cursor : "  ") + th.label(padTo(it.label, col), on) + "  " + th.value(truncateToWidth(String(it.currentValue), Math.max(1, width - col - 6), ""), on), width)); }
		if (n > this.maxVisible) lines.push(th.hint(`  (${this.selected + 1}/${n})`));
		const d = items[this.selected]?.description;
		if (d) lines.push("", ...wrapTextWithAnsi(d, Math.max(1, width - 4)).map((l) => th.description("  " + l)));
		lines.push("", truncateToWidth(th.hint("  ↵ changes · esc closes"), width));
		return lines;
	}
	handleInput(data) {
		if (this.sub) { this.sub.handleInput?.(data); return; }
		const items = this.#shown(), n = items.length, it = items[this.selected];
		if (matchesKey(data, "up")) this.selected = n ? (this.selected + n - 1) % n : 0;
		else if (matchesKey(data, "down")) this.selected = n ? (this.selected + 1) % n : 0;
		else if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) this.onCancel();
		else if (matchesKey(data, "enter") || (data === " " && !this.query)) {
			if (it?.submenu) this.sub = it.submenu(it.currentValue, (v) => { this.sub = undefined; if (v !== undefined) { it.currentValue = v; this.onChange(it.id, v); } });
			else if (it?.values?.length) { it.currentValue = it.values[(it.values.indexOf(it.currentValue) + 1) % it.values.length]; this.onChange(it.id, it.currentValue); }
		} else if (this.search) { if (matchesKey(data, "backspace")) this.query = this.query.slice(0, -1); else if (printable(data)) this.query += printable(data); this.selected = 0; }
	}
}
class Input {
	focused = false;
	constructor(o = {}) { this.value = ""; this.cursor = 0; this.prompt = o.prompt ?? "> "; this.placeholder = o.placeholder ?? ""; this.style = o.placeholderStyle ?? ((s) => s); }
	getValue() { return this.value; } setValue(v) { this.value = v; this.cursor = Math.min(this.cursor, v.length); } invalidate() {}
	#insert(s) { this.value = this.value.slice(0, this.cursor) + s + this.value.slice(this.cursor); this.cursor += s.length; }
	#left() { const c = [...this.value.slice(0, this.cursor)].at(-1); return this.cursor - (c?.length ?? 0); }
	#right() { const c = [...this.value.slice(this.cursor)][0]; return this.cursor + (c?.length ?? 0); }
	handleInput(data) {
		const paste = /^\x1b\[200~([\s\S]*)\x1b\[201~$/.exec(data);
		const wordLeft = () => this.value.slice(0, this.cursor).replace(/\s*\S+\s*$/, "").length;
		const cut = (a, b) => { this.value = this.value.slice(0, a) + this.value.slice(b); this.cursor = a; };
		if (paste) this.#insert(paste[1].replace(/[\r\n]+/g, " "));
		else if (matchesKey(data, "enter")) this.onSubmit?.(this.value);
		else if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) this.onEscape?.();
		else if (matchesKey(data, "backspace") || matchesKey(data, "ctrl+h")) cut(this.#left(), this.cursor);
		else if (matchesKey(data, "delete") || matchesKey(data, "ctrl+d")) { const c = this.cursor; this.value = this.value.slice(0, c) + this.value.slice(this.#right()); }
		else if (matchesKey(data, "left") || matchesKey(data, "ctrl+b")) this.cursor = this.#left();
		else if (matchesKey(data, "right") || matchesKey(data, "ctrl+f")) this.cursor = this.#right();
		else if (matchesKey(data, "home") || matchesKey(data, "ctrl+a")) this.cursor = 0;
		else if (matchesKey(data, "end") || matchesKey(data, "ctrl+e")) this.cursor = this.value.length;
		else if (matchesKey(data, "ctrl+u")) cut(0, this.cursor);
		else if (matchesKey(data, "ctrl+k")) this.value = this.value.slice(0, this.cursor);
		else if (matchesKey(data, "ctrl+w") || matchesKey(data, "alt+backspace")) cut(wordLeft(), this.cursor);
		else { const s = printable(data); if (s) this.#insert(s); }
	}
	render(width) {
		const room = Math.max(1, width - visibleWidth(this.prompt) - 1), mark = this.focused ? CURSOR_MARKER : "";
		if (!this.value && this.placeholder) return [padTo(this.prompt + mark + renderFakeCursor(this.placeholder[0]) + this.style(truncateToWidth(this.placeholder.slice(1), room - 1, "")), width)];
		let from = 0;
		while (visibleWidth(this.value.slice(from, this.cursor)) > room) from++;
		const at = [...this.value.slice(this.cursor)][0] ?? " ", after = sliceByColumn(this.value.slice(this.cursor + (this.cursor < this.value.length ? at.length : 0)), 0, Math.max(0, room - visibleWidth(this.value.slice(from, this.cursor))));
		return [padTo(this.prompt + this.value.slice(from, this.cursor) + mark + renderFakeCursor(at) + after, width)];
	}
}
/** A text of several lines in a frame. */
class Editor {
	focused = false; disableSubmit = false;
	constructor(tui, theme, o = {}) { this.tui = tui; this.theme = theme ?? require("theme").editorTheme(); this.borderColor = this.theme.borderColor; this.lines = [""]; this.row = 0; this.col = 0; this.history = []; this.paddingX = o.paddingX ?? 0; this.undo = []; }
	getText() { return this.lines.join("\n"); } getExpandedText() { return this.getText(); } getLines() { return [...this.lines]; } getCursor() { return { line: this.row, col: this.col }; }
	setText(s) { this.lines = String(s).replace(/\r\n?/g, "\n").split("\n"); this.row = this.lines.length - 1; this.col = this.lines[this.row].length; this.#changed(); }
	addToHistory(s) { this.history.unshift(s); } setAutocompleteProvider(p) { this.provider = p; } setPaddingX(n) { this.paddingX = n; } getPaddingX() { return this.paddingX; } isShowingAutocomplete() { return false; } invalidate() {}
	insertTextAtCursor(s) { this.#insert(s); }
	#changed() { this.onChange?.(this.getText()); }
	#insert(s) { const parts = s.replace(/\r\n?/g, "\n").split("\n"), l = this.lines[this.row], head = l.slice(0, this.col), tail = l.slice(this.col); parts[0] = head + parts[0]; const n = parts.at(-1).length; parts[parts.length - 1] += tail; this.lines.splice(this.row, 1, ...parts); this.row += parts.length - 1; this.col = n; this.#changed(); }
	handleInput(data) {
		const l = () => this.lines[this.row], paste = /^\x1b\[200~([\s\S]*)\x1b\[201~$/.exec(data);
		if (paste) this.#insert(paste[1]);
		else if (matchesKey(data, "shift+enter") || matchesKey(data, "alt+enter") || data === "\x1b\r" || matchesKey(data, "ctrl+j")) this.#insert("\n");
		else if (matchesKey(data, "enter")) { if (!this.disableSubmit) { const s = this.getText().trim(); this.lines = [""]; this.row = this.col = 0; this.#changed(); this.onSubmit?.(s); } }
		else if (matchesKey(data, "backspace")) { if (this.col > 0) { const c = [...l().slice(0, this.col)].at(-1).length; this.lines[this.row] = l().slice(0, this.col - c) + l().slice(this.col); this.col -= c; } else if (this.row > 0) { this.col = this.lines[this.row - 1].length; this.lines.splice(this.row - 1, 2, this.lines[this.row - 1] + l()); this.row--; } this.#changed(); }
		else if (matchesKey(data, "delete")) { if (this.col < l().length) this.lines[this.row] = l().slice(0, this.col) + l().slice(this.col + [...l().slice(this.col)][0].length); else if (this.row + 1 < this.lines.length) this.lines.splice(this.row, 2, l() + this.lines[this.row + 1]); this.#changed(); }
		else if (matchesKey(data, "left") || matchesKey(data, "ctrl+b")) { if (this.col > 0) this.col -= [...l().slice(0, this.col)].at(-1).length; else if (this.row > 0) { this.row--; this.col = l().length; } }
		else if (matchesKey(data, "right") || matchesKey(data, "ctrl+f")) { if (this.col < l().length) this.col += [...l().slice(this.col)][0].length; else if (this.row + 1 < this.lines.length) { this.row++; this.col = 0; } }
		else if (matchesKey(data, "up")) { if (this.row > 0) { this.row--; this.col = Math.min(this.col, l().length); } else this.col = 0; }
		else if (matchesKey(data, "down")) { if (this.row + 1 < this.lines.length) { this.row++; this.col = Math.min(this.col, l().length); } else this.col = l().length; }
		else if (matchesKey(data, "home") || matchesKey(data, "ctrl+a")) this.col = 0;
		else if (matchesKey(data, "end") || matchesKey(data, "ctrl+e")) this.col = l().length;
		else if (matchesKey(data, "ctrl+u")) { this.lines[this.row] = l().slice(this.col); this.col = 0; this.#changed(); }
		else if (matchesKey(data, "ctrl+k")) { this.lines[this.row] = l().slice(0, this.col); this.#changed(); }
		else if (matchesKey(data, "ctrl+w")) { const n = l().slice(0, this.col).replace(/\s*\S+\s*$/, "").length; this.lines[this.row] = l().slice(0, n) + l().slice(this.col); this.col = n; this.#changed(); }
		else { const s = printable(data); if (s) this.#insert(s); }
	}
	render(width) {
		const inner = Math.max(1, width - 2 * this.paddingX), rule = this.borderColor("─".repeat(width)), out = [rule];
		this.lines.forEach((l, i) => {
			let s = l;
			if (i === this.row) { const at = [...l.slice(this.col)][0] ?? " "; s = l.slice(0, this.col) + (this.focused ? CURSOR_MARKER : "") + renderFakeCursor(at) + l.slice(this.col + (this.col < l.length ? at.length : 0)); }
			for (const part of wrapTextWithAnsi(s, inner)) out.push(padTo(" ".repeat(this.paddingX) + part, width));
		});
		out.push(rule);
		return out;
	}
}
class Loader extends Text {
	constructor(ui, spinner, message, label = "Loading...", indicator) { super("", 1, 0); Object.assign(this, { ui, spinner, style: message, message: label, frames: indicator?.frames ?? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"], ms: indicator?.intervalMs ?? 80, frame: 0 }); this.start(); }
	#update() { this.setText(`${this.frames.length ? this.spinner(this.frames[this.frame % this.frames.length]) + " " : ""}${this.style(this.message)}`); }
	start() { this.stop(); this.#update(); if (this.frames.length > 1) this.timer = setInterval(() => { this.frame++; this.#update(); this.ui?.requestRender?.(); }, this.ms); }
	stop() { clearInterval(this.timer); this.timer = undefined; }
	setMessage(m) { this.message = m; this.#update(); } setIndicator(o) { this.frames = o?.frames ?? this.frames; this.start(); }
	render(width) { return ["", ...super.render(width)]; } dispose() { this.stop(); }
}
class CancellableLoader extends Loader {
	#abort = new AbortController();
	get signal() { return this.#abort.signal; } get aborted() { return this.#abort.signal.aborted; }
	handleInput(data) { if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) { this.#abort.abort(); this.onAbort?.(); } }
}
class Image { constructor() {} invalidate() {} render() { return ["[image]"]; } }
class ScrollView extends Container { constructor(c) { super(); if (c?.render) this.addChild(c); } scrollToEnd() {} }

// ---------------------------------------------------------------- matching as one types
const fuzzyMatch = (query, s) => {
	const q = query.toLowerCase(), t = s.toLowerCase();
	let score = 0, at = -1, run = 0;
	for (const c of q) {
		const i = t.indexOf(c, at + 1);
		if (i < 0) return { matches: false, score: 0 };
		run = i === at + 1 ? run + 1 : 0;
		score += (i - at - 1) * 2 - run * 5 - (i === 0 || /[\s\-_./:]/.test(t[i - 1]) ? 10 : 0);
		at = i;
	}
	return { matches: true, score: score + at * 0.1 };
};
const fuzzyFilter = (items, query, getText) => {
	const words = query.trim().split(/\s+/).filter(Boolean);
	if (!words.length) return items;
	return items.map((item) => { let total = 0; for (const w of words) { const m = fuzzyMatch(w, getText(item)); if (!m.matches) return undefined; total += m.score; } return { item, total }; }).filter(Boolean).sort((a, b) => a.total - b.total).map((x) => x.item);
};
class CombinedAutocompleteProvider { constructor(commands = [], base = "") { this.commands = commands; this.base = base; } async getSuggestions() { return null; } applyCompletion(lines, line, col, item, prefix) { const l = lines[line], out = [...lines]; out[line] = l.slice(0, col - prefix.length) + item.value + l.slice(col); return { lines: out, cursorLine: line, cursorCol: col - prefix.length + item.value.length }; } }

module.exports = {
	CURSOR_MARKER, renderFakeCursor, visibleWidth, truncateToWidth, sliceByColumn, wrapTextWithAnsi, Key, matchesKey, parseKey, isKeyRelease, isKeyRepeat, decodePrintableKey: printable, Text, TruncatedText, Container, Box, VStack, HStack, Spacer, Markdown, SelectList, SettingsList, Input, Editor, Loader, CancellableLoader, Image, ScrollView,
	fuzzyMatch, fuzzyFilter, CombinedAutocompleteProvider, isFocusable: (c) => !!c && "focused" in c, isViewportTUI: () => false, hyperlink: (s, url) => `\x1b]8;;${url}\x1b\\${s}\x1b]8;;\x1b\\`, getCapabilities: () => ({ images: null, trueColor: true, hyperlinks: false }), setKittyProtocolActive() {}, isKittyProtocolActive: () => false, getKeybindings: () => require("keybindings").manager, imageFallback: () => "[image]", allocateImageId: () => 1, getImageDimensions: () => null,
};
