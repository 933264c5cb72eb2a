// Runs test files in a process of their own, with a time limit.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { hostBinary } from "../host-binary.mjs";

const preload = fileURLToPath(new URL("preload.ts", import.meta.url));
const running = new Set();

/** Of what tests print, at most; a mutant may print without end. */
const OUTPUT_LENGTH = 200_000;

// Each process leads a group of its own, which a signal for us does not reach.
process.on("exit", () => running.forEach(killGroup));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

/**
 * Runs test files in one process until one fails. Gives `{ outcome, output, tookMs }`; `outcome` is "passed",
 * "failed" or "timed out".
 */
export async function runTests({ root, tests }, files, { env, timeoutMs }) {
  const run = startTests(
    root,
    files.map((path) => `./${tests}/${path}`),
    env,
  );
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    run.kill();
  }, timeoutMs);
  const { code, output, tookMs } = await run.ended;
  clearTimeout(timer);
  return { outcome: late ? "timed out" : code === 0 ? "passed" : "failed", output, tookMs };
}

/** Starts `bun test` with these files. Gives `ended`, a promise of `{ code, output, tookMs }`, and `kill`. */
export function startTests(root, paths, env) {
  const child = spawn(
    hostBinary(),
    ["test", "--bail", "--timeout", "60000", "--preload", preload, ...paths],
    {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, BUN_BE_BUN: "1", ...env },
    },
  );
  running.add(child);
  const startedAt = Date.now();
  let output = "";
  const take = (chunk) => {
    if (output.length < OUTPUT_LENGTH) output += chunk;
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => {
      // What a test has started and left running; it would keep the pipes open.
      killGroup(child);
      running.delete(child);
    });
    child.on("close", (code) => resolve({ code, output, tookMs: Date.now() - startedAt }));
  });
  return { ended, kill: () => killGroup(child) };
}

function killGroup(child) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
