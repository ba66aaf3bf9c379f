// Keeps edit and write away from some paths. Names of folders protect all that is in them.
import { relative, resolve, sep } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const protectedNames = [".env", ".git", "node_modules", "secrets"];

export default function (pi: ExtensionAPI) {
	pi.on("tool_call", (event, ctx) => {
		if (event.toolName !== "write" && event.toolName !== "edit") return;
		const parts = relative(ctx.cwd, resolve(ctx.cwd, String(event.input.path))).split(sep);
		const hit = parts.find((part) => protectedNames.includes(part));
		if (hit) return { block: true, reason: `${event.input.path} is protected (${hit}). Leave it as it is.` };
	});
}
