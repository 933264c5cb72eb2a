import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Unavailable } from "../context/source.ts";
import { whenThere } from "../context/when-there.ts";
import { FileLooks, isMissing, type Look, reason } from "./file-looks.ts";
import { bytesToRead, decode, defaultLimitBytes, limitText } from "./text-limit.ts";

/** A regular file as it was last read. The same object as long as its content is the same. */
export interface FileText {
  readonly path: string;
  readonly content: string;
}

/** `irregular`: a folder, a FIFO, a device: there, but nothing to read. */
export type FileObservation = FileText | "missing" | "irregular" | Unavailable;

export interface FileCacheOptions {
  readonly limitBytes: number;
  /** Milliseconds since 1970, by the clock that stamps the files. */
  readonly now: () => number;
}

/** How often the file system was asked, for tests of I20. */
export interface FileCounters {
  stats: number;
  reads: number;
}

interface Identity {
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

interface Entry {
  readonly identity: Identity;
  /** Whether a later change must show in the identity, or could carry the same time stamp. */
  readonly stamp: "settled" | "fresh";
  readonly text: FileText;
}

/** The kernel stamps files by its tick (up to 10 ms): two writes within one tick look alike. */
const tickMs = 20;

/** Texts of files: one stat for an unchanged file, a read only for a changed one. Never throws. */
export class FileCache {
  readonly counters: FileCounters = { stats: 0, reads: 0 };
  readonly #looks = new FileLooks();
  readonly #entries = new Map<string, Entry>();
  readonly #options: FileCacheOptions;

  constructor(options: FileCacheOptions = { limitBytes: defaultLimitBytes, now: Date.now }) {
    this.#options = options;
  }

  get limitBytes(): number {
    return this.#options.limitBytes;
  }

  /** At once where an unchanged file can be asked about in place. */
  observe(path: string): FileObservation | Promise<FileObservation> {
    this.counters.stats += 1;
    return whenThere(this.#looks.look(path), (look) => this.#take(path, look));
  }

  /** Whether it is as it was seen, as far as that can be found out in place. */
  isStill(path: string, seen: FileObservation): boolean {
    const look = this.#looks.lookInPlace(path);
    if (look === null || look instanceof Unavailable) return false;
    this.counters.stats += 1;
    if (look === "missing") return seen === "missing";
    const entry = this.#entries.get(path);
    return look.isFile() && entry?.text === seen && isUnchanged(entry, look);
  }

  #take(path: string, seen: Look): FileObservation | Promise<FileObservation> {
    if (seen === "missing") return this.#forget(path, "missing");
    if (seen instanceof Unavailable) return seen;
    if (!seen.isFile()) return this.#forget(path, "irregular");
    const entry = this.#entries.get(path);
    if (entry && isUnchanged(entry, seen)) return entry.text;
    return this.#read(path, entry);
  }

  async #read(path: string, previous: Entry | undefined): Promise<FileObservation> {
    try {
      // Not blocking: what was a regular file a moment ago may be a FIFO now.
      const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const identity = await handle.stat({ bigint: true });
        if (!identity.isFile()) return this.#forget(path, "irregular");
        const stamp = this.#stampOf(identity);
        this.counters.reads += 1;
        const content = await readText(handle, identity.size, this.#options.limitBytes);
        const text = previous?.text.content === content ? previous.text : { path, content };
        this.#entries.set(path, { identity, stamp, text });
        return text;
      } finally {
        await handle.close();
      }
    } catch (error) {
      return new Unavailable(
        isMissing(error) ? `${path} vanished while it was read` : reason(path, error),
      );
    }
  }

  #stampOf(identity: Identity): Entry["stamp"] {
    const ageMs = this.#options.now() - Number(identity.ctimeNs / 1_000_000n);
    return Math.abs(ageMs) < tickMs ? "fresh" : "settled";
  }

  #forget<Word extends "missing" | "irregular">(path: string, word: Word): Word {
    this.#entries.delete(path);
    return word;
  }
}

/** Only a text is an object of its own: the rest are words. */
export function isFileText(observation: FileObservation): observation is FileText {
  return typeof observation === "object" && !(observation instanceof Unavailable);
}

async function readText(handle: FileHandle, size: bigint, limitBytes: number): Promise<string> {
  const capacity = bytesToRead(limitBytes);
  // Files of pseudo file systems say that they are empty: they get a page at least.
  const buffer = Buffer.allocUnsafe(Math.min(capacity, Math.max(Number(size), 4096) + 1));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  const extent = length === capacity ? "partial" : "whole";
  return limitText(decode(buffer.subarray(0, length), extent), limitBytes);
}

function isUnchanged({ stamp, identity }: Entry, seen: Identity): boolean {
  return (
    stamp === "settled" &&
    identity.mtimeNs === seen.mtimeNs &&
    identity.ctimeNs === seen.ctimeNs &&
    identity.size === seen.size &&
    identity.ino === seen.ino
  );
}
