// Runs one suite, and reads what passed and failed from what bun prints.
import { spawn } from "node:child_process";
import { root } from "./install.mjs";

/** Runs a suite to its end; its output comes whole, and `report` is the part of it that bun writes itself. */
export function runSuite({ command, args, env }) {
  return new Promise((resolve) => {
    let output = "";
    let report = "";
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env } });
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
      report += chunk;
    });
    child.on("error", (error) => resolve({ code: 1, output: String(error), report }));
    child.on("close", (code) => resolve({ code: code ?? 1, output, report }));
  });
}

/** What bun is given to run test files, or folders of them. */
export function testArgs(paths) {
  // Of a test, at most: machines that do other things too are slow, and that is not a failure.
  return ["test", "--timeout", "180000", ...paths];
}

/** A suite that fails outside of a test (a crash, missing coverage) counts as one failure. */
export function countsOf({ counts }, { code, output }) {
  if (counts === "whole") return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const last = (word) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  const passed = last("pass");
  const failed = last("fail");
  const crashed = code !== 0 && failed === 0;
  return { passed, failed: crashed || passed === 0 ? Math.max(failed, 1) : failed };
}

/** Each test that passed or failed, with its title and the file whose heading it stands below. */
export function testsOf({ report }) {
  const tests = [];
  let file = "";
  for (const line of report.split("\n")) {
    // After many tests bun lists once more what did not pass.
    if (/^\d+ tests (skipped|todo|failed):$/.test(line)) break;
    // GitHub's runners get the heading as that of a group.
    file = /^(?:::group::)?(\S.*\.test\.tsx?):$/.exec(line)?.[1] ?? file;
    const test = /^\((pass|fail)\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line);
    if (test) tests.push({ file, outcome: test[1], title: test[2] });
  }
  return tests;
}
