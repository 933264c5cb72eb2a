// `npm run quick [-- FILE-OR-FOLDER…]`: checks what the uncommitted change reaches, or what is named: types, lint of
// the files, the rules of the code and the documents, and the tests nearest to it by imports.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "./host-binary.mjs";
import { ensureInstalled, root } from "./install.mjs";
import { countOutcomes, runSuite, testArgs } from "./suite-run.mjs";
import { MAIN_JOB, testFiles, testsThatReach } from "./test-files.mjs";

/** As many files take half a minute of the processor, on average; `npm test` has all. */
const FILES_AT_MOST = 40;
/** The rules of the code and the documents, which any change may break. */
const RULES = /^packages\/plugin\/test\/[^/]+\.test\.ts$/;

ensureInstalled();
const words = process.argv.slice(2);
const changed = words.length > 0 ? listFiles(words) : changedFiles();
if (changed.length === 0) {
  console.log(
    "Nothing has changed since the last commit: name a file or a folder, or run npm test.",
  );
  process.exit(0);
}
const reaching = testsThatReach(changed);
const near = reaching.filter(({ path, ring }) => ring === "test" && !MAIN_JOB.includes(path));
const chosen = near.slice(0, FILES_AT_MOST).map(({ path }) => path);
const rules = testFiles()
  .map(({ path }) => path)
  .filter((path) => RULES.test(path));
const tested = [...new Set([...rules, ...chosen])];
const sources = changed.filter((path) => /\.(?:m?[jt]sx?|json)$/.test(path));
console.log(`${changed.length} files, ${chosen.length} test files nearest to them`);

const compiler = "node_modules/typescript/bin/tsc";
const steps = [
  step("types", process.execPath, [compiler, "--project", "tsconfig.json"]),
  ...(sources.length === 0
    ? []
    : [
        step("lint", join(root, "node_modules/.bin/biome"), [
          ...["check", "--error-on-warnings", "--no-errors-on-unmatched"],
          ...sources,
        ]),
      ]),
  {
    ...step("tests", hostBinary(), testArgs(tested.map((path) => `./${path}`))),
    counts: "bun",
    env: { BUN_BE_BUN: "1", HOST_ECONOMY: "1" },
  },
];
let failed = 0;
let processorSeconds = 0;
for (const one of steps) {
  const result = await runSuite(one);
  const counts = countOutcomes(one, result);
  failed += counts.failed;
  processorSeconds += result.processorSeconds;
  if (counts.failed > 0) console.log(failingPart(one, result.output));
  console.log(`■ ${one.name}: ${counts.passed} passed, ${counts.failed} failed`);
}
const left = near.length - chosen.length;
if (left > 0)
  console.log(`Left out: ${left} test files that lead to the change from further off (npm test).`);
const onHosts = reaching.filter(({ ring }) => ring !== "test").length;
if (onHosts > 0) console.log(`Left out: ${onHosts} files on real hosts (npm run test:hosts).`);
console.log(`With ${processorSeconds.toFixed(0)} s of the processor`);
process.exit(failed === 0 ? 0 : 1);

function step(name, command, args) {
  return { name, counts: "whole", command, args, env: {} };
}

/** Of many passes only what failed is of interest. */
function failingPart(one, output) {
  if (one.counts === "whole") return output;
  return output
    .split("\n")
    .filter((line) => !line.startsWith("(pass)"))
    .join("\n");
}

function changedFiles() {
  return [
    ...git("diff", "--name-only", "HEAD"),
    ...git("ls-files", "--others", "--exclude-standard"),
  ].filter((path) => existsSync(join(root, path)));
}

function listFiles(named) {
  return git("ls-files", "--cached", "--others", "--exclude-standard", "--", ...named);
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.trim()}`);
  return stdout.split("\n").filter(Boolean);
}
