// Builds the command line and runs it under this Node: `npm run cli -- setup --dry-run`.
import { spawnSync } from "node:child_process";
import { buildCli } from "./build-cli.mjs";

const { status } = spawnSync(process.execPath, [buildCli(), ...process.argv.slice(2)], {
  stdio: "inherit",
  // npm goes to the clone's own folder; whoever calls it from a project means that project.
  cwd: process.env.INIT_CWD ?? process.cwd(),
});
process.exit(status ?? 1);
