// This instance's name in leases, and whether another owner's process has ended.
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

const HOST_PREFIX = `${hostname()}/`;

/**
 * This instance's name among those that share the database: machine, process, itself, and when the process
 * began, where the system says so.
 */
export function currentProcessId(): string {
  const began = readProcessEntry(process.pid)?.began ?? "";
  return `${HOST_PREFIX}${process.pid}/${crypto.randomUUID()}/${began}`;
}

/**
 * Returns true when that owner's process has ended. A process on another machine can't be asked: its lease
 * expires.
 */
export function isProcessDead(owner: string): boolean {
  if (!owner.startsWith(HOST_PREFIX)) return false;
  const [id, , began = ""] = owner.slice(HOST_PREFIX.length).split("/");
  const pid = Number(id);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return true;
  // Numbers are given again: soon in a container that was started again.
  const present = began === "" ? undefined : readProcessEntry(pid)?.began;
  return present !== undefined && present !== began;
}

/** Returns true while a process of this machine exists and has not ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // An ended process stays listed until its parent asks for its status: in tmux, and for ever in a
    // container whose first process never does. Where the system doesn't say so, it counts as running, and
    // its lease expires.
    return readProcessEntry(pid)?.state !== "Z";
  } catch (error) {
    // EPERM: it lives, under another user.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** A process as Linux lists it; null: there is none, or the system doesn't say. */
function readProcessEntry(pid: number): { readonly state: string; readonly began: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before them is in brackets and may hold any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", began = ""] = [fields[0], fields[19]];
    return { state, began };
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
