// /plan turns a mode on and off in which the model looks at everything and changes nothing. The mode is kept with the
// session, so that going back in the tree or opening the session again finds it as it was.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

const reading = ["read", "grep", "find", "ls"];

export default function (pi: ExtensionAPI) {
	let planning = false;
	let before: string[] | undefined;

	pi.registerFlag("plan", { type: "boolean", description: "begin in plan mode" });

	const set = (on: boolean, ctx: ExtensionContext) => {
		if (on && !planning) before = pi.getActiveTools();
		planning = on;
		pi.setActiveTools(on ? reading : (before ?? ["read", "bash", "edit", "write"]));
		ctx.ui.setStatus("plan", on ? ctx.ui.theme.fg("warning", "plan mode") : undefined);
	};

	const restore = (ctx: ExtensionContext) => {
		const last = ctx.sessionManager.getBranch().findLast((e) => e.type === "custom" && e.customType === "plan-mode") as { data?: { on: boolean } } | undefined;
		const wanted = last?.data?.on ?? pi.getFlag("plan") === true;
		if (wanted !== planning) set(wanted, ctx);
	};
	pi.on("session_start", (_event, ctx) => restore(ctx));
	pi.on("session_tree", (_event, ctx) => restore(ctx));

	pi.on("before_agent_start", (event) => {
		if (planning) event.systemPromptOptions.sections.plan_mode = "You are planning. Read as much as you need, change nothing, and answer with a numbered plan.";
		else delete event.systemPromptOptions.sections.plan_mode;
	});

	pi.registerCommand("plan", {
		description: "Turn plan mode on or off",
		handler: async (_args, ctx) => {
			set(!planning, ctx);
			pi.appendEntry("plan-mode", { on: planning });
			ctx.ui.notify(planning ? "Plan mode: nothing is changed." : "Plan mode is off.", "info");
		},
	});
}
