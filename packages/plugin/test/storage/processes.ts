import { existsSync, readdirSync, writeFileSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A script of `workers/` in a process of its own, under the same Bun as the tests. */
export function spawnWorker(script: string, ...args: string[]) {
  const file = join(import.meta.dir, "workers", script);
  return Bun.spawn([process.execPath, file, ...args], {
    env: { ...process.env, BUN_BE_BUN: "1" },
    stdout: "pipe",
    stderr: "inherit",
  });
}

/** Inside a worker: holds it back until the test lets all of them go. */
export function waitFor(gate: string): void {
  writeFileSync(`${gate}-${process.pid}`, "");
  while (!existsSync(gate)) Bun.sleepSync(1);
}

/** Lets the workers go once as many as `count` wait. */
export async function openGate(gate: string, count: number): Promise<void> {
  const waiting = () =>
    readdirSync(dirname(gate)).filter((name) => name.startsWith(`${basename(gate)}-`)).length;
  while (waiting() < count) await Bun.sleep(5);
  writeFileSync(gate, "");
}

/** Inside a worker: written before the next statement runs, so that a kill can't take it back. */
export function report(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

/** What a worker has reported; a line that a kill has cut short does not count. */
export function reportsIn(output: string): unknown[] {
  const lines = output.split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}
