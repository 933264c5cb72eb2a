// This instance's name in leases, and whether another owner's process has ended.
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

const HERE = `${hostname()}/`;

/** This instance's name among those that share the database: machine, process, and itself. */
export function newOwner(): string {
  return `${HERE}${process.pid}/${crypto.randomUUID()}`;
}

/** Whether that owner's process has ended. One of another machine can't be asked: its lease expires. */
export function isGone(owner: string): boolean {
  if (!owner.startsWith(HERE)) return false;
  const pid = Number(owner.slice(HERE.length).split("/")[0]);
  return !Number.isInteger(pid) || pid <= 0 || !isRunning(pid);
}

/** Whether a process of this machine is there and has not ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // EPERM: it lives, under another user.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/**
 * A process that has ended stays listed until its parent asks how: in tmux, and for ever in a container whose
 * first process never does. Without `/proc` it counts as running, and its lease expires.
 */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it is in brackets and may hold any character.
    return stat
      .slice(stat.lastIndexOf(")") + 1)
      .trimStart()
      .startsWith("Z");
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
