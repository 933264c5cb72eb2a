// How a path is examined: in place on a local disk, else by a thread.
import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Unavailable } from "../context/source.ts";

/** What the file system says of a path now. */
export type StatResult = BigIntStats | "missing" | Unavailable;

/**
 * How a path is asked about. On a disk of this machine in place: the answer takes microseconds, while a
 * thread's comes when the host's event loop is free again, some 15 ms later in the middle of a turn.
 * `elsewhere` it may take for ever, and is a thread's to wait for.
 */
type StatStrategy = "there" | "gap" | "elsewhere";

/** The kernel's numbers of file systems that wait for no network and no other process (linux/magic.h). */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, // ext2 to ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x2fc12fc1, // ZFS
  0x794c7630, // overlayfs
  0x01021994, // tmpfs
]);

/** Whether a file system of this type is a disk of this machine; other systems than Linux have other numbers. */
function isLocalType(type: number): boolean {
  return process.platform === "linux" && LOCAL_TYPES.has(type);
}

/** Looks at paths: in place where that can't hang, else by a thread. Never throws, never rejects. */
export class FileStats {
  readonly #standings = new Map<string, StatStrategy>();

  constructor(private readonly isLocal: (type: number) => boolean = isLocalType) {}

  stat(path: string): StatResult | Promise<StatResult> {
    const look = this.statInPlace(path);
    if (look !== null) return look;
    return this.#standings.get(path) === "elsewhere" ? byThread(path) : this.#anew(path);
  }

  /** Whether what stands there is on a disk of this machine, as it was last looked at. */
  isInPlace(path: string): boolean {
    return this.#standings.get(path) === "there";
  }

  /** Null where it is a thread's to look. */
  statInPlace(path: string): StatResult | null {
    switch (this.#standings.get(path)) {
      case "there":
        return this.#again(path);
      case "gap":
        // What has come there may be a link to anywhere: it is not followed here.
        return inPlace(path, lstatSync) === "missing" ? "missing" : null;
      case "elsewhere":
      case undefined:
        return null;
    }
  }

  forget(path: string): void {
    this.#standings.delete(path);
  }

  #again(path: string): StatResult {
    const look = inPlace(path, statSync);
    if (look === "missing") this.#standings.delete(path);
    return look;
  }

  async #anew(path: string): Promise<StatResult> {
    this.#standings.delete(path);
    const look = await byThread(path);
    if (look instanceof Unavailable) return look;
    const type = await typeAt(path);
    if (type === null) return look;
    const here = look === "missing" ? "gap" : "there";
    this.#standings.set(path, this.isLocal(type) ? here : "elsewhere");
    return look;
  }
}

type StatInPlace = (
  path: string,
  options: { readonly bigint: true; readonly throwIfNoEntry: false },
) => BigIntStats | undefined;

function inPlace(path: string, ask: StatInPlace): StatResult {
  try {
    return ask(path, { bigint: true, throwIfNoEntry: false }) ?? "missing";
  } catch (error) {
    return isMissing(error) ? "missing" : new Unavailable(reason(path, error));
  }
}

async function byThread(path: string): Promise<StatResult> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    return isMissing(error) ? "missing" : new Unavailable(reason(path, error));
  }
}

/** The type of the file system that holds the path, or would: that of the nearest folder that is there. */
async function typeAt(path: string): Promise<number | null> {
  try {
    return (await statfs(path)).type;
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) return null;
    return typeAt(dirname(path));
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Why a path could not be looked at or read. */
export function reason(path: string, error: unknown): string {
  return `${path}: ${errorCode(error)}`;
}
