// Offers the models of an OpenAI-compatible server, as it lists them itself. LOCAL_LLM_URL says where it is.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const baseUrl = process.env.LOCAL_LLM_URL ?? "http://localhost:8000/v1";

export default async function (pi: ExtensionAPI) {
	const register = async () => {
		const answer = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(2000) });
		if (!answer.ok) throw new Error(`${baseUrl} answered ${answer.status}`);
		const { data } = (await answer.json()) as { data: { id: string; context_length?: number }[] };
		pi.registerProvider("local-llm", {
			name: "Local server", baseUrl, apiKey: "none", api: "openai-completions",
			models: data.map(({ id, context_length }) => ({ id, name: id, reasoning: false, input: ["text"], contextWindow: context_length ?? 32_768, maxTokens: 4096, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } })),
		});
		return data.length;
	};
	await register().catch(() => 0); // the server may come later

	pi.registerCommand("local-models", {
		description: "Ask the local server for its models again",
		handler: async (_args, ctx) => {
			try { ctx.ui.notify(`${await register()} model(s)`, "info"); } catch (e) { ctx.ui.notify(String(e), "error"); }
		},
	});
}
