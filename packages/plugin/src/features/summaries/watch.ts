// Checks each history that was sent, and adds a job once enough of it has no segment.
import type { JobToAdd } from "../../feature-api/feature-context.ts";
import { countHeadMessages } from "../../history/foldings.ts";
import { digestRange, placeSegments, type ReadWrittenSegments } from "../../history/written.ts";
import type { HostMessage } from "../../ledger/message.ts";
import type { SessionId } from "../../storage/records.ts";
import { findNextBatch } from "./batch.ts";
import { digestRoot, type SegmentStore } from "./segment-store.ts";
import { createBatchJob } from "./work.ts";

/** A session that comes to rest may be folded next, so this share of a batch is enough. */
const IDLE_BATCH_SHARE = 3 / 4;
/** The share of a batch that is enough if a fold is near. */
const NEAR_FOLD_BATCH_SHARE = 1 / 3;
/** The growth of a session, in batches, after which it is checked again whether a fold is near. */
const RECHECK_BATCH_SHARE = 1 / 12;

interface WatchDeps {
  readonly add: (job: JobToAdd) => void;
  /** @throws StorageError while the database isn't open */
  readonly store: () => SegmentStore;
  readonly read: ReadWrittenSegments;
  /** Resolves to true for a child session of the host's, which has no historian. */
  readonly isChild: (sessionId: SessionId) => Promise<boolean>;
  /** Resolves to true if the session's next calls are likely to fold. */
  readonly foldNears: (sessionId: SessionId) => Promise<boolean>;
  readonly batchTokens: number;
  readonly keepTokens: number;
  /** A session with less work than this has no historian. */
  readonly leastTokens: number;
  /** Measures the work in these messages, in tokens. */
  readonly workTokens: (messages: readonly HostMessage[]) => number;
}

export class SummaryWatch {
  /** Jobs that are added if their session comes to rest. */
  readonly #atRest = new Map<SessionId, JobToAdd>();
  readonly #children = new Map<SessionId, boolean>();
  /** Sessions that have reached `leastTokens`. */
  readonly #long = new Set<SessionId>();
  /** The size of the history without a segment at the last check for a near fold, by session. */
  readonly #askedAt = new Map<SessionId, number>();

  constructor(private readonly deps: WatchDeps) {}

  /** Checks a history that was just sent, and may add a job. @throws StorageError */
  async onSent(sessionId: SessionId, messages: readonly HostMessage[]): Promise<void> {
    const { store, batchTokens, keepTokens } = this.deps;
    this.#atRest.delete(sessionId);
    if (store().isWaiting(sessionId) || store().hasEnded(sessionId)) return;
    const from = Math.max(
      countHeadMessages(messages),
      this.#findFirstUncovered(sessionId, messages),
    );
    const leastTokens = batchTokens * NEAR_FOLD_BATCH_SHARE;
    const batch = findNextBatch({ messages, from, keepTokens, batchTokens, leastTokens });
    if (!batch || !this.#isLong(sessionId, messages) || (await this.#isChild(sessionId))) return;
    const { first, last } = batch;
    const job = createBatchJob({
      purpose: "batch",
      sessionId,
      generation: store().newestGeneration(sessionId),
      root: digestRoot(messages),
      place: first,
      firstId: messages[first]?.info.id ?? "",
      lastId: messages[last]?.info.id ?? "",
      digest: digestRange(messages.slice(first, last + 1)),
    });
    const { unsaidTokens } = batch;
    if (unsaidTokens >= batchTokens || (await this.#isFoldNear(sessionId, unsaidTokens))) {
      this.#add(sessionId, job);
    } else if (unsaidTokens >= IDLE_BATCH_SHARE * batchTokens) {
      this.#atRest.set(sessionId, job);
    }
  }

  onSettled(sessionId: SessionId): void {
    const job = this.#atRest.get(sessionId);
    this.#atRest.delete(sessionId);
    if (job) this.#add(sessionId, job);
  }

  onRemoved(sessionId: SessionId): void {
    this.#atRest.delete(sessionId);
    this.#children.delete(sessionId);
    this.#long.delete(sessionId);
    this.#askedAt.delete(sessionId);
  }

  /** A session that the host has compacted once filled a window, so it counts as long. */
  #isLong(sessionId: SessionId, messages: readonly HostMessage[]): boolean {
    const { leastTokens, workTokens } = this.deps;
    const isLong =
      this.#long.has(sessionId) ||
      countHeadMessages(messages) > 0 ||
      workTokens(messages) >= leastTokens;
    if (isLong) this.#long.add(sessionId);
    return isLong;
  }

  /** The check reads the whole session, so it is repeated only as the session grows. */
  async #isFoldNear(sessionId: SessionId, unsaidTokens: number): Promise<boolean> {
    const grown = unsaidTokens - (this.#askedAt.get(sessionId) ?? 0);
    if (Math.abs(grown) < RECHECK_BATCH_SHARE * this.deps.batchTokens) return false;
    this.#askedAt.set(sessionId, unsaidTokens);
    return this.deps.foldNears(sessionId);
  }

  #add(sessionId: SessionId, job: JobToAdd): void {
    if (!this.deps.store().isWaiting(sessionId)) this.deps.add(job);
  }

  /** Returns the index of the first message after all that was written or given up. */
  #findFirstUncovered(sessionId: SessionId, messages: readonly HostMessage[]): number {
    const { read, store } = this.deps;
    const indexById = new Map(messages.map(({ info }, index) => [info.id, index]));
    const written = read(messages);
    const own = written.filter(
      ({ firstId, lastId }) => indexById.has(firstId) && indexById.has(lastId),
    );
    const lastIds = [...own.map(({ lastId }) => lastId), ...store().givenUp(sessionId)];
    const ends = lastIds.map((id) => indexById.get(id) ?? -1);
    if (own.length > 0) return Math.max(...ends) + 1;
    // A fork has other ids, so its segments are placed by their text.
    const all = { first: 0, last: messages.length - 1 };
    const placed = placeSegments(written, messages, all).map(({ last }) => last);
    return Math.max(-1, ...ends, ...placed) + 1;
  }

  async #isChild(sessionId: SessionId): Promise<boolean> {
    const known = this.#children.get(sessionId);
    if (known !== undefined) return known;
    const isChild = await this.deps.isChild(sessionId);
    this.#children.set(sessionId, isChild);
    return isChild;
  }
}
