// Texts of files: one stat for an unchanged file, a read for a changed one.
import { Unavailable } from "../context/source.ts";
import { whenThere } from "../context/when-there.ts";
import { FileLooks, isMissing, type Look, reason } from "./file-looks.ts";
import { type Identity, type ReadFile, readByThread, readInPlace } from "./read-file.ts";
import { defaultLimitBytes } from "./text-limit.ts";

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

interface Entry {
  readonly identity: Identity;
  /** Whether a later change must show in the identity, or could carry the same time stamp. */
  readonly stamp: "settled" | "fresh";
  readonly text: FileText;
}

/** The kernel stamps files by its tick (up to 10 ms): two writes within one tick look alike. */
const tickMs = 20;

/** Texts of files: one stat for an unchanged file, a read only for a changed or forgotten one. Never throws. */
export class FileCache {
  readonly counters: FileCounters = { stats: 0, reads: 0 };
  readonly #entries = new Map<string, Entry>();
  readonly #kept = new Map<object | string, ReadonlySet<string>>();
  readonly #options: FileCacheOptions;

  constructor(
    options: FileCacheOptions = { limitBytes: defaultLimitBytes, now: Date.now },
    private readonly looks = new FileLooks(),
  ) {
    this.#options = options;
  }

  get limitBytes(): number {
    return this.#options.limitBytes;
  }

  /** At once where the file can be asked about in place. */
  observe(path: string): FileObservation | Promise<FileObservation> {
    this.counters.stats += 1;
    return whenThere(this.looks.look(path), (look) => this.#take(path, look));
  }

  /** Whether it is as it was seen, as far as that can be found out in place. */
  isStill(path: string, seen: FileObservation): boolean {
    const look = this.looks.lookInPlace(path);
    if (look === null || look instanceof Unavailable) return false;
    this.counters.stats += 1;
    if (look === "missing") return seen === "missing";
    const entry = this.#entries.get(path);
    return look.isFile() && entry?.text === seen && isUnchanged(entry, look);
  }

  /**
   * All that `owner` asks for from here on: what it asked for before, and now does not, is forgotten. Who
   * else asks for one of those reads it once more.
   */
  keepFor(owner: object | string, paths: ReadonlySet<string>): void {
    for (const path of this.#kept.get(owner) ?? []) {
      if (paths.has(path)) continue;
      this.#entries.delete(path);
      this.looks.forget(path);
    }
    this.#kept.set(owner, paths);
  }

  #take(path: string, seen: Look): FileObservation | Promise<FileObservation> {
    if (seen === "missing") return this.#forget(path, "missing");
    if (seen instanceof Unavailable) return seen;
    if (!seen.isFile()) return this.#forget(path, "irregular");
    const entry = this.#entries.get(path);
    if (entry && isUnchanged(entry, seen)) return entry.text;
    return this.#read(path, entry);
  }

  /** Where it is looked at in place it is read in place: by threads it comes five rounds of the event loop later. */
  #read(path: string, previous: Entry | undefined): FileObservation | Promise<FileObservation> {
    const keep = (file: ReadFile | "irregular") => this.#keep(path, previous, file);
    const failed = (error: unknown) =>
      new Unavailable(
        isMissing(error) ? `${path} vanished while it was read` : reason(path, error),
      );
    if (!this.looks.isInPlace(path)) {
      return readByThread(path, this.#options).then(keep, failed);
    }
    try {
      return keep(readInPlace(path, this.#options));
    } catch (error) {
      return failed(error);
    }
  }

  #keep(path: string, previous: Entry | undefined, file: ReadFile | "irregular"): FileObservation {
    if (file === "irregular") return this.#forget(path, "irregular");
    const { identity, openedAtMs, content } = file;
    this.counters.reads += 1;
    const ageMs = openedAtMs - Number(identity.ctimeNs / 1_000_000n);
    const stamp = Math.abs(ageMs) < tickMs ? "fresh" : "settled";
    const text = previous?.text.content === content ? previous.text : { path, content };
    this.#entries.set(path, { identity, stamp, text });
    return text;
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

function isUnchanged({ stamp, identity }: Entry, seen: Identity): boolean {
  return (
    stamp === "settled" &&
    identity.mtimeNs === seen.mtimeNs &&
    identity.ctimeNs === seen.ctimeNs &&
    identity.size === seen.size &&
    identity.ino === seen.ino
  );
}
