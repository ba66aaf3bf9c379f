// pi's client starts "node PATH ARGUMENTS…"; this is the path that leads to tau.
import { spawn } from "node:child_process";

const child = spawn(process.env.TAU_BIN, process.argv.slice(2), { stdio: "inherit" });
for (const s of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(s, () => child.kill(s));
child.on("error", (e) => { console.error(String(e)); process.exit(127); });
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 1)));
