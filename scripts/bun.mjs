// Runs its arguments under the host's own Bun (BUN_BE_BUN=1): the floor that the plugin must run on.
import { spawnSync } from "node:child_process";
import { hostBinary } from "./host-binary.mjs";

const result = spawnSync(hostBinary(), process.argv.slice(2), {
  stdio: "inherit",
  env: { ...process.env, BUN_BE_BUN: "1" },
});
process.exit(result.status ?? 1);
