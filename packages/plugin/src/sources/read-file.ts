// Reads a regular file up to a limit: on disks of this machine in place, elsewhere by threads.
import { constants } from "node:fs";
import type { Confinement } from "./confinement.ts";
import type { Disk } from "./disk.ts";
import { bytesToRead, decode, limitText } from "./text-limit.ts";

/** What tells whether a file has changed. */
export interface Identity {
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

/** A regular file, and what was in it. */
export interface ReadFile {
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

/** In place it gives the microtask queue away, never the event loop. Rejects as the file system does. */
export async function readFile(
  path: string,
  settings: ReadSettings,
  disk: Disk,
): Promise<ReadFile | "irregular" | "outside"> {
  const { confinement } = settings;
  const target = confinement ? await confinement.resolve(path, disk) : path;
  if (target === null) return "outside";
  const file = await disk.open(target, confinement ? FLAGS | constants.O_NOFOLLOW : FLAGS);
  try {
    const identity = await disk.stat(file);
    if (!identity.isFile()) return "irregular";
    if (confinement && !(await confinement.isStill(target, identity, disk))) return "outside";
    const openedAtMs = settings.now();
    const bytes = bufferFor(identity, settings);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count) {
      count = await disk.read(file, bytes, length);
    }
    const content = limitText(decode(bytes.subarray(0, length)), settings.limitBytes);
    return { identity, openedAtMs, content };
  } finally {
    await disk.close(file);
  }
}

/** Files of pseudo file systems say that they are empty: they get a page at least. */
function bufferFor({ size }: Identity, { limitBytes }: ReadSettings): Buffer {
  const capacity = bytesToRead(limitBytes);
  return Buffer.allocUnsafe(Math.min(capacity, Math.max(Number(size), 4096) + 1));
}
