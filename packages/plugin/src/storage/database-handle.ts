// The one connection of an instance, opened on first use and reopened after a failure.
import type { OpenedDatabase } from "./open.ts";
import { type RuntimeDatabase, StorageError } from "./store.ts";

/** After a failure to open or to write, further calls are spared the attempt for this long. */
const RETRY_AFTER_MS = 5_000;

export interface DatabaseHandleDeps {
  readonly open: () => Promise<OpenedDatabase>;
  /** A damaged file was moved aside, and a new one begun. */
  readonly movedAside: (path: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The one connection of this plugin instance: opened at first need, and again after a failure. */
export class DatabaseHandle {
  #database: RuntimeDatabase | null = null;
  #failure: { readonly error: unknown; readonly atMs: number } | null = null;
  #opening: Promise<void> | null = null;
  #refusedAtMs: number | null = null;

  constructor(private readonly deps: DatabaseHandleDeps) {}

  /** @throws StorageError while the database can't be opened. */
  async ensure(): Promise<void> {
    if (this.#database && !this.#isDueAnew()) return;
    const failure = this.#failure;
    if (failure && this.deps.now() - failure.atMs < RETRY_AFTER_MS) throw failure.error;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    await this.#opening;
  }

  /** @throws StorageError while there is no open database. */
  current(): RuntimeDatabase {
    if (this.#database) return this.#database;
    throw this.#failure?.error instanceof StorageError
      ? this.#failure.error
      : new StorageError("unopenable", "The runtime's database is not open yet.");
  }

  /**
   * A connection that was opened where nothing could be written stays so, also when the disk has
   * become writable: another one is opened then. Until it is there, the old one goes on.
   */
  refused(error: unknown): void {
    if (!(error instanceof StorageError) || error.code !== "read_only") return;
    this.#refusedAtMs ??= this.deps.now();
  }

  #isDueAnew(): boolean {
    return this.#refusedAtMs !== null && this.deps.now() - this.#refusedAtMs >= RETRY_AFTER_MS;
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }

  async #open(): Promise<void> {
    try {
      const { database, movedAside } = await this.deps.open();
      this.#database?.close();
      this.#database = database;
      this.#refusedAtMs = null;
      this.#failure = null;
      if (movedAside !== null) this.deps.movedAside(movedAside);
    } catch (error) {
      if (this.#database) {
        this.#refusedAtMs = this.deps.now();
        return;
      }
      this.#failure = { error, atMs: this.deps.now() };
      throw error;
    }
  }
}
