// Reads a project's memories and notes for one plugin instance, and caches them.
import { BoundedMap } from "../../context/bounded-map.ts";
import { absent, type LoadResult, Unavailable } from "../../context/source.ts";
import { toFaultFields } from "../../log/fault.ts";
import type { Log } from "../../log/log.ts";
import type { KnownProject } from "../../project/known-project.ts";
import type { Project } from "../../project/project.ts";
import { DATABASE_UNREADABLE } from "../../storage/database.ts";
import { StorageError } from "../../storage/errors.ts";
import type { SessionId } from "../../storage/records.ts";
import {
  buildNoteList,
  estimateMaxListed,
  fitListing,
  type Listing,
  type NoteList,
} from "./listing.ts";
import type { MemoryId, ReadableMemory } from "./record.ts";
import type { MemoryStore } from "./sqlite-store.ts";

interface ProjectMemoryDeps {
  readonly project: KnownProject;
  /** @throws StorageError while the database isn't open. */
  readonly store: () => MemoryStore;
  readonly budgetTokens: number;
  readonly log: Log;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** A value that was read at one version of the store. */
interface VersionedValue<Value> {
  readonly version: number;
  readonly value: Value;
}

interface ProjectMemories {
  readonly listing: Listing;
  readonly memories: readonly ReadableMemory[];
}

/** The number of sessions for which the memories that they were shown are remembered. */
const MAX_TRACKED_SESSIONS = 64;

/** Returns cached values synchronously, because each call to a model needs them. */
export class ProjectMemory {
  #memories: VersionedValue<ProjectMemories> | null = null;
  readonly #notes = new BoundedMap<SessionId, VersionedValue<NoteList>>(MAX_TRACKED_SESSIONS);
  /** The memories that each session was sent, so that each use is counted once. */
  readonly #counted = new BoundedMap<SessionId, Set<string>>(MAX_TRACKED_SESSIONS);

  constructor(private readonly deps: ProjectMemoryDeps) {
    deps.project.whenLeft(() => {
      this.#memories = null;
      this.#notes.clear();
    });
  }

  get store(): MemoryStore {
    return this.deps.store();
  }

  findProject(): Promise<Project> {
    return this.deps.project.get();
  }

  /** Forgets what was read of the former project once the session belongs to another project. */
  leaveProject(): void {
    this.deps.project.leave();
  }

  loadListing(): LoadResult<Listing> | Promise<LoadResult<Listing>> {
    return this.#guardLoad(() => {
      const version = this.store.version();
      if (this.#memories?.version === version) return toAbsentIfEmpty(this.#memories.value.listing);
      return this.#readMemories().then(({ listing }) => toAbsentIfEmpty(listing));
    });
  }

  loadNotes(sessionId: SessionId): LoadResult<NoteList> | Promise<LoadResult<NoteList>> {
    return this.#guardLoad(() => {
      const version = this.store.version();
      const known = this.#notes.get(sessionId);
      if (known?.version === version) return toAbsentIfEmpty(known.value);
      return this.#readNotes(sessionId).then(toAbsentIfEmpty);
    });
  }

  /** Returns the memories as they were last read; null if they never were. */
  get lastListing(): Listing | null {
    return this.#memories?.value.listing ?? null;
  }

  getLastNotes(sessionId: SessionId): NoteList | null {
    return this.#notes.get(sessionId)?.value ?? null;
  }

  /** Lists the memories and notes in a session's context, as they were last read. */
  listShownRefs(sessionId: SessionId): ReadonlySet<string> {
    const items = [
      ...(this.lastListing?.items ?? []),
      ...(this.getLastNotes(sessionId)?.items ?? []),
    ];
    return new Set(items.map(({ ref }) => ref));
  }

  /** Reads again after this process has written, so that a session's next call knows what was written. */
  async reload(sessionId: SessionId): Promise<void> {
    await this.#readMemories();
    await this.#readNotes(sessionId);
  }

  /** Counts each listed memory as used, once per session; must be called after a session's send. */
  countSent(sessionId: SessionId): void {
    const known = this.#memories?.value;
    if (!known || known.listing.items.length === 0) return;
    const counted = this.#counted.getOrCreate(sessionId, () => new Set());
    const listed = new Set(known.listing.items.map(({ ref }) => ref));
    const fresh = known.memories.filter(({ ref }) => listed.has(ref) && !counted.has(ref));
    if (fresh.length === 0) return;
    for (const { ref } of fresh) counted.add(ref);
    this.#countUses(fresh.map(({ id }) => id));
  }

  forget(sessionId: SessionId): void {
    this.#notes.delete(sessionId);
    this.#counted.delete(sessionId);
  }

  #countUses(ids: readonly MemoryId[]): void {
    try {
      this.store.used(ids, this.deps.now());
    } catch (error) {
      // Uses are only statistics; what is sent doesn't depend on them.
      this.deps.log.warn("memory.use_not_counted", toFaultFields(error));
    }
  }

  async #readMemories(): Promise<ProjectMemories> {
    const { id } = await this.findProject();
    const version = this.store.version();
    const { budgetTokens } = this.deps;
    const memories = this.store.readable(id, estimateMaxListed(budgetTokens));
    const listing = keepIfSame(this.#memories?.value.listing, fitListing(memories, budgetTokens));
    this.#memories = { version, value: { listing, memories } };
    return this.#memories.value;
  }

  async #readNotes(sessionId: SessionId): Promise<NoteList> {
    const { id } = await this.findProject();
    const version = this.store.version();
    const read = buildNoteList(this.store.openNotes(id, sessionId));
    const value = keepIfSame(this.#notes.get(sessionId)?.value, read);
    this.#notes.set(sessionId, { version, value });
    return value;
  }

  /** Reports a failed read as unavailable, so that nothing is announced or withdrawn. */
  #guardLoad<Value>(
    load: () => LoadResult<Value> | Promise<LoadResult<Value>>,
  ): LoadResult<Value> | Promise<LoadResult<Value>> {
    try {
      const loaded = load();
      return loaded instanceof Promise ? loaded.catch(toUnavailable) : loaded;
    } catch (error) {
      return toUnavailable(error);
    }
  }
}

function toUnavailable(error: unknown): Unavailable {
  return new Unavailable(error instanceof StorageError ? DATABASE_UNREADABLE : String(error));
}

function toAbsentIfEmpty<Value extends { readonly items: readonly unknown[] }>(
  value: Value,
): Value | typeof absent {
  return value.items.length === 0 ? absent : value;
}

/** Returns the same object while nothing changes, so that it is encoded once. */
function keepIfSame<Value>(former: Value | undefined, value: Value): Value {
  return former !== undefined && JSON.stringify(former) === JSON.stringify(value) ? former : value;
}
