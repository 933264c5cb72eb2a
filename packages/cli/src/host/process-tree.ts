// Starts programs, and ends them together with their child processes.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { errorCode } from "../system-error.ts";

const HAS_GROUPS = process.platform !== "win32";

/** Starts a program in a process group of its own, so that its children can be ended with it. */
export function spawnTree(
  file: string,
  words: readonly string[],
  options: Omit<SpawnOptions, "detached">,
): ChildProcess {
  return spawn(file, [...words], { ...options, detached: HAS_GROUPS });
}

/** Sends a signal to the program and its children, also to those that have outlived it. */
export function killTree({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  if (!HAS_GROUPS) {
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The whole group has ended already.
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
