// `npm test`: installs if need be, runs every suite, and closes with `N passed, N failed`.
// `--long` goes further: more schedules, more kills. `--only WORD` runs the suites whose name has it.
import { spawn } from "node:child_process";
import { ensureInstalled, root } from "./install.mjs";
import { ensureSystemTools } from "./system-tools.mjs";

ensureInstalled();
for (const name of ensureSystemTools()) console.log(`Tests that need ${name} are skipped.`);
// After the installation: it looks for what was installed.
const { stages } = await import("./suites.mjs");
const args = process.argv.slice(2);
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : "";
const total = { passed: 0, failed: 0 };
const startedAt = Date.now();

for (const stage of stages({ long: args.includes("--long") })) {
  await Promise.all(stage.filter(({ name }) => name.includes(only)).map(report));
}

console.log(`\nIn ${seconds(startedAt)} s`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

/** Suites run beside each other: what one prints comes whole, when it is done. */
async function report(suite) {
  const since = Date.now();
  console.log(`▶ ${suite.name}`);
  const { code, output } = await run(suite);
  const counts = countsOf(suite, code, output);
  total.passed += counts.passed;
  total.failed += counts.failed;
  console.log(counts.failed === 0 ? closingLines(output) : output);
  console.log(
    `■ ${suite.name}: ${counts.passed} passed, ${counts.failed} failed, ${seconds(since)} s`,
  );
}

function run({ command, args: suiteArgs, env }) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, suiteArgs, { cwd: root, env: { ...process.env, ...env } });
    const take = (chunk) => {
      output += chunk;
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => resolve({ code: 1, output: String(error) }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Of a suite that passed, what it says beside its passes: skipped tests with their reason, coverage. */
function closingLines(output) {
  const said = output.split("\n").filter((line) => /^\(skip\)|^coverage:|^Ran \d/.test(line));
  return said.map((line) => `  ${line}`).join("\n");
}

/** A suite that fails outside of a test (a crash, missing coverage) counts as one failure. */
function countsOf({ counts }, code, output) {
  if (counts === "whole") return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const last = (word) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  const passed = last("pass");
  const failed = last("fail");
  const crashed = code !== 0 && failed === 0;
  return { passed, failed: crashed || passed === 0 ? Math.max(failed, 1) : failed };
}

function seconds(since) {
  return ((Date.now() - since) / 1000).toFixed(1);
}
