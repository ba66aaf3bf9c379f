// The API that an extension's function is called with, and the context of its handlers.
"use strict";
const { call, callAsync, keep, listeners } = tau;
const views = () => require("views");
const commands = new Map(), tools = new Map(), shortcuts = new Map(), flags = new Map();
const renderers = { message: new Map(), entry: new Map() }, resolvers = [];
const providers = new Map(), virtual = new Map();
let transformer;
const bus = new Map();

/** Calls the program and tells of a failure where nobody waits for the answer. */
const fire = (method, params) => { callAsync(method, params).catch((e) => tau.problem(method, e)); };

// ---------------------------------------------------------------- the user
const dialog = (o = {}) => ({ timeout: o.timeout });
const themeOf = () => require("theme").current();
const ui = {
	select: async (title, options, o) => (await callAsync("ui.select", { title, options, ...dialog(o) }, o?.signal).catch(cancelled)) ?? undefined,
	confirm: async (title, message, o) => (await callAsync("ui.confirm", { title, message: message ?? "", ...dialog(o) }, o?.signal).catch(cancelled)) ?? false,
	input: async (title, placeholder, o) => (await callAsync("ui.input", { title, placeholder, ...dialog(o) }, o?.signal).catch(cancelled)) ?? undefined,
	editor: async (title, prefill) => (await callAsync("ui.editor", { title, prefill: prefill ?? "" })) ?? undefined,
	notify: (message, kind) => { call("ui.notify", { message: String(message), kind }); },
	setStatus: (key, text) => { if (text === undefined || text === null) statuses.delete(key); else statuses.set(key, text); call("ui.setStatus", { key, text: text ?? null }); },
	setTitle: (title) => { call("ui.setTitle", { title }); },
	setEditorText: (text) => { call("ui.setEditorText", { text }); },
	getEditorText: () => call("ui.editorText") ?? "",
	pasteToEditor: (text) => { call("ui.paste", { text }); },
	setWorkingMessage: (text) => { call("ui.setWorkingMessage", { text: text ?? null }); },
	setWorkingVisible: (visible) => { call("ui.setWorkingVisible", { visible }); },
	setWorkingIndicator: (o) => { call("ui.setWorkingIndicator", { frames: o ? (o.frames ?? null) : null, intervalMs: o?.intervalMs ?? 0 }); },
	setHiddenThinkingLabel: (text) => { call("ui.setHiddenThinkingLabel", { text: text ?? null }); },
	setWidget: (key, content, o) => {
		const placement = o?.placement;
		if (typeof content === "function") { if (tau.mode() === "tui") call("ui.setWidget", { key, view: views().add((t) => content(t, themeOf())), placement }); return; }
		call("ui.setWidget", { key, lines: content ?? null, placement });
	},
	setFooter: (f) => { if (tau.mode() === "tui") call("ui.setFooter", { view: f ? views().add((t) => f(t, themeOf(), require("footer").data)) : 0 }); },
	setHeader: (f) => { if (tau.mode() === "tui") call("ui.setHeader", { view: f ? views().add((t) => f(t, themeOf())) : 0 }); },
	custom: (factory, o) => (tau.mode() === "tui" ? views().custom(factory, o) : Promise.resolve(undefined)),
	setEditorComponent: (f) => { editorFactory = f; if (tau.mode() === "tui") call("ui.setEditor", { view: f ? views().add((t) => f(t, require("theme").editorTheme(), require("keybindings").manager)) : 0 }); },
	getEditorComponent: () => editorFactory,
	addAutocompleteProvider: (f) => { if (tau.mode() === "tui") require("autocomplete").add(f); },
	onTerminalInput: (f) => (tau.mode() === "tui" ? views().onInput(f) : () => {}),
	get theme() { return themeOf(); },
	getAllThemes: () => call("ui.themes") ?? [],
	getTheme: (name) => require("theme").named(name),
	setTheme: (t) => (tau.mode() === "tui" ? call("ui.setTheme", { name: typeof t === "string" ? t : t.name }) : { success: false, error: "UI not available" }),
	getToolsExpanded: () => call("ui.toolsExpanded") ?? false,
	setToolsExpanded: (expanded) => { call("ui.setToolsExpanded", { expanded }); },
};
let editorFactory;
const statuses = new Map(); // of this extension
const cancelled = (e) => { if (e?.name === "AbortError" || e?.code === "ABORT_ERR") return undefined; throw e; };

// ---------------------------------------------------------------- the session
const sessionManager = {
	getEntries: () => call("session.entries"), getBranch: (id) => call("session.branch", { id }), getEntry: (id) => call("session.entry", { id }) ?? undefined,
	getLeafId: () => call("session.leaf") ?? null, getLeafEntry: () => { const id = call("session.leaf"); return id ? call("session.entry", { id }) : undefined; },
	getLabel: (id) => call("session.label", { id }) ?? undefined, getSessionFile: () => call("session.info").file ?? undefined, getSessionId: () => call("session.info").id,
	getSessionDir: () => call("session.info").dir, getCwd: () => call("session.info").cwd, getHeader: () => call("session.info").header, getSessionName: () => call("session.info").name ?? undefined,
	buildSessionContext: () => call("session.context"), isPersisted: () => !!call("session.info").file,
	getChildren: (id) => call("session.entries").filter((e) => e.parentId === id),
	getTree: () => {
		const nodes = new Map(), roots = [];
		for (const entry of call("session.entries")) nodes.set(entry.id, { entry, children: [], label: sessionManager.getLabel(entry.id) });
		for (const n of nodes.values()) (nodes.get(n.entry.parentId)?.children ?? roots).push(n);
		return roots;
	},
};
const modelOf = (m) => (m ? { ...m } : undefined);
const modelRegistry = {
	find: (provider, id) => modelOf(call("models.find", { provider, id })), getAll: () => call("models.all"), getAvailable: () => call("models.available"), getModels: () => call("models.available"),
	findOfType: (type, provider, id) => (type === "chat" ? modelRegistry.find(provider, id) : undefined),
	hasConfiguredAuth: (m) => call("models.ready", { provider: m.provider, id: m.id }), isUsingOAuth: () => false, refresh: async () => {}, getError: () => undefined,
	getApiKey: async (m) => (await callAsync("models.auth", { provider: m.provider, id: m.id })).apiKey,
	getApiKeyForProvider: async (provider) => { const m = call("models.all").find((x) => x.provider === provider); return m ? modelRegistry.getApiKey(m) : undefined; },
	getApiKeyAndHeaders: (m) => callAsync("models.auth", { provider: m.provider, id: m.id }),
	getRequestAuth: (m) => callAsync("models.auth", { provider: m.provider, id: m.id }),
	complete: (model, context, o = {}) => require("pi-ai").complete(model, context, o),
	completeSimple: (model, context, o = {}) => require("pi-ai").complete(model, context, o),
	stream: (model, context, o = {}) => require("pi-ai").streamSimple(model, context, o),
	streamSimple: (model, context, o = {}) => require("pi-ai").streamSimple(model, context, o),
	classify: async () => ({ stopReason: "error", answers: {}, errorMessage: "there are no classifiers" }),
	getProviderDisplayName: (p) => p, registerProvider: (n, c) => api.registerProvider(n, c), unregisterProvider: (n) => api.unregisterProvider(n),
};

/** What handlers get. It is made for each call, so that it costs next to nothing. */
class Context {
	constructor(signal) { this._signal = signal; }
	get ui() { return ui; } get sessionManager() { return sessionManager; } get modelRegistry() { return modelRegistry; }
	get mode() { return tau.state().mode; } get hasUI() { return tau.state().hasUI; } get cwd() { return tau.state().cwd; }
	get model() { return modelOf(call("model")); } get thinkingLevel() { return call("getThinkingLevel"); }
	get scopedModels() { return call("models.scoped").map((model) => ({ model })); }
	get signal() { return call("state").idle ? undefined : typeof this._signal === "function" ? this._signal() : this._signal; }
	get isIdle() { return isIdle; } get isProjectTrusted() { return isProjectTrusted; } get hasPendingMessages() { return hasPendingMessages; } get abort() { return abort; }
	get shutdown() { return shutdown; } get getContextUsage() { return getContextUsage; } get getSystemPrompt() { return getSystemPrompt; } get compact() { return compact; }
}
// Handlers may take these out of their context.
const isIdle = () => call("state").idle, isProjectTrusted = () => call("state").trusted, hasPendingMessages = () => call("state").pending;
const abort = () => { call("abort"); }, shutdown = () => { call("shutdown"); }, getContextUsage = () => call("getContextUsage") ?? undefined, getSystemPrompt = () => call("getSystemPrompt");
const compact = (o = {}) => { callAsync("compact", { customInstructions: o.customInstructions }).then((r) => o.onComplete?.(r), (e) => { if (o.onError) o.onError(e); else tau.problem("compact", e); }); };
const context = (signal) => new Context(signal);
const commandContext = (signal) => {
	const replaced = (o) => { if (o?.withSession) return o.withSession(Object.assign(commandContext(), { sendMessage: async (m, x) => api.sendMessage(m, x), sendUserMessage: async (m, x) => api.sendUserMessage(m, x) })); };
	const extra = {
		getSystemPromptOptions: () => call("getSystemPromptOptions"),
		waitForIdle: () => callAsync("waitForIdle"),
		newSession: async (o = {}) => {
			const setup = [];
			if (o.setup) await o.setup({ appendMessage: (message) => { setup.push({ type: "message", message }); return ""; }, appendCustomEntry: (customType, data) => { setup.push({ type: "custom", customType, data }); return ""; }, appendCustomMessageEntry: (customType, content, display, details) => { setup.push({ type: "custom_message", customType, content, display, details }); return ""; }, appendSessionInfo: (name) => { setup.push({ type: "session_info", name }); return ""; } });
			const r = await callAsync("newSession", { parentSession: o.parentSession, setup });
			if (!r.cancelled) await replaced(o);
			return r;
		},
		fork: async (entryId, o = {}) => { const r = await callAsync("fork", { entryId, position: o.position ?? "before" }); if (!r.cancelled) await replaced(o); return r; },
		navigateTree: (targetId, o = {}) => callAsync("navigateTree", { targetId, summarize: !!o.summarize, customInstructions: o.customInstructions, label: o.label }),
		switchSession: async (path, o = {}) => { const r = await callAsync("switchSession", { path }); if (!r.cancelled) await replaced(o); return r; },
		reload: () => callAsync("reload"),
	};
	return Object.defineProperties(context(signal), Object.getOwnPropertyDescriptors(extra));
};

// ---------------------------------------------------------------- the API
const schemaOf = (s) => (s === undefined ? undefined : JSON.parse(JSON.stringify(s)));
const api = {
	on: (event, f) => { const handler = keep(f); try { call("on", { event, handler }); } catch (e) { listeners.delete(handler); throw e; } return () => { listeners.delete(handler); call("off", { handler }); }; },
	registerTool: (t) => {
		tools.set(t.name, t);
		call("registerTool", {
			name: t.name, label: t.label ?? t.name, description: t.description ?? "", promptSnippet: t.promptSnippet, promptGuidelines: t.promptGuidelines, parameters: schemaOf(t.parameters),
			executionMode: t.executionMode, renderShell: t.renderShell, exposure: t.exposure, defaultActive: t.defaultActive, prepares: typeof t.prepareArguments === "function",
			rendersCall: typeof t.renderCall === "function", rendersResult: typeof t.renderResult === "function",
		});
	},
	registerCommand: (name, o) => { commands.set(name, o); call("registerCommand", { name, description: o.description ?? "", completes: typeof o.getArgumentCompletions === "function" }); },
	registerShortcut: (key, o) => { shortcuts.set(key, o); call("registerShortcut", { key, description: o.description ?? "" }); },
	registerFlag: (name, o) => { flags.set(name, o); call("registerFlag", { name, type: o.type, description: o.description ?? "", default: o.default }); },
	getFlag: (name) => call("getFlag", { name }) ?? undefined,
	registerMessageRenderer: (name, f) => { renderers.message.set(name, f); call("registerRenderer", { kind: "message", name }); },
	registerEntryRenderer: (name, f) => { renderers.entry.set(name, f); call("registerRenderer", { kind: "entry", name }); },
	registerToolRenderer: (f) => { resolvers.push(f); call("registerToolRenderer"); },
	registerMarkdownTransformer: (f, o = {}) => { transformer = f; call("registerMarkdownTransformer", { messageTypes: o.messageTypes }); },
	sendMessage: (message, options = {}) => { call("sendMessage", { message, options }); },
	sendUserMessage: (content, options = {}) => { call("sendUserMessage", { content, options }); },
	appendEntry: (customType, data) => call("appendEntry", { customType, data }),
	setSessionName: (name) => { call("setSessionName", { name }); },
	getSessionName: () => sessionManager.getSessionName(),
	setLabel: (entryId, label) => { call("setLabel", { entryId, label: label ?? "" }); },
	exec: (command, args = [], o = {}) => callAsync("exec", { command, args, cwd: o.cwd, timeout: o.timeout, maxBuffer: o.maxBuffer, env: o.env }, o.signal).catch((e) => { if (o.signal?.aborted) return { stdout: "", stderr: "", code: 1, killed: true, truncated: false }; throw e; }),
	getActiveTools: () => call("getActiveTools"), getAllTools: () => call("getAllTools"), setActiveTools: (names) => { call("setActiveTools", { names }); },
	getSettings: () => call("getSettings"), getCommands: () => call("getCommands"),
	setModel: async (m) => call("setModel", { provider: m.provider, id: m.id }),
	getThinkingLevel: () => call("getThinkingLevel"), setThinkingLevel: (level) => { call("setThinkingLevel", { level }); },
	registerProvider: (name, config) => {
		if (typeof name === "object") { config = name; name = config.id ?? config.name; }
		providers.set(name, config);
		const signsIn = require("oauth").signsIn(config), plain = JSON.parse(JSON.stringify(config));
		if (signsIn) delete plain.oauth; // it is nothing that the program could do itself
		call("registerProvider", { name, streams: typeof config.streamSimple === "function", signsIn, config: plain });
	},
	unregisterProvider: (name) => { providers.delete(name); call("unregisterProvider", { name }); },
	registerVirtualModel: (m) => { virtual.set(`${m.provider}/${m.id}`, m); call("registerVirtualModel", { model: JSON.parse(JSON.stringify(m)) }); },
	unregisterVirtualModel: (provider, id) => { virtual.delete(`${provider}/${id}`); call("unregisterVirtualModel", { provider, id }); },
	registerMcpServer: (name, config) => { call("registerMcpServer", { name, config }); }, unregisterMcpServer: (name) => { call("unregisterMcpServer", { name }); }, getMcpServers: () => call("getMcpServers"),
	events: {
		on: (channel, f) => { if (!bus.has(channel)) { bus.set(channel, new Set()); call("events.on", { channel }); } bus.get(channel).add(f); return () => { bus.get(channel)?.delete(f); }; },
		emit: (channel, data) => { receive(channel, data); call("events.emit", { channel, data }); },
	},
};
const receive = (channel, data) => {
	for (const f of [...(bus.get(channel) ?? [])]) {
		try { const r = f(data); if (typeof r?.catch === "function") r.catch((e) => tau.problem(`events:${channel}`, e)); } catch (e) { tau.problem(`events:${channel}`, e); }
	}
};

// ---------------------------------------------------------------- what the program calls
const methods = {
	tool: async ({ tool, toolCallId, params, update }, signal) => {
		const t = tools.get(tool);
		if (!t) throw new Error(`there is no tool ${tool}`);
		const ctx = context(signal);
		let n = 0;
		Object.defineProperties(ctx, Object.getOwnPropertyDescriptors({
			get tools() { return call("getAllTools"); },
			executeTool: (name, args, o = {}) => {
				const id = o.onUpdate ? keep(o.onUpdate) : 0;
				return callAsync("executeTool", { name, toolCallId: `${toolCallId}/${++n}`, params: args, update: id }, o.signal ?? signal).finally(() => listeners.delete(id));
			},
			get signal() { return signal; },
		}));
		const r = await t.execute(toolCallId, params, signal, (partial) => { call("update", { call: update, data: partial }); }, ctx);
		return typeof r === "string" ? { content: [{ type: "text", text: r }] } : r;
	},
	prepare: ({ tool, args }) => tools.get(tool)?.prepareArguments?.(args) ?? args,
	command: async ({ name, args }, signal) => { const c = commands.get(name); if (!c) throw new Error(`there is no command ${name}`); await c.handler(args, commandContext(signal)); },
	complete: async ({ name, args }) => (await commands.get(name)?.getArgumentCompletions?.(args)) ?? [],
	shortcut: async ({ key }, signal) => { await shortcuts.get(key)?.handler(context(signal)); },
	transform: ({ markdown, context: c }) => transformer?.(markdown, c) ?? markdown,
	route: async ({ provider, id, request }, signal) => {
		const r = await virtual.get(`${provider}/${id}`).route({ ...request, signal }, context(signal));
		return { model: { provider: r.model.provider, id: r.model.id }, thinkingLevel: r.thinkingLevel, state: r.state };
	},
	stream: async ({ provider, model, context: c, options, events }, signal) => {
		const config = providers.get(provider);
		const s = config.streamSimple(model, c, { ...options, signal });
		for await (const ev of s) call("update", { call: events, data: slim(ev) });
	},
	shell: async ({ operations, id, command, cwd }, signal) => {
		const ops = listeners.get(operations);
		const out = [];
		const r = await ops.exec(command, cwd, { signal, env: { ...process.env }, onData: (data) => { const s = tau.decodeUTF8(tau.bytesOf(data)); out.push(s); call("update", { call: id, data: s }); } });
		return { output: out.join(""), exitCode: r.exitCode };
	},
};
/** An event of a stream without what only the extension needs. */
const slim = (ev) => ev;

module.exports = { statuses, api, providers, context, commandContext, methods, receive, renderers, resolvers, tools, ui, fire, sessionManager, modelRegistry };
