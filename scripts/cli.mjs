// Builds the command line and runs it under this Node: `npm run cli -- setup --dry-run`.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { buildCli } from "./build-cli.mjs";
import { buildPi } from "./build-pi.mjs";
import { root } from "./install.mjs";

// npm puts the clone's programs first: its pinned OpenCode is for the tests, and not the user's.
const clonePrograms = join(root, "node_modules/.bin");
const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== clonePrograms);

const words = process.argv.slice(2);
const { status } = spawnSync(process.execPath, [built(), ...words], {
  stdio: "inherit",
  // npm goes to the clone's own folder; whoever calls it from a project means that project.
  cwd: process.env.INIT_CWD ?? process.cwd(),
  env: { ...process.env, PATH: path.join(delimiter) },
});
process.exit(status ?? 1);

/** A clone that can't be built has no bug of its own to show a stack of. */
function built() {
  try {
    // Setup may put it into Pi's settings, which name this clone.
    if (words[0] === "setup") buildPi();
    return buildCli();
  } catch (error) {
    console.error(`error: The command line could not be built: ${error.message}`);
    console.error("  Run `npm install` in the clone, then the command again.");
    process.exit(1);
  }
}
