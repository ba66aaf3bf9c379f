// Components: what an extension draws. The program knows each by a number.
"use strict";
const { call, callAsync } = tau;
let next = 0;
const all = new Map();
const inputs = new Set();
const makeTui = (view) => ({
	requestRender: () => { call("ui.redraw", { view: view.id }); }, terminal: { get columns() { return call("ui.size")?.columns ?? 80; }, get rows() { return call("ui.size")?.rows ?? 24; }, write: (s) => call("ui.write", { data: s }) },
	setFocus() {}, addChild() {}, removeChild() {}, invalidate() {}, start() { }, stop() { }, showOverlay: (c) => { const v = put(c); return handleOf(v); }, hideOverlay() {}, hasOverlay: () => false, onDebug: undefined, children: [],
	addInputListener: (f) => onInput(f), getShowHardwareCursor: () => false, setShowHardwareCursor() {}, getClearOnShrink: () => false, setClearOnShrink() {}, get mode() { return "regular"; },
});
const put = (component) => { const v = { id: ++next, component }; all.set(v.id, v); return v; };
const handleOf = (v) => ({ hide() { call("ui.close", { view: v.id }); }, setHidden(hidden) { v.hidden = hidden; call("ui.overlayHidden", { view: v.id, hidden }); }, isHidden: () => !!v.hidden, focus() { call("ui.overlayHidden", { view: v.id, hidden: false }); }, unfocus() {}, isFocused: () => !v.hidden });
/** Makes a component with a factory and returns its number. */
const add = (factory) => { const v = put(undefined); v.tui = makeTui(v); v.component = factory(v.tui); return v.id; };
const custom = (factory, o = {}) => new Promise((resolve, reject) => {
	const v = put(undefined);
	v.tui = makeTui(v);
	let over = false;
	const done = (result) => {
		if (over) return;
		over = true;
		call("ui.close", { view: v.id });
		resolve(result);
	};
	const show = (component) => {
		v.component = component;
		if (over) { component?.dispose?.(); all.delete(v.id); return; }
		let options = o.overlayOptions;
		if (typeof options === "function") options = options();
		o.onHandle?.(handleOf(v));
		callAsync("ui.custom", { view: v.id, overlay: !!o.overlay, options: options && JSON.parse(JSON.stringify(options)), title: o.blocked?.message })
			.then(() => { v.component?.dispose?.(); all.delete(v.id); if (!over) { over = true; resolve(undefined); } }, (e) => { all.delete(v.id); if (!over) { over = true; reject(e); } });
	};
	try {
		const c = factory(v.tui, require("theme").current(), require("keybindings").manager, done);
		if (typeof c?.then === "function") c.then(show, reject); else show(c);
	} catch (e) { reject(e); }
});
const onInput = (f) => { inputs.add(f); if (inputs.size === 1) call("ui.listenInput", { on: true }); return () => { inputs.delete(f); if (!inputs.size) call("ui.listenInput", { on: false }); }; };

// Cards of tools keep state between calls, as their renderers expect.
const cards = new Map();
const mountTool = ({ slot, name, value }) => {
	const { resolvers, tools } = require("api");
	const pick = (i) => (i < resolvers.length ? resolvers[i](name, () => pick(i + 1)) : tools.get(name));
	const r = pick(0);
	const draw = slot === "call" ? r?.renderCall : r?.renderResult;
	if (typeof draw !== "function") return undefined;
	let card = cards.get(value.toolCallId);
	if (!card) { card = { state: {}, last: {} }; cards.set(value.toolCallId, card); if (cards.size > 400) cards.delete(cards.keys().next().value); }
	const kb = require("keybindings");
	const ctx = {
		args: value.args ?? {}, toolCallId: value.toolCallId, invalidate: () => { const v = card.last[slot + "View"]; if (v) call("ui.redraw", { view: v }); }, lastComponent: card.last[slot], state: card.state, cwd: tau.state().cwd,
		executionStarted: !!value.executionStarted, argsComplete: !!value.argsComplete, isPartial: !!value.isPartial, expanded: !!value.expanded, showImages: false, isError: !!value.isError, durationMs: value.durationMs, outputPad: 1, keyText: kb.keyText, keyHint: kb.keyHint,
	};
	const th = require("theme").current();
	const c = slot === "call" ? draw.call(r, value.args ?? {}, th, ctx) : draw.call(r, value.result ?? { content: [] }, { expanded: ctx.expanded, isPartial: ctx.isPartial }, th, ctx);
	card.last[slot] = c;
	return c;
};
const lines = (v, width) => {
	const out = v.component?.render?.(width);
	if (!Array.isArray(out)) return [];
	return out.flatMap((l) => String(l).split("\n"));
};
const methods = {
	render: ({ id, width }) => { const v = all.get(id); return v ? lines(v, width) : []; },
	input: ({ id, data }) => { const v = all.get(id); if (!v?.component?.handleInput) return; const { isKeyRelease } = require("pi-tui"); if (isKeyRelease(data) && !v.component.wantsKeyRelease) return; v.component.handleInput(data); },
	dispose: ({ id }) => { const v = all.get(id); all.delete(id); v?.component?.dispose?.(); },
	mount: (p) => {
		let component;
		if (p.kind === "tool") component = mountTool(p);
		else {
			const kb = require("keybindings");
			const f = require("api").renderers[p.kind]?.get(p.name);
			component = f?.(p.value, { ...p.options, keyText: kb.keyText, keyHint: kb.keyHint }, require("theme").current());
		}
		if (!component) return { id: 0 };
		const v = put(component);
		v.tui = makeTui(v);
		return { id: v.id };
	},
};
const notice = (what, id, data) => {
	const v = all.get(id);
	if (what === "input") { let s = data; for (const f of [...inputs]) { const r = f(s); if (r?.consume) return { consume: true }; if (r?.data !== undefined) s = r.data; } return { data: s }; }
	if (what === "focus" && v?.component && "focused" in v.component) v.component.focused = data;
	if (what === "invalidate") v?.component?.invalidate?.();
	if (what === "editor") return v?.component?.[data.method]?.(...(data.args ?? []));
	return undefined;
};
module.exports = { add, put, custom, onInput, methods, notice, all, render: methods.render, input: methods.input, dispose: methods.dispose, mount: methods.mount };
