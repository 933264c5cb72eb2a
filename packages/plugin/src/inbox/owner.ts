// This instance's name in leases, and whether another owner's process has ended.
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

/** Whether a process of this machine is there. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
