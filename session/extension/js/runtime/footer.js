"use strict";
const git = () => {
	let dir = tau.state().cwd;
	for (let i = 0; i < 40; i++) {
		try {
			const s = tau.text("sys.readFile", { path: dir + "/.git/HEAD" }).trim();
			return s.startsWith("ref: refs/heads/") ? s.slice(16) : "detached";
		} catch {}
		const up = dir.slice(0, dir.lastIndexOf("/"));
		if (!up) return null;
		dir = up;
	}
	return null;
};
module.exports = { data: { getGitBranch: git, getExtensionStatuses: () => new Map(require("api").statuses), getAvailableProviderCount: () => new Set(tau.call("models.available").map((m) => m.provider)).size, onBranchChange: () => () => {} } };
