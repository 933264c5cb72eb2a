// Runs one suite and counts its passes and failures.
import { spawn } from "node:child_process";
import { root } from "./install.mjs";

/** Runs a suite to its end; its output comes whole. */
export function runSuite({ command, args, env }) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env } });
    const take = (chunk) => {
      output += chunk;
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => resolve({ code: 1, output: String(error) }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
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
