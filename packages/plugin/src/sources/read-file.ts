// Reads a regular file, or parts of it: synchronously on local disks, elsewhere by threads.
import { type BigIntStats, constants } from "node:fs";
import type { Confinement } from "./confinement.ts";
import type { Disk } from "./disk.ts";
import { bytesToRead, decode, limitText } from "./text-limit.ts";

/** Holds the facts that show whether a file has changed. */
export interface Identity {
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

/** Holds a regular file and its content. */
interface ReadFile {
  readonly identity: Identity;
  /** The time after opening and before reading: milliseconds since 1970. */
  readonly openedAtMs: number;
  readonly content: string;
}

/** Says how much is read, by which clock, and from where. */
export interface ReadSettings {
  readonly limitBytes: number;
  readonly now: () => number;
  /** Confines the read; null lets links lead anywhere. */
  readonly confinement: Confinement | null;
}

// Opening must not block: a FIFO may have replaced the regular file.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** An open regular file, with its identity at opening. */
export interface OpenFile {
  readonly identity: BigIntStats;
  /** Reads up to `bytes` bytes from `position`. */
  read(position: number, bytes: number): Promise<Buffer>;
}

/**
 * Opens a regular file and returns the result of `use`. `leadsTo` limits where links on its path may lead,
 * with `itself` for a plain file and null for anywhere. On a local disk it yields to microtasks
 * only, never to the event loop. Rejects as the file system does.
 */
export async function withOpenFile<T>(
  path: string,
  leadsTo: Confinement | "itself" | null,
  disk: Disk,
  use: (file: OpenFile) => Promise<T>,
): Promise<T | "irregular" | "outside"> {
  const confinement = leadsTo === "itself" ? null : leadsTo;
  const target = confinement ? await confinement.resolve(path, disk) : path;
  if (target === null) return "outside";
  const file = await disk.open(target, leadsTo ? FLAGS | constants.O_NOFOLLOW : FLAGS);
  try {
    const identity = await disk.stat(file);
    if (!identity.isFile()) return "irregular";
    if (confinement && !(await confinement.isStill(target, identity, disk))) return "outside";
    return await use({
      identity,
      read: (position, bytes) => readAt(disk, file, position, Buffer.allocUnsafe(bytes)),
    });
  } finally {
    await disk.close(file);
  }
}

async function readAt(disk: Disk, file: number, position: number, into: Buffer): Promise<Buffer> {
  let length = 0;
  for (let count = -1; count !== 0 && length < into.length; length += count) {
    count = await disk.read(file, into, length, position + length);
  }
  return into.subarray(0, length);
}

/** Reads all of a file's text, up to the limit. */
export function readFile(
  path: string,
  settings: ReadSettings,
  disk: Disk,
): Promise<ReadFile | "irregular" | "outside"> {
  const { confinement, limitBytes, now } = settings;
  return withOpenFile(path, confinement, disk, async ({ identity, read }) => {
    const openedAtMs = now();
    const bytes = await read(0, capacityFor(identity, limitBytes));
    return { identity, openedAtMs, content: limitText(decode(bytes), limitBytes) };
  });
}

/** Chooses a buffer's size: files of pseudo file systems report size 0, so they get a page at least. */
function capacityFor({ size }: Identity, limitBytes: number): number {
  return Math.min(bytesToRead(limitBytes), Math.max(Number(size), 4096) + 1);
}
