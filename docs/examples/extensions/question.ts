// Lets the model ask a question with a few answers, or an answer of the user's own.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

const other = "Something else …";

export default function (pi: ExtensionAPI) {
	pi.registerTool({
		name: "question",
		label: "Question",
		description: "Asks the user a question. Use it when there is a choice that only the user can make.",
		promptSnippet: "Ask the user to choose",
		executionMode: "sequential",
		parameters: Type.Object({ question: Type.String(), answers: Type.Array(Type.String(), { minItems: 2 }) }),
		async execute(_id, { question, answers }, signal, _update, ctx) {
			if (!ctx.hasUI) throw new Error("Nobody is there to answer. Choose yourself, and say what you chose.");
			let answer = await ctx.ui.select(question, [...answers, other], { signal });
			if (answer === other) answer = await ctx.ui.input(question, "your answer", { signal });
			return { content: [{ type: "text", text: answer ? `The user answered: ${answer}` : "The user did not answer." }], details: { question, answer: answer ?? null } };
		},
	});
}
