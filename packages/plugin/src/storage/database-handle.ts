// The one connection of an instance, opened on first use and reopened after a failure.
import type { RuntimeDatabase } from "./database.ts";
import { StorageError } from "./errors.ts";
import type { MovedDatabase, OpenedDatabase } from "./open.ts";

/** Calls within this time after a failure to open or write don't try again. */
const RETRY_AFTER_MS = 5_000;

interface DatabaseHandleDeps {
  readonly path: string;
  readonly open: () => Promise<OpenedDatabase>;
  /** Reports that an unusable file was moved aside and a new one created. */
  readonly movedAside: (moved: MovedDatabase) => void;
  /** Says whether the file, or its folder if there is no file, can be written now. */
  readonly isWritable: () => boolean;
  /** Reads a monotonic clock, which nobody can set. */
  readonly nowMs: () => number;
}

/** Records a failure to open or write, and whether the file was writable at that moment. */
interface DatabaseFailure {
  readonly error: unknown;
  readonly atMs: number;
  readonly wasWritable: boolean;
}

/**
 * Holds this process's connections that were refused a write, by path. SQLite shares one WAL index among all
 * connections of a process: if it was opened for reading only, it stays so until all have closed.
 */
const refusedHandlesByPath = new Map<string, Set<DatabaseHandle>>();

/** Holds the one connection of this plugin instance, opened on first use and again after a failure. */
export class DatabaseHandle {
  #database: RuntimeDatabase | null = null;
  #failure: DatabaseFailure | null = null;
  #opening: Promise<void> | null = null;

  constructor(private readonly deps: DatabaseHandleDeps) {}

  get path(): string {
    return this.deps.path;
  }

  /** `failed` means that opening the database was tried and did not work. */
  get state(): "open" | "failed" | "unopened" {
    if (this.#database) return "open";
    return this.#failure ? "failed" : "unopened";
  }

  /** Opens the database if needed. @throws StorageError while it can't be opened. */
  async ensure(): Promise<void> {
    if (this.#opening === null && !this.#isDue()) {
      if (this.#database) return;
      throw this.#failure?.error;
    }
    await this.#openOnce(() => this.#openAll());
  }

  /** Returns the open database. @throws StorageError while there is none. */
  current(): RuntimeDatabase {
    if (this.#database) return this.#database;
    throw this.#failure?.error instanceof StorageError
      ? this.#failure.error
      : new StorageError("unopenable", "The runtime's database is not open yet.");
  }

  /**
   * Handles a refused write. A connection that was opened while nothing could be written stays read-only even
   * when the disk becomes writable, so it is replaced as soon as that happens and serves reads until then.
   */
  onRefused(error: unknown): void {
    if (!(error instanceof StorageError) || error.code !== "read_only") return;
    if (this.#failure || !this.#database) return;
    this.#failure = this.#toFailure(error);
    const handles = refusedHandlesByPath.get(this.deps.path) ?? new Set();
    refusedHandlesByPath.set(this.deps.path, handles.add(this));
  }

  close(): void {
    refusedHandlesByPath.get(this.deps.path)?.delete(this);
    this.#database?.close();
    this.#database = null;
  }

  #toFailure(error: unknown): DatabaseFailure {
    return { error, atMs: this.deps.nowMs(), wasWritable: this.deps.isWritable() };
  }

  #isDue(): boolean {
    if (!this.#failure) return this.#database === null;
    if (!this.#failure.wasWritable && this.deps.isWritable()) return true;
    if (this.deps.nowMs() - this.#failure.atMs < RETRY_AFTER_MS) return false;
    // An open connection stays in use until the file can be written, whatever caused the earlier refusal.
    return this.#database === null || this.deps.isWritable();
  }

  async #openAll(): Promise<void> {
    const refusedHandles = this.deps.isWritable()
      ? (refusedHandlesByPath.get(this.deps.path) ?? [])
      : [];
    const others = [...refusedHandles].filter((handle) => handle !== this);
    for (const handle of [this, ...others]) handle.close();
    const reopened = others.map((handle) => handle.#openOnce(() => handle.#open()));
    await this.#open().finally(() => Promise.allSettled(reopened));
  }

  #openOnce(open: () => Promise<void>): Promise<void> {
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
