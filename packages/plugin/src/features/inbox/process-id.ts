// Names this instance in leases, and finds out whether another owner's process has ended.
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

const HOST_PREFIX = `${hostname()}/`;

/**
 * Returns this instance's name among those that share the database: the machine, the process, an id of its
 * own and, if the system provides it, when the process began.
 */
export function createOwnerId(): string {
  const began = readProcessEntry(process.pid)?.began ?? "";
  return `${HOST_PREFIX}${process.pid}/${crypto.randomUUID()}/${began}`;
}

/**
 * Returns true if the owner's process has ended. A process on another machine can't be checked; its lease
 * expires.
 */
export function isProcessDead(owner: string): boolean {
  if (!owner.startsWith(HOST_PREFIX)) return false;
  const [id, , began = ""] = owner.slice(HOST_PREFIX.length).split("/");
  const pid = Number(id);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return true;
  // Process numbers are reused, and very soon after a container was restarted.
  const present = began === "" ? undefined : readProcessEntry(pid)?.began;
  return present !== undefined && present !== began;
}

/** Returns true while a process of this machine exists and has not ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // An ended process stays listed until its parent asks for its status: for a while in tmux, and for ever
    // in a container whose first process never asks. If the system doesn't report this, the process counts as
    // running, and its lease expires.
    return readProcessEntry(pid)?.state !== "Z";
  } catch (error) {
    // EPERM means that the process lives, under another user.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Returns a process as Linux lists it; null if it doesn't exist or the system doesn't list it. */
function readProcessEntry(pid: number): { readonly state: string; readonly began: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The process's name comes before these fields, in brackets, and may contain any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", began = ""] = [fields[0], fields[19]];
    return { state, began };
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
