// Programs that are ended together with whatever they have started.
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

/** Sends a signal to the program and its children, those that have outlived it too. */
export function killTree({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  if (!HAS_GROUPS) {
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nothing of it is left.
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
