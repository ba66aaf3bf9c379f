// Before each turn the state of the files is put into a commit that no branch has. /checkpoints brings one back.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI) {
	const git = async (...args: string[]) => (await pi.exec("git", args)).stdout.trim();

	pi.on("turn_start", async (_event, ctx) => {
		const commit = await git("stash", "create", "checkpoint of tau");
		if (commit) pi.appendEntry("checkpoint", { commit, entry: ctx.sessionManager.getLeafId() });
	});

	pi.registerCommand("checkpoints", {
		description: "Bring the files of an earlier turn back",
		handler: async (_args, ctx) => {
			const found = ctx.sessionManager.getBranch().flatMap((e) => (e.type === "custom" && e.customType === "checkpoint" ? [{ at: e.timestamp, ...(e.data as { commit: string }) }] : []));
			if (!found.length) return ctx.ui.notify("There are no checkpoints.", "info");
			const choice = await ctx.ui.select("Bring back the files of", found.map((c) => `${c.at} ${c.commit.slice(0, 8)}`).reverse());
			const commit = found.find((c) => choice?.endsWith(c.commit.slice(0, 8)))?.commit;
			if (!commit) return;
			const { code, stderr } = await pi.exec("git", ["checkout", commit, "--", "."]);
			ctx.ui.notify(code === 0 ? "The files are back." : stderr, code === 0 ? "info" : "error");
		},
	});
}
