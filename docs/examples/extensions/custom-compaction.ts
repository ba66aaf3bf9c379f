// Has the whole conversation summarised by the cheapest model there is, with a summary in a form of its own.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { convertToLlm, serializeConversation } from "@earendil-works/pi-coding-agent";

const wanted = "Write down, as short lists: the goal; what was decided, and why; the files that matter, and how they stand; what comes next. Nothing else.";

export default function (pi: ExtensionAPI) {
	pi.on("session_before_compact", async ({ preparation, customInstructions, signal }, ctx) => {
		const models = ctx.modelRegistry.getAvailable().filter((m) => m.provider !== "demo").sort((a, b) => a.cost.input - b.cost.input);
		const model = models[0] ?? ctx.model;
		if (!model) return;
		const { messagesToSummarize, turnPrefixMessages, previousSummary, firstKeptEntryId, tokensBefore } = preparation;
		const text = [previousSummary && `Summary so far:\n${previousSummary}`, serializeConversation(convertToLlm([...messagesToSummarize, ...turnPrefixMessages]))].filter(Boolean).join("\n\n");
		const answer = await ctx.modelRegistry.complete(model, { systemPrompt: [wanted, customInstructions].filter(Boolean).join("\n"), messages: [{ role: "user", content: [{ type: "text", text }], timestamp: Date.now() }] }, { signal });
		const summary = answer.content.flatMap((c) => (c.type === "text" ? [c.text] : [])).join("\n").trim();
		if (answer.stopReason !== "stop" || !summary) return; // the usual way
		return { compaction: { summary, firstKeptEntryId, tokensBefore, usage: answer.usage } };
	});
}
