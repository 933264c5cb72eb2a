// `npm test`: installs if need be, runs every suite, and closes with `N passed, N failed`.
// `--long` goes further: more schedules, more kills. `--only WORD` runs the suites whose name has it.
import { spawn } from "node:child_process";
import { ensureInstalled, root } from "./install.mjs";
import { suites } from "./suites.mjs";

ensureInstalled();
const args = process.argv.slice(2);
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : "";
const total = { passed: 0, failed: 0 };

for (const suite of suites({ long: args.includes("--long") })) {
  if (!suite.name.includes(only)) continue;
  const startedAt = Date.now();
  console.log(`\n▶ ${suite.name}`);
  const { code, output } = await run(suite);
  const counts = countsOf(suite, code, output);
  total.passed += counts.passed;
  total.failed += counts.failed;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`■ ${suite.name}: ${counts.passed} passed, ${counts.failed} failed, ${seconds} s`);
}

console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

/** Streams what the suite prints, and keeps it to be counted. */
function run({ command, args: suiteArgs, env }) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, suiteArgs, { cwd: root, env: { ...process.env, ...env } });
    const take = (stream) => (chunk) => {
      output += chunk;
      stream.write(chunk);
    };
    child.stdout.on("data", take(process.stdout));
    child.stderr.on("data", take(process.stderr));
    child.on("error", (error) => resolve({ code: 1, output: String(error) }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
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
