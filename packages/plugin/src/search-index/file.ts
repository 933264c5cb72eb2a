// The index's file: derived data, which is deleted and rebuilt when it is unusable.
import { rmSync } from "node:fs";
import type { Notice, Notices } from "../log/notices.ts";
import { loadRuntimeDriver } from "../storage/connect.ts";
import type { Driver, OpenDriver } from "../storage/driver.ts";
import { StorageError, toStorageError, withStorageErrors } from "../storage/errors.ts";
import {
  createPrivateFile,
  makePrivate,
  readFileIdentity,
  readSizeOnDisk,
} from "../storage/files.ts";
import { guardRealData, readPathEnvironment } from "../storage/location.ts";
import type { ProjectId } from "../storage/records.ts";
import {
  type CollectionScope,
  PROJECT_DOCUMENT_KINDS,
  SESSIONS_PER_PROJECT,
  toProjectCollectionKey,
} from "./collection.ts";
import {
  createIndexPathBlockedNotice,
  findOccupant,
  INDEX_PATH_BLOCKED_CODE,
  IndexPathBlockedError,
  indexRecreatedNotice,
  type PathObstacle,
  toIndexPath,
} from "./place.ts";
import { prepareTables } from "./schema.ts";
import { IndexStore } from "./store.ts";

// Moves index data when a project's key changes or a session belongs to another project.

/**
 * Gives a project the documents that are indexed under its other names, if it has none yet. Otherwise its
 * sessions move when they are next active, and its other documents are indexed again.
 */
export function adoptDocuments(
  store: IndexStore,
  project: ProjectId,
  names: readonly string[],
): void {
  const { driver } = store;
  const isKnown = (key: string) => driver.get(SELECT_PROJECT, key) !== null;
  const known = names.filter(isKnown);
  if (known.length === 0) return;
  driver.transaction(() => {
    for (const name of known) {
      const isFirst = !isKnown(project);
      if (isFirst) driver.run("UPDATE project SET key = ? WHERE key = ?", project, name);
      for (const kind of PROJECT_DOCUMENT_KINDS) {
        if (isFirst)
          driver.run(
            RENAME_COLLECTION,
            toProjectCollectionKey(project, kind),
            toProjectCollectionKey(name, kind),
          );
        else store.removeSession(toProjectCollectionKey(name, kind));
      }
    }
  });
}

/**
 * Removes a session's documents if they belonged to another project, so that they are indexed again.
 * @returns whether it removed them
 */
export function removeMovedSession(
  store: IndexStore,
  { sessionId, project }: CollectionScope,
): boolean {
  const collection = store.driver.get("SELECT id FROM collection WHERE key = ?", sessionId);
  if (!collection) return false;
  const own = store.driver.get(SELECT_PROJECT, project);
  if (Math.floor(Number(collection.id) / SESSIONS_PER_PROJECT) === Number(own?.id)) return false;
  store.removeSession(sessionId);
  return true;
}

const SELECT_PROJECT = "SELECT id FROM project WHERE key = ?";

const RENAME_COLLECTION = "UPDATE collection SET key = ? WHERE key = ?";

/**
 * Limits the wait for a lock: it blocks the host's own thread, and what isn't indexed now is indexed later.
 */
const BUSY_TIMEOUT_MS = 50;

interface IndexFileDeps {
  readonly path: string;
  readonly openDriver: OpenDriver;
  /** Reports a problem with the index to the user. */
  readonly notice: (notice: Notice) => void;
  /** Reports that the cause of the notice with this code has ended. */
  readonly over: (code: string) => void;
}

/** Names a project and its previous names. */
interface ProjectAdoption {
  readonly project: ProjectId;
  readonly names: readonly string[];
}

export class IndexFile {
  #store: IndexStore | null = null;
  #identity: string | null = null;
  #generation = 0;
  #adopting: ProjectAdoption | null = null;

  constructor(private readonly deps: IndexFileDeps) {}

  /** Changes whenever the file is replaced, which makes cached facts about the previous file invalid. */
  get generation(): number {
    return this.#generation;
  }

  get sizeBytes(): number {
    return readSizeOnDisk(this.deps.path);
  }

  /**
   * Runs `work` on the index; a damaged index is emptied first, and `work` is then run once more.
   * @throws StorageError, and IndexPathBlockedError if something else is at the file's path
   */
  use<T>(work: (store: IndexStore) => T): T {
    try {
      return work(this.#openUpToDate());
    } catch (error) {
      if (!isDamageError(error)) throw error;
      this.#deleteFiles();
      this.deps.notice(indexRecreatedNotice);
      return work(this.#openUpToDate());
    }
  }

  /** Has the project renamed at the next use of the index, without opening or creating the file now. */
  adopt(project: ProjectId, names: readonly string[]): void {
    this.#adopting = { project, names };
  }

  close(): void {
    const store = this.#store;
    this.#store = null;
    store?.driver.close();
  }

  #openUpToDate(): IndexStore {
    const store = this.#open();
    const adopting = this.#adopting;
    if (adopting) adoptDocuments(store, adopting.project, adopting.names);
    this.#adopting = null;
    return store;
  }

  #open(): IndexStore {
    const { path } = this.deps;
    // SQLite would go on writing into a file that was deleted.
    if (this.#store && readFileIdentity(path) === this.#identity) return this.#store;
    this.close();
    guardRealData(path, readPathEnvironment());
    const occupant = findOccupant(path);
    if (occupant !== null) throw this.#reportBlockedPath(occupant);
    createPrivateFile(path);
    makePrivate(path);
    const store = new IndexStore(this.#connect());
    this.#store = store;
    this.#identity = readFileIdentity(path);
    this.#generation += 1;
    this.deps.over(INDEX_PATH_BLOCKED_CODE);
    return store;
  }

  #reportBlockedPath(occupant: PathObstacle): IndexPathBlockedError {
    const error = new IndexPathBlockedError(this.deps.path, occupant);
    this.deps.notice(createIndexPathBlockedNotice(error));
    return error;
  }

  #connect(): Driver {
    const { path, openDriver } = this.deps;
    let driver: Driver | null = null;
    try {
      driver = withStorageErrors(openDriver(path), path, () => undefined);
      driver.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      driver.get("PRAGMA journal_mode = WAL");
      driver.exec("PRAGMA synchronous = NORMAL");
      if (prepareTables(driver)) return driver;
      throw new StorageError("corrupt", "The search index is from another version.");
    } catch (error) {
      driver?.close();
      throw toStorageError(error, path);
    }
  }

  #deleteFiles(): void {
    const { path } = this.deps;
    this.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }
}

/**
 * Says whether an error means damage. A missing or differently shaped table counts too, because none of our
 * versions leaves such a table.
 */
function isDamageError(error: unknown): boolean {
  if (!(error instanceof StorageError)) return false;
  if (error.code === "corrupt") return true;
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return /no such table|vtable constructor failed/.test(cause);
}

// Opens the index of one plugin instance.

/** Opens the index beside a database; the file is opened or created at its first use. */
export async function openIndex(
  databasePath: string,
  notices: Pick<Notices, "notice" | "over">,
): Promise<IndexFile> {
  return new IndexFile({
    path: toIndexPath(databasePath),
    openDriver: await loadRuntimeDriver(),
    notice: (one) => notices.notice(one),
    over: (code) => notices.over(code),
  });
}
