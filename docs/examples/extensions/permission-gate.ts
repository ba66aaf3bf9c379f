// Asks before a command that is hard to take back. Without anybody to ask, it is not run.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const risky: [RegExp, string][] = [
	[/\brm\b.*\s-\w*[rf]/, "removes files for good"],
	[/\bgit\s+(push\s+.*--force|reset\s+--hard|clean\s+-\w*f)/, "throws work away"],
	[/\bsudo\b/, "runs as root"],
	[/\b(mkfs|dd)\b/, "writes to a device"],
];

export default function (pi: ExtensionAPI) {
	pi.on("tool_call", async (event, ctx) => {
		if (event.toolName !== "bash") return;
		const command = String(event.input.command);
		const found = risky.find(([pattern]) => pattern.test(command));
		if (!found) return;
		if (!ctx.hasUI) return { block: true, reason: `This command ${found[1]}, and nobody is there to allow it.` };
		const answer = await ctx.ui.select(`This command ${found[1]}:\n${command}`, ["Run it", "Do not run it"]);
		if (answer !== "Run it") return { block: true, reason: "The user did not allow this command. Ask before you try another way." };
	});
}
