// `node scripts/run.mjs FILE [ARGS…]`: runs a TypeScript file under the host's own Bun, installing first.
import { spawn } from "node:child_process";
import { hostBinary } from "./host-binary.mjs";
import { ensureInstalled, root } from "./install.mjs";

ensureInstalled();
const child = spawn(foundHost(), process.argv.slice(2), {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, BUN_BE_BUN: "1" },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

/** Says why it can't be fetched; a stack of the clone's would say nothing more. */
function foundHost() {
  try {
    return hostBinary();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
