import { appendFileSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

export default function (pi: ExtensionAPI) {
	for (const name of process.env.TAU_EXT_EVENTS!.split(" ")) {
		pi.on(name as any, (event: any) => {
			appendFileSync(process.env.TAU_EXT_LOG!, JSON.stringify(event) + "\n");
			if (name === "tool_call" && JSON.stringify(event.input).includes("forbidden")) return { block: true, reason: "not here" };
		});
	}
	pi.registerCommand("hello", { description: "Say hello", handler: async (args, ctx) => ctx.ui.notify("hello " + args, "info") });
	pi.registerTool({
		name: "shout", label: "Shout", description: "Shouts", parameters: Type.Object({ text: Type.String() }),
		async execute(_id, params) { return { content: [{ type: "text", text: params.text.toUpperCase() }], details: {} }; },
	});
}
