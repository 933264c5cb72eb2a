// `npm run generate` has this write the last column of docs/lab/requirements.md, the links to the tests that show a
// line, by the labels of the tests, and docs/requirements.md from it. What a line says is in the full page alone. Runs
// under the host's Bun.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linkedPage, PAGE, SUMMARY, summaryOf } from "../packages/plugin/test/requirement-links.ts";
import { root } from "./install.mjs";

const path = join(root, PAGE);
const { page, faults } = linkedPage(readFileSync(path, "utf8"));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else {
  writeFileSync(path, page);
  writeFileSync(join(root, SUMMARY), summaryOf(page));
}
