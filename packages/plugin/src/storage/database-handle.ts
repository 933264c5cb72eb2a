// The one connection of an instance, opened on first use and reopened after a failure.

import { StorageError } from "./errors.ts";
import type { MovedAside, OpenedDatabase } from "./open.ts";
import type { RuntimeDatabase } from "./store.ts";

/** After a failure to open or to write, further calls are spared the attempt for this long. */
const RETRY_AFTER_MS = 5_000;

interface DatabaseHandleDeps {
  readonly path: string;
  readonly open: () => Promise<OpenedDatabase>;
  /** A file that could not be used was moved aside, and a new one begun. */
  readonly movedAside: (moved: MovedAside) => void;
  /** Whether the file, or else its folder, can be written now. */
  readonly isWritable: () => boolean;
  /** By a clock that nobody sets. */
  readonly nowMs: () => number;
}

/** A failure to open or to write, and whether the file could have been written at that moment. */
interface Failure {
  readonly error: unknown;
  readonly atMs: number;
  readonly wasWritable: boolean;
}

/**
 * The connections of this process that were refused a write, by path. SQLite shares one WAL index
 * among all connections of a process: opened for reading only, it stays so until all have closed.
 */
const refusedByPath = new Map<string, Set<DatabaseHandle>>();

/** The one connection of this plugin instance: opened at first need, and again after a failure. */
export class DatabaseHandle {
  #database: RuntimeDatabase | null = null;
  #failure: Failure | null = null;
  #opening: Promise<void> | null = null;

  constructor(private readonly deps: DatabaseHandleDeps) {}

  get path(): string {
    return this.deps.path;
  }

  /** `failed`: it was to be opened, and can't be. */
  get state(): "open" | "failed" | "unopened" {
    if (this.#database) return "open";
    return this.#failure ? "failed" : "unopened";
  }

  /** @throws StorageError while the database can't be opened. */
  async ensure(): Promise<void> {
    if (this.#opening === null && !this.#isDue()) {
      if (this.#database) return;
      throw this.#failure?.error;
    }
    await this.#once(() => this.#openAll());
  }

  /** @throws StorageError while there is no open database. */
  current(): RuntimeDatabase {
    if (this.#database) return this.#database;
    throw this.#failure?.error instanceof StorageError
      ? this.#failure.error
      : new StorageError("unopenable", "The runtime's database is not open yet.");
  }

  /**
   * A connection that was opened where nothing could be written stays read-only even when the disk
   * becomes writable. It is replaced as soon as that happens, and is read until then.
   */
  refused(error: unknown): void {
    if (!(error instanceof StorageError) || error.code !== "read_only") return;
    if (this.#failure || !this.#database) return;
    this.#failure = this.#toFailure(error);
    const handles = refusedByPath.get(this.deps.path) ?? new Set();
    refusedByPath.set(this.deps.path, handles.add(this));
  }

  close(): void {
    refusedByPath.get(this.deps.path)?.delete(this);
    this.#database?.close();
    this.#database = null;
  }

  #toFailure(error: unknown): Failure {
    return { error, atMs: this.deps.nowMs(), wasWritable: this.deps.isWritable() };
  }

  #isDue(): boolean {
    if (!this.#failure) return this.#database === null;
    if (!this.#failure.wasWritable && this.deps.isWritable()) return true;
    if (this.deps.nowMs() - this.#failure.atMs < RETRY_AFTER_MS) return false;
    // An open connection goes on until the file can be written, whatever has refused it before.
    return this.#database === null || this.deps.isWritable();
  }

  async #openAll(): Promise<void> {
    const refused = this.deps.isWritable() ? (refusedByPath.get(this.deps.path) ?? []) : [];
    const others = [...refused].filter((handle) => handle !== this);
    for (const handle of [this, ...others]) handle.close();
    const reopened = others.map((handle) => handle.#once(() => handle.#open()));
    await this.#open().finally(() => Promise.allSettled(reopened));
  }

  #once(open: () => Promise<void>): Promise<void> {
    this.#opening ??= open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    try {
      const { database, movedAside } = await this.deps.open();
      this.#database = database;
      this.#failure = null;
      if (movedAside !== null) this.deps.movedAside(movedAside);
    } catch (error) {
      this.#failure = this.#toFailure(error);
      throw error;
    }
  }
}
