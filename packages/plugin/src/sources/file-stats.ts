// Decides how a path is examined: synchronously on a local disk, otherwise by a thread.
import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Unavailable } from "../context/source.ts";

/** Holds what the file system says about a path now. */
export type StatResult = BigIntStats | "missing" | Unavailable;

/**
 * Says how a path is examined. On a local disk (`there`, or `gap` if it is missing) a synchronous call takes
 * microseconds, while a thread's answer comes when the host's event loop is free again, some 15 ms later in
 * the middle of a turn. `elsewhere` it may take for ever, so a thread waits.
 */
type StatStrategy = "there" | "gap" | "elsewhere";

/**
 * Lists the kernel's numbers of file systems that wait for no network and no other process (linux/magic.h).
 */
const LOCAL_FILE_SYSTEM_TYPES: ReadonlySet<number> = new Set([
  0xef53, // ext2 to ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x2fc12fc1, // ZFS
  0x794c7630, // overlayfs
  0x01021994, // tmpfs
]);

/** Says whether a file system of this type is a local disk; systems other than Linux have other numbers. */
function isLocalFileSystem(type: number): boolean {
  return process.platform === "linux" && LOCAL_FILE_SYSTEM_TYPES.has(type);
}

/** Stats paths: synchronously if that can't hang, otherwise by a thread. Never throws, never rejects. */
export class FileStats {
  readonly #standings = new Map<string, StatStrategy>();

  constructor(private readonly isLocal: (type: number) => boolean = isLocalFileSystem) {}

  stat(path: string): StatResult | Promise<StatResult> {
    const look = this.statLocal(path);
    if (look !== null) return look;
    return this.#standings.get(path) === "elsewhere" ? statInThread(path) : this.#statFresh(path);
  }

  /** Says whether the path was on a local disk when it was last checked. */
  isKnownLocal(path: string): boolean {
    return this.#standings.get(path) === "there";
  }

  /** Stats the path synchronously; null if a thread must do it. */
  statLocal(path: string): StatResult | null {
    switch (this.#standings.get(path)) {
      case "there":
        return this.#statAgain(path);
      case "gap":
        // A link may be there by now and lead anywhere, so it is not followed here.
        return runStat(path, lstatSync) === "missing" ? "missing" : null;
      case "elsewhere":
      case undefined:
        return null;
    }
  }

  forget(path: string): void {
    this.#standings.delete(path);
  }

  #statAgain(path: string): StatResult {
    const look = runStat(path, statSync);
    if (look === "missing") this.#standings.delete(path);
    return look;
  }

  async #statFresh(path: string): Promise<StatResult> {
    this.#standings.delete(path);
    const look = await statInThread(path);
    if (look instanceof Unavailable) return look;
    const type = await readFileSystemType(path);
    if (type === null) return look;
    const here = look === "missing" ? "gap" : "there";
    this.#standings.set(path, this.isLocal(type) ? here : "elsewhere");
    return look;
  }
}

type StatFunction = (
  path: string,
  options: { readonly bigint: true; readonly throwIfNoEntry: false },
) => BigIntStats | undefined;

function runStat(path: string, ask: StatFunction): StatResult {
  try {
    return ask(path, { bigint: true, throwIfNoEntry: false }) ?? "missing";
  } catch (error) {
    return isMissing(error) ? "missing" : new Unavailable(describeReason(path, error));
  }
}

async function statInThread(path: string): Promise<StatResult> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    return isMissing(error) ? "missing" : new Unavailable(describeReason(path, error));
  }
}

/** Returns the type of the file system that holds, or would hold, the path: its nearest existing folder's. */
async function readFileSystemType(path: string): Promise<number | null> {
  try {
    return (await statfs(path)).type;
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) return null;
    return readFileSystemType(dirname(path));
  }
}

export function readErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

export function isMissing(error: unknown): boolean {
  const code = readErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Says why a path could not be examined or read. */
export function describeReason(path: string, error: unknown): string {
  return `${path}: ${readErrorCode(error)}`;
}
