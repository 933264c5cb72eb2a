// Reads a regular file, or parts of it: on disks of this machine in place, elsewhere by threads.
import { type BigIntStats, constants } from "node:fs";
import type { Confinement } from "./confinement.ts";
import type { Disk } from "./disk.ts";
import { bytesToRead, decode, limitText } from "./text-limit.ts";

/** What shows whether a file has changed. */
export interface Identity {
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

/** A regular file, and what was in it. */
interface ReadFile {
  readonly identity: Identity;
  /** When it had been opened and not yet read: milliseconds since 1970. */
  readonly openedAtMs: number;
  readonly content: string;
}

/** How much is read, by which clock, and from where. */
export interface ReadSettings {
  readonly limitBytes: number;
  readonly now: () => number;
  /** Null: links may lead anywhere. */
  readonly confinement: Confinement | null;
}

// Not blocking: what was a regular file a moment ago may be a FIFO now.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** A regular file that is open, its identity as it was opened. */
export interface OpenFile {
  readonly identity: BigIntStats;
  /** So many bytes from `position` on, or as many as there are. */
  read(position: number, bytes: number): Promise<Buffer>;
}

/**
 * What `use` makes of a regular file. `leadsTo`: where links on the way to it may lead, `itself` for a file that
 * is none; null for anywhere. In place it gives the microtask queue away, never the event loop.
 * Rejects as the file system does.
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

/** All of its text, up to the limit. */
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

/** Files of pseudo file systems say that they are empty: they get a page at least. */
function capacityFor({ size }: Identity, limitBytes: number): number {
  return Math.min(bytesToRead(limitBytes), Math.max(Number(size), 4096) + 1);
}
