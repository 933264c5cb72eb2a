// Reads files inside a folder, or parts of them: synchronously on local disks, elsewhere by threads.
import * as fs from "node:fs";
import { type BigIntStats, constants } from "node:fs";
import { promisify } from "node:util";
import { isWithin } from "../project/find-project.ts";

// The file system, read synchronously or by threads.

type MaybePromise<T> = T | Promise<T>;

/** Reads the file system, synchronously or by threads. */
export interface Disk {
  open(path: string, flags: number): MaybePromise<number>;
  stat(file: number): MaybePromise<fs.BigIntStats>;
  lstat(path: string): MaybePromise<fs.BigIntStats>;
  realpath(path: string): MaybePromise<string>;
  /**
   * Fills `into` from index `at` with bytes from `position`; returns how many bytes were read, 0 at the end.
   */
  read(file: number, into: Buffer, at: number, position: number): MaybePromise<number>;
  close(file: number): MaybePromise<void>;
}

/** Reads synchronously; only for local disks, because a disk that hangs would hang the host. */
export const syncDisk: Disk = {
  open: fs.openSync,
  stat: (file) => fs.fstatSync(file, { bigint: true }),
  lstat: (path) => fs.lstatSync(path, { bigint: true }),
  realpath: (path) => fs.realpathSync(path),
  read: (file, into, at, position) => fs.readSync(file, into, at, into.length - at, position),
  close: fs.closeSync,
};

const [open, stat, read] = [promisify(fs.open), promisify(fs.fstat), promisify(fs.read)];

/** Reads by a thread, so that a slow disk blocks nothing. */
export const threadDisk: Disk = {
  open: (path, flags) => open(path, flags),
  stat: (file) => stat(file, { bigint: true }),
  lstat: (path) => fs.promises.lstat(path, { bigint: true }),
  realpath: (path) => fs.promises.realpath(path),
  read: async (file, into, at, position) =>
    (await read(file, into, at, into.length - at, position)).bytesRead,
  close: promisify(fs.close),
};

// Keeps the paths that a project's own settings name inside the project, after links are resolved.

export { isWithin };

/** Confines reads to a folder: no path, whatever links it uses, may lead outside. */
export class Confinement {
  /** Calls `refused` for each path that leads out. */
  constructor(
    private readonly root: string,
    private readonly refused: (path: string) => void,
  ) {}

  /** Returns the path without links; null if it lies outside. Rejects as the file system does. */
  async resolve(path: string, disk: Disk): Promise<string | null> {
    const target = await disk.realpath(path);
    if (isWithin(await disk.realpath(this.root), target)) return target;
    this.refused(path);
    return null;
  }

  /** Says whether the opened file is the resolved one: a folder in its path may have become a link since. */
  async isSameFile(target: string, opened: BigIntStats, disk: Disk): Promise<boolean> {
    const there = await disk.lstat(target);
    const same = there.ino === opened.ino && there.dev === opened.dev;
    if (same && (await disk.realpath(target)) === target) return true;
    this.refused(target);
    return false;
  }

  /** Says whether a folder to list lies inside; one that can't be resolved has nothing to list. */
  async contains(folder: string): Promise<boolean> {
    return (await this.resolve(folder, threadDisk).catch(() => null)) !== null;
  }
}

// Decodes a text as the host does, and cuts it at a limit with a note.

/** Limits the text of one file or address in the context, in UTF-8 bytes. */
export const defaultLimitBytes = 1_048_576;

/**
 * Returns how many bytes to read so that `decode` and `limitText` give the same result as for the whole text:
 * a code point that is cut off at their end, and a BOM at their beginning, lie beyond the limit.
 */
export function countBytesToRead(limitBytes: number): number {
  return limitBytes + 8;
}

/** Decodes as the host does: a BOM is dropped, and invalid UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/**
 * Cuts a text at the last code point within the limit and adds a note; the result depends on text and limit
 * only.
 */
export function limitText(text: string, limitBytes: number): string {
  // A UTF-16 unit needs at most three bytes.
  if (text.length * 3 <= limitBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limitBytes));
  if (read === text.length) return text;
  // Bun 1.3.14 reads half a surrogate pair if exactly three bytes are left.
  const end = (text.codePointAt(read - 1) ?? 0) > 0xffff ? read - 1 : read;
  return `${text.slice(0, end)}\n[Cut here: the rest, after ${limitBytes} bytes, is left out.]`;
}

/** Holds the facts that show whether a file has changed. */
export interface FileIdentity {
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

/** Holds a regular file and its content. */
interface LoadedFile {
  readonly identity: FileIdentity;
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
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** An open regular file, with its identity at opening. */
export interface OpenFile {
  readonly identity: BigIntStats;
  /** Reads up to `bytes` bytes from `position`. */
  read(position: number, bytes: number): Promise<Buffer>;
}

/**
 * Opens a regular file and returns the result of `use`. `leadsTo` limits where links on its path may lead:
 * `itself` allows only a plain file, and null allows anything. On a local disk it yields to microtasks only,
 * never to the event loop. Rejects as the file system does.
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
  const file = await disk.open(target, leadsTo ? OPEN_FLAGS | constants.O_NOFOLLOW : OPEN_FLAGS);
  try {
    const identity = await disk.stat(file);
    if (!identity.isFile()) return "irregular";
    if (confinement && !(await confinement.isSameFile(target, identity, disk))) return "outside";
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
): Promise<LoadedFile | "irregular" | "outside"> {
  const { confinement, limitBytes, now } = settings;
  return withOpenFile(path, confinement, disk, async ({ identity, read }) => {
    const openedAtMs = now();
    const bytes = await read(0, chooseCapacity(identity, limitBytes));
    return { identity, openedAtMs, content: limitText(decodeUtf8(bytes), limitBytes) };
  });
}

/** Chooses a buffer's size: files of pseudo file systems report size 0, so they get a page at least. */
function chooseCapacity({ size }: FileIdentity, limitBytes: number): number {
  return Math.min(countBytesToRead(limitBytes), Math.max(Number(size), 4096) + 1);
}
