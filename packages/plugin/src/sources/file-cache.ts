// Texts of files: one stat for an unchanged file, a read for a changed one.
import { Unavailable } from "../context/source.ts";
import { mapMaybePromise } from "../context/system-context.ts";
import { describeReason, FileStats, isMissing, type StatResult } from "./file-stats.ts";
import {
  defaultLimitBytes,
  type FileIdentity,
  type ReadSettings,
  readFile,
  syncDisk,
  threadDisk,
} from "./read-file.ts";

/** Holds a regular file as it was last read, as the same object while its content is the same. */
export interface FileText {
  readonly path: string;
  readonly content: string;
}

/**
 * Describes a path. `irregular` means that a folder, a FIFO or a device is there, with nothing to read;
 * `outside` means that the path leads out of the folder that the cache is confined to.
 */
export type FileObservation = FileText | "missing" | "irregular" | "outside" | Unavailable;

/** Counts calls to the file system, for tests of I20. */
interface FileCounters {
  stats: number;
  reads: number;
}

interface CacheEntry {
  readonly identity: FileIdentity;
  /**
   * `settled` if a later change of the file must show in the identity; `fresh` if a later change could carry
   * the same time stamp.
   */
  readonly stamp: "settled" | "fresh";
  readonly text: FileText;
}

/** Covers the kernel's clock tick (up to 10 ms): two writes within one tick look alike. */
const clockTickMs = 20;

/**
 * Caches texts of files: one stat for an unchanged file, a read only for a changed or forgotten one. Never
 * throws.
 */
export class FileCache {
  readonly counters: FileCounters = { stats: 0, reads: 0 };
  readonly #entries = new Map<string, CacheEntry>();
  readonly #kept = new Map<object | string, ReadonlySet<string>>();

  /** The clock in `settings` must be the one that stamps the files. */
  constructor(
    private readonly settings: ReadSettings = createUnconfinedSettings(defaultLimitBytes),
    private readonly looks = new FileStats(),
  ) {}

  get limitBytes(): number {
    return this.settings.limitBytes;
  }

  /** Observes a file, synchronously if it is on a local disk. */
  observe(path: string): FileObservation | Promise<FileObservation> {
    this.counters.stats += 1;
    return mapMaybePromise(this.looks.stat(path), (look) => this.#toObservation(path, look));
  }

  /** Says whether the file is unchanged, as far as a synchronous check can show. */
  isCurrent(path: string, seen: FileObservation): boolean {
    const look = this.looks.statLocal(path);
    if (look === null || look instanceof Unavailable) return false;
    this.counters.stats += 1;
    if (look === "missing") return seen === "missing";
    const entry = this.#entries.get(path);
    return look.isFile() && entry?.text === seen && isUnchanged(entry, look);
  }

  /**
   * Sets all the paths that `owner` uses from now on, and forgets those it no longer uses. Another owner of a
   * forgotten path reads it once more.
   */
  keepFor(owner: object | string, paths: ReadonlySet<string>): void {
    for (const path of this.#kept.get(owner) ?? []) {
      if (paths.has(path)) continue;
      this.#entries.delete(path);
      this.looks.forget(path);
    }
    this.#kept.set(owner, paths);
  }

  #toObservation(path: string, seen: StatResult): FileObservation | Promise<FileObservation> {
    if (seen === "missing") return this.#evict(path, "missing");
    if (seen instanceof Unavailable) return seen;
    if (!seen.isFile()) return this.#evict(path, "irregular");
    const entry = this.#entries.get(path);
    if (entry && isUnchanged(entry, seen)) return entry.text;
    return this.#read(path, entry);
  }

  /**
   * Reads synchronously if the path is examined synchronously: a thread's answer comes five rounds of the
   * event loop later.
   */
  async #read(path: string, previous: CacheEntry | undefined): Promise<FileObservation> {
    try {
      const disk = this.looks.isKnownLocal(path) ? syncDisk : threadDisk;
      return this.#keep(path, previous, await readFile(path, this.settings, disk));
    } catch (error) {
      const vanished = `${path} vanished while it was read`;
      return new Unavailable(isMissing(error) ? vanished : describeReason(path, error));
    }
  }

  #keep(
    path: string,
    previous: CacheEntry | undefined,
    file: Awaited<ReturnType<typeof readFile>>,
  ): FileObservation {
    if (file === "irregular" || file === "outside") return this.#evict(path, file);
    const { identity, openedAtMs, content } = file;
    this.counters.reads += 1;
    const ageMs = openedAtMs - Number(identity.ctimeNs / 1_000_000n);
    const stamp = Math.abs(ageMs) < clockTickMs ? "fresh" : "settled";
    const text = previous?.text.content === content ? previous.text : { path, content };
    this.#entries.set(path, { identity, stamp, text });
    return text;
  }

  #evict<Reason extends "missing" | "irregular" | "outside">(path: string, reason: Reason): Reason {
    this.#entries.delete(path);
    return reason;
  }
}

/** Builds settings for reads that follow links wherever they lead, as the host does. */
export function createUnconfinedSettings(limitBytes: number): ReadSettings {
  return { limitBytes, now: Date.now, confinement: null };
}

/** Says whether the observation is a text; only texts are objects of their own. */
export function isFileText(observation: FileObservation): observation is FileText {
  return typeof observation === "object" && !(observation instanceof Unavailable);
}

function isUnchanged({ stamp, identity }: CacheEntry, seen: FileIdentity): boolean {
  return (
    stamp === "settled" &&
    identity.mtimeNs === seen.mtimeNs &&
    identity.ctimeNs === seen.ctimeNs &&
    identity.size === seen.size &&
    identity.ino === seen.ino
  );
}
