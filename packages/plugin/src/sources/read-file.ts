// Reads a regular file up to a limit: in place, or by threads.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
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

/** How much is read, and by which clock. */
export interface ReadSettings {
  readonly limitBytes: number;
  readonly now: () => number;
}

// Not blocking: what was a regular file a moment ago may be a FIFO now.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** In place: for disks of this machine only. @throws what the file system throws. */
export function readInPlace(path: string, settings: ReadSettings): ReadFile | "irregular" {
  const file = openSync(path, FLAGS);
  try {
    const identity = fstatSync(file, { bigint: true });
    if (!identity.isFile()) return "irregular";
    const openedAtMs = settings.now();
    const bytes = bufferFor(identity, settings);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, length);
    }
    return { identity, openedAtMs, content: textOf(bytes, length, settings) };
  } finally {
    closeSync(file);
  }
}

/** By threads: takes as long as it takes, and holds nobody up. Rejects as the file system does. */
export async function readByThread(
  path: string,
  settings: ReadSettings,
): Promise<ReadFile | "irregular"> {
  const handle = await open(path, FLAGS);
  try {
    const identity = await handle.stat({ bigint: true });
    if (!identity.isFile()) return "irregular";
    const openedAtMs = settings.now();
    const bytes = bufferFor(identity, settings);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = (await handle.read(bytes, length, bytes.length - length, length)).bytesRead;
    }
    return { identity, openedAtMs, content: textOf(bytes, length, settings) };
  } finally {
    await handle.close();
  }
}

/** Files of pseudo file systems say that they are empty: they get a page at least. */
function bufferFor({ size }: Identity, { limitBytes }: ReadSettings): Buffer {
  const capacity = bytesToRead(limitBytes);
  return Buffer.allocUnsafe(Math.min(capacity, Math.max(Number(size), 4096) + 1));
}

function textOf(bytes: Buffer, length: number, { limitBytes }: ReadSettings): string {
  const extent = length === bytesToRead(limitBytes) ? "partial" : "whole";
  return limitText(decode(bytes.subarray(0, length), extent), limitBytes);
}
