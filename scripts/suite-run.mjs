// Runs one suite, and reads what passed and failed from what bun prints.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./install.mjs";

/** Runs a command, and writes the processor time of its processes to the file that the shell is named like. */
const WITH_TIMES = '"$@"; code=$?; times > "$0"; exit $code';
/** `1m2.345s`, as a shell says times. */
const MINUTES_AND_SECONDS = /(\d+)m([\d.]+)s/g;

/**
 * Runs a suite to its end; its output comes whole, `report` is the part of it that bun writes itself, and
 * `processorSeconds` what it and the processes that it started and saw end took; 0 where there is no shell.
 */
export function runSuite({ command, args, env }) {
  return new Promise((resolve) => {
    let output = "";
    let report = "";
    const folder = mkdtempSync(join(tmpdir(), "session-runtime-times-"));
    const times = join(folder, "times");
    const child = spawn(...measured(times, command, args), {
      cwd: root,
      env: { ...process.env, ...env },
    });
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
      report += chunk;
    });
    const resolveWith = (code) => {
      const processorSeconds = existsSync(times) ? parseSeconds(readFileSync(times, "utf8")) : 0;
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, output, report, processorSeconds });
    };
    child.on("error", (error) => {
      output += String(error);
      resolveWith(1);
    });
    child.on("close", (code) => resolveWith(code ?? 1));
  });
}

function measured(times, command, args) {
  if (process.platform === "win32") return [command, args];
  return ["/bin/sh", ["-c", WITH_TIMES, times, command, ...args]];
}

/** Of a shell's two lines the second, which is about its children. */
function parseSeconds(times) {
  const [, ofChildren = ""] = times.split("\n");
  const parts = [...ofChildren.matchAll(MINUTES_AND_SECONDS)];
  return parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
}

/** What bun is given to run test files, or folders of them. */
export function testArgs(paths) {
  // Of a test, at most: machines that do other things too are slow, and that is not a failure.
  return ["test", "--timeout", "600000", ...paths];
}

/** A suite that fails outside of a test (a crash, missing coverage) counts as one failure. */
export function countOutcomes({ counts }, { code, output }) {
  if (counts === "whole") return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const last = (word) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  const passed = last("pass");
  const failed = last("fail");
  const crashed = code !== 0 && failed === 0;
  return { passed, failed: crashed || passed === 0 ? Math.max(failed, 1) : failed };
}

/** Each test that passed or failed, with its title and the file whose heading it stands below. */
export function parseTests({ report }) {
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
