// Indexes histories after their calls were sent, in slices, so that the host is never held up.
import { hashText } from "../../context/canonical.ts";
import type { HostMessage, HostPart } from "../../ledger/message.ts";
import type { CollectionScope } from "../../search-index/collection.ts";
import {
  compareTime,
  type MessageTime,
  type NewDocument,
  splitPassages,
} from "../../search-index/document.ts";
import { type IndexFile, removeMovedSession } from "../../search-index/file.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { SessionId } from "../../storage/records.ts";
import { describePartShape, toMessageTime, toPartRecord } from "./record.ts";

/**
 * The messages to index. `all` means that whatever lies between the oldest and the newest of them, and is not
 * among them, was undone.
 */
interface IndexInput {
  readonly scope: CollectionScope;
  readonly messages: readonly HostMessage[];
  readonly extent: "all" | "some";
}

interface IndexerDeps {
  readonly file: IndexFile;
  readonly directory: string;
  /** Runs a slice a little later, after the host has had its turn. */
  readonly later: (work: () => void) => void;
  /** Reads a monotonic clock. */
  readonly nowMs: () => number;
  readonly failed: (error: unknown) => void;
}

/** A slice stops after this long, at the next passage. */
const MAX_SLICE_MS = 8;
const PASSAGES_PER_STEP = 8;

/** Caches what is known of a session's part of the index, so that it is read once. */
interface IndexedParts {
  /** Shapes of parts that are indexed as they look now, by id. */
  readonly shapes: Map<string, string>;
  /** Digests of what was in the index before this process read it. */
  readonly digests: ReadonlyMap<string, string>;
  /** The time of each indexed part's message, by part id. */
  readonly made: Map<string, MessageTime>;
}

/** Holds one history that is being indexed. */
interface IndexWork extends IndexInput {
  readonly parts: readonly { readonly message: HostMessage; readonly part: HostPart }[];
  next: number;
  /** A part of which only some passages are indexed yet. */
  open: {
    readonly id: number;
    readonly part: NewDocument;
    readonly shape: string;
    filled: number;
  } | null;
}

export class Indexer {
  readonly #known = new Map<SessionId, IndexedParts>();
  /** The newest input per session and extent: a few messages must not displace a whole history. */
  readonly #queue = new Map<string, IndexWork>();
  #generation = 0;
  #isDue = false;
  #waiting: (() => void)[] = [];

  constructor(private readonly deps: IndexerDeps) {}

  /** Takes a history as it was sent: new and changed parts are indexed, and undone ones are removed. */
  enqueue(taken: IndexInput): void {
    const parts = taken.messages.flatMap((message) =>
      message.parts.map((part) => ({ message, part })),
    );
    this.#queue.set(`${taken.scope.sessionId} ${taken.extent}`, {
      ...taken,
      parts,
      next: 0,
      open: null,
    });
    this.#schedule();
  }

  forget(sessionId: SessionId): void {
    this.#known.delete(sessionId);
    for (const [key, { scope }] of this.#queue) {
      if (scope.sessionId === sessionId) this.#queue.delete(key);
    }
  }

  /** Resolves when nothing waits to be indexed, or after the timeout. */
  async awaitIdle(timeoutMs: number): Promise<"whole" | "in progress"> {
    if (this.#queue.size === 0) return "whole";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const done = new Promise<void>((resolve) => this.#waiting.push(resolve));
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([done, late]);
    clearTimeout(timer);
    return this.#queue.size === 0 ? "whole" : "in progress";
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.deps.later(() => {
      this.#isDue = false;
      this.#run();
    });
  }

  /** A part that can't be indexed now is indexed with the next history, which is checked as a whole. */
  #run(): void {
    try {
      this.deps.file.use((store) => this.#runSlice(store));
    } catch (error) {
      this.#queue.clear();
      this.deps.failed(error);
    }
    if (this.#queue.size > 0) this.#schedule();
    else for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #runSlice(store: IndexStore): void {
    this.#resetOnNewFile();
    const untilMs = this.deps.nowMs() + MAX_SLICE_MS;
    for (const [key, work] of this.#queue) {
      this.#advance(store, work, untilMs);
      if (work.next >= work.parts.length) this.#queue.delete(key);
      if (this.deps.nowMs() >= untilMs) return;
    }
  }

  /** If the file is new, nothing is known of it, and work in progress starts over. */
  #resetOnNewFile(): void {
    const { generation } = this.deps.file;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#known.clear();
    for (const work of this.#queue.values()) Object.assign(work, { next: 0, open: null });
  }

  #advance(store: IndexStore, work: IndexWork, untilMs: number): void {
    const isWhole = work.next === 0 && work.extent === "all";
    if (isWhole && removeMovedSession(store, work.scope)) this.#known.delete(work.scope.sessionId);
    const known = this.#loadKnown(store, work.scope.sessionId);
    if (isWhole) removeUndoneParts(store, known, work);
    while (work.next < work.parts.length && this.deps.nowMs() < untilMs) {
      if (!work.open) this.#beginPart(store, known, work);
      if (work.open) this.#fillPart(store, known, work, work.open);
      if (!work.open) work.next += 1;
    }
  }

  #loadKnown(store: IndexStore, sessionId: SessionId): IndexedParts {
    const held = this.#known.get(sessionId);
    if (held) return held;
    const parts = store.listDocuments(sessionId);
    const known: IndexedParts = {
      shapes: new Map(),
      digests: store.readDigests(sessionId),
      made: new Map(parts.map(({ key, messageId, madeAtMs }) => [key, { messageId, madeAtMs }])),
    };
    this.#known.set(sessionId, known);
    return known;
  }

  #beginPart(store: IndexStore, known: IndexedParts, work: IndexWork): void {
    const next = work.parts[work.next];
    if (!next) return;
    const { message, part } = next;
    const shape = describePartShape(part);
    if (known.shapes.get(part.id) === shape) return;
    const record = toPartRecord(message, part, this.deps.directory);
    const digest = record && hashText(`${record.words}\n${record.text}`);
    if (record && digest !== null && known.digests.get(part.id) !== digest) {
      const { text, ...rest } = record;
      const fresh: NewDocument = { record: rest, digest, passages: splitPassages(text) };
      const id = store.openDocument(work.scope, fresh);
      if (id !== null) work.open = { id, part: fresh, shape, filled: 0 };
    }
    if (!work.open) known.shapes.set(part.id, shape);
  }

  #fillPart(
    store: IndexStore,
    known: IndexedParts,
    work: IndexWork,
    open: NonNullable<IndexWork["open"]>,
  ): void {
    const { passages, record } = open.part;
    const end = open.filled + PASSAGES_PER_STEP;
    store.write(open.id, open.part, open.filled, end);
    open.filled = end;
    if (end < passages.length) return;
    known.shapes.set(record.key, open.shape);
    const { messageId, madeAtMs } = record;
    known.made.set(record.key, { messageId, madeAtMs });
    work.open = null;
  }
}

/** Removes what was undone. Messages older than the oldest present one were compacted, and stay indexed. */
function removeUndoneParts(
  store: IndexStore,
  known: IndexedParts,
  { scope, messages, parts }: IndexWork,
): void {
  const present = new Set(parts.map(({ part }) => part.id));
  const absent = [...known.made].filter(([partId]) => !present.has(partId));
  if (absent.length === 0) return;
  const [oldest] = messages.map(({ info }) => toMessageTime(info)).toSorted(compareTime);
  const undone = absent.flatMap(([partId, made]) =>
    oldest === undefined || compareTime(made, oldest) >= 0 ? [partId] : [],
  );
  if (undone.length === 0) return;
  store.remove(scope.sessionId, "r", undone);
  for (const partId of undone) {
    known.made.delete(partId);
    known.shapes.delete(partId);
  }
}

// Indexes a whole history in one go, for places where nothing waits for the thread.

/** @throws StorageError if the index can't be written */
export function indexWholeHistory(
  file: IndexFile,
  scope: CollectionScope,
  history: { readonly messages: readonly HostMessage[]; readonly directory: string },
): void {
  const { messages, directory } = history;
  const slices: (() => void)[] = [];
  const failures: unknown[] = [];
  const indexer = new Indexer({
    file,
    directory,
    later: (work) => slices.push(work),
    nowMs: () => performance.now(),
    failed: (error) => failures.push(error),
  });
  indexer.enqueue({ scope, messages, extent: "all" });
  for (let work = slices.shift(); work; work = slices.shift()) work();
  if (failures.length > 0) throw failures[0];
}
