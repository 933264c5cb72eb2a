// `npm run generate`: writes every file that is made from others: STRUCTURE.md, the table of LAYERS.md,
// config.schema.json, the pages of requirements, the pages' tables of benchmarks and host versions. Tests only
// say that it has to be run. A word, such as `npm run generate -- schema`, picks those whose name has it.
import { spawnSync } from "node:child_process";
import { hostBinary } from "./host-binary.mjs";
import { ensureInstalled, root } from "./install.mjs";

ensureInstalled();
const underNode = (script) => [process.execPath, [`scripts/${script}`], {}];
const underBun = (...words) => [hostBinary(), words, { BUN_BE_BUN: "1" }];
/** By what is written. */
const STEPS = {
  "STRUCTURE.md": underNode("structure.mjs"),
  "LAYERS.md, its table": underNode("layers.mjs"),
  "packages/plugin/config.schema.json": underBun("scripts/config-schema.mjs"),
  "docs/requirements.md, and the links of docs/lab/requirements.md": underBun(
    "scripts/requirements.mjs",
  ),
  "docs/hosts.md, its table of versions": underNode("host-versions.mjs"),
  "docs/benchmarks.md and docs/lab/benchmarks.md": underBun(
    "packages/e2e/src/bench/main.ts",
    "page",
  ),
};

const [word = ""] = process.argv.slice(2);
for (const [what, [command, args, env]] of Object.entries(STEPS)) {
  if (!what.includes(word)) continue;
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  if (status !== 0) {
    console.error(`${what} could not be written:\n${stdout}${stderr}`);
    process.exit(1);
  }
  console.log(what);
}
