// Tells of the end of a run: with notify-send or osascript if there is one, else with the terminal's own notification.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI) {
	let began = 0;
	pi.on("agent_start", () => { began = Date.now(); });
	pi.on("agent_settled", async ({ aborted }, ctx) => {
		if (aborted) return;
		const text = `done after ${Math.round((Date.now() - began) / 1000)} s in ${ctx.cwd}`;
		const [command, args] = process.platform === "darwin" ? ["osascript", ["-e", `display notification ${JSON.stringify(text)} with title "tau"`]] : ["notify-send", ["tau", text]];
		const { code } = await pi.exec(command as string, args as string[], { timeout: 2000 });
		if (code !== 0 && ctx.mode === "tui") process.stdout.write(`\x1b]777;notify;tau;${text}\x07`);
	});
}
