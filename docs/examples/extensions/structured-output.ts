// The model ends with a call of this tool, so that a program can read the answer: no further request is made.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

export default function (pi: ExtensionAPI) {
	pi.registerTool({
		name: "report",
		label: "Report",
		description: "The final answer, for a program. Call it once, at the end.",
		promptSnippet: "Give the final answer to a program",
		promptGuidelines: ["End with a call of report when a machine-readable answer is asked for; say nothing after it."],
		parameters: Type.Object({ title: Type.String(), findings: Type.Array(Type.Object({ file: Type.String(), problem: Type.String() })) }),
		async execute(_id, report) {
			return { content: [{ type: "text", text: `Reported ${report.findings.length} finding(s): ${report.title}` }], details: report, terminate: true };
		},
	});
}
