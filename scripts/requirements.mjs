// `npm run generate` has this write the last column of docs/requirements.md, the links to the tests that show a line,
// by the labels of the tests. What a line says stands in the page alone. Runs under the host's Bun.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linkedPage, PAGE } from "../packages/plugin/test/requirement-links.ts";
import { root } from "./install.mjs";

const path = join(root, PAGE);
const { page, faults } = linkedPage(readFileSync(path, "utf8"));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else writeFileSync(path, page);
