// Runs its arguments under the host's own Bun (BUN_BE_BUN=1): the floor that the plugin must run on.
import { spawnSync } from "node:child_process";
import { hostBinary } from "./host-binary.mjs";
import { testArgs } from "./suite-run.mjs";

const words = process.argv.slice(2);
// Tests have the limit that they have in `npm test`; a limit of the caller's own comes later and counts.
const args = words[0] === "test" ? testArgs(words.slice(1)) : words;
const result = spawnSync(hostBinary(), args, {
  stdio: "inherit",
  env: { ...process.env, BUN_BE_BUN: "1" },
});
process.exit(result.status ?? 1);
