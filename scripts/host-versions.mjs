// `node scripts/host-versions.mjs VERSION…`: runs a selection of the real-host tests against each
// version of OpenCode ("latest" for the newest) and notes the results in
// packages/cli/src/host-versions.json and in the table of docs/hosts.md. Versions that are not named keep
// their results; `--check` notes nothing; without versions the table alone is written again.
import { join } from "node:path";
import { newestHost, pinnedBinary, versionBinary } from "./host-binary.mjs";
import { compareVersions, hostTable, writeBetweenMarks } from "./host-table.mjs";
import { ensureInstalled, root } from "./install.mjs";
import { readJson, writeJson } from "./packaging/json-file.mjs";
import { parseTests, runSuite } from "./suite-run.mjs";

/** What a user meets: loading, status, restarts and kills, the inbox, compaction, tool output. */
const SELECTION = [
  "plugin-loading",
  "ctx-status",
  "conformance/process",
  "inbox",
  "continuity",
  "tool-output",
];
/** Where a version does not work, tests wait for what never comes: more of them would say the same. */
const ENOUGH_FAILURES = 8;
const RESULTS = join(root, "packages/cli/src/host-versions.json");

ensureInstalled();
const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith("--"));
const versions = named.map((version) => (version === "latest" ? newestHost() : version));

const results = [];
for (const version of versions) results.push(await tryVersion(version));
if (!args.includes("--check")) note(results);
const failed = results.filter(({ verdict }) => verdict !== "works");
process.exit(args.includes("--check") && failed.length > 0 ? 1 : 0);

async function tryVersion(version) {
  const result = await runSuite({
    command: pinnedBinary(),
    args: [
      "test",
      "--timeout",
      "600000",
      `--bail=${ENOUGH_FAILURES}`,
      ...SELECTION.map((name) => `./packages/e2e/test/${name}.test.ts`),
    ],
    env: { BUN_BE_BUN: "1", OPENCODE_BIN: versionBinary(version) },
  });
  const tests = parseTests(result);
  const failing = tests.filter(({ outcome }) => outcome === "fail").map(({ title }) => title);
  const passed = tests.length - failing.length;
  // A run may also end badly outside of a test.
  const failed = Math.max(failing.length, result.code === 0 && passed > 0 ? 0 : 1);
  const verdict = failed === 0 ? "works" : passed === 0 ? "fails" : "partly";
  console.log(`${version}: ${verdict}, ${passed} passed, ${failed} failed`);
  for (const title of failing) console.log(`  ${title}`);
  return { version, verdict, passed, failed, failing: [...new Set(failing)].sort() };
}

function note(found) {
  const former = readJson(RESULTS).versions;
  const kept = former.filter(({ version }) => !versions.includes(version));
  const all = [...kept, ...found].sort((one, other) => compareVersions(other.version, one.version));
  writeJson(RESULTS, { versions: all });
  writeBetweenMarks(join(root, "docs/hosts.md"), "host-versions", hostTable(all));
}
