// A list of things to do for the model. Its state is in the results of the tool, so that it follows the session tree.
import { StringEnum } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Text } from "@earendil-works/pi-tui";
import { Type } from "typebox";

interface Item { text: string; done: boolean }

export default function (pi: ExtensionAPI) {
	let items: Item[] = [];

	const restore = (ctx: ExtensionContext) => {
		items = [];
		for (const entry of ctx.sessionManager.getBranch()) {
			if (entry.type === "message" && entry.message.role === "toolResult" && entry.message.toolName === "todo") items = (entry.message.details as { items?: Item[] })?.items ?? items;
		}
	};
	pi.on("session_start", (_event, ctx) => restore(ctx));
	pi.on("session_tree", (_event, ctx) => restore(ctx));

	const list = () => items.map((item, i) => `${i + 1}. [${item.done ? "x" : " "}] ${item.text}`).join("\n") || "Nothing to do.";

	pi.registerTool({
		name: "todo",
		label: "Todo",
		description: "Keeps the list of things to do: add an item, mark item n as done, or list all.",
		promptSnippet: "Keep a list of what is to be done",
		parameters: Type.Object({
			action: StringEnum(["add", "done", "list"] as const),
			text: Type.Optional(Type.String({ description: "for add" })),
			n: Type.Optional(Type.Integer({ description: "for done, from 1" })),
		}),
		async execute(_id, { action, text, n }) {
			if (action === "add") {
				if (!text) throw new Error("add needs a text");
				items = [...items, { text, done: false }];
			} else if (action === "done") {
				const item = items[(n ?? 0) - 1];
				if (!item) throw new Error(`there is no item ${n}`);
				items = items.map((x) => (x === item ? { ...x, done: true } : x));
			}
			return { content: [{ type: "text", text: list() }], details: { items } };
		},
		renderResult(_result, _options, theme) {
			return new Text(items.map((x) => (x.done ? theme.fg("dim", `☑ ${x.text}`) : theme.fg("text", `☐ ${x.text}`))).join("\n"), 0, 0);
		},
	});

	pi.registerCommand("todos", { description: "Show the list", handler: async (_args, ctx) => ctx.ui.notify(list(), "info") });
}
