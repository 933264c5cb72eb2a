// Defines the historian's job: it takes a batch of messages, has a model summarise it, and stores the segments.
import {
  type AnyJob,
  type Attempt,
  type JobEnd,
  type ModelPort,
  toAnyJob,
} from "../../feature-api/job.ts";
import { countHeadMessages } from "../../history/foldings.ts";
import { digestRange } from "../../history/written.ts";
import type { HostMessage } from "../../ledger/message.ts";
import type { Project } from "../../project/project.ts";
import { createProjectStore } from "../../project/store.ts";
import type { Driver } from "../../storage/driver.ts";
import type { JobRecord } from "../../storage/job-records.ts";
import { createJobStore } from "../../storage/job-store.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import type { SourcedFact } from "../memory/promote.ts";
import { type CheckedSegment, dropUnfinishedSegment } from "./answer-check.ts";
import { type AskDeps, askForSegments } from "./ask.ts";
import { endsTurn, findNextBatch, sliceSinceCompaction } from "./batch.ts";
import { collectLearnedFacts } from "./learned-facts.ts";
import { createFactsJob, type MemoryPort } from "./memory-port.ts";
import { composeRequest } from "./request.ts";
import {
  deleteFormerSegments,
  digestRoot,
  putSegments,
  type SegmentStore,
} from "./segment-store.ts";
import type { SegmentRecord } from "./segment-table.ts";
import {
  type BatchWork,
  createResummaryJob,
  HISTORIAN_JOB_KIND,
  type HistorianWork,
  type ResummaryWork,
  readWork,
} from "./work.ts";

export interface WriteDeps extends AskDeps {
  /** Reads the session's own messages, oldest first; rejects if the host doesn't answer. */
  readonly messages: (sessionId: SessionId) => Promise<readonly HostMessage[]>;
  /** @throws StorageError while the database isn't open */
  readonly store: () => SegmentStore;
  readonly memory: MemoryPort | null;
  /** Rejects if the project can't be determined now. */
  readonly project: () => Promise<Project>;
  /** The folder to which paths in the messages are relative. */
  readonly directory: string;
  readonly batchTokens: number;
  readonly keepTokens: number;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** Holds the messages that are to be written now, with their place. */
interface WriteRange extends Pick<BatchWork, "sessionId" | "generation" | "root" | "place"> {
  readonly messages: readonly HostMessage[];
  readonly ending: "turn" | "open";
}

/** Holds what is written at a job's end, in one transaction with its settlement. */
interface WrittenBatch {
  readonly segments: readonly Omit<SegmentRecord, "model" | "writtenAtMs" | "project">[];
  /** The project of the segments; null if there are none. */
  readonly project: Project | null;
  readonly facts: readonly SourcedFact[];
  readonly next: ResummaryWork | null;
  /** Set when this generation is complete: segments of older generations up to this place are removed. */
  readonly finished: Pick<SegmentRecord, "sessionId" | "generation" | "place"> | null;
}

const EMPTY_BATCH: WrittenBatch = {
  segments: [],
  project: null,
  facts: [],
  next: null,
  finished: null,
};

/** The smallest batch of a session that is summarised again, so that little is left at its end. */
const MIN_BATCH_TOKENS = 1_000;

export function defineWriteJob(deps: WriteDeps): AnyJob {
  return toAnyJob<HistorianWork, WrittenBatch>({
    kind: HISTORIAN_JOB_KIND,
    input: readWork,
    run: (model, work, attempt) => runWriteAttempt(deps, model, { work, attempt }),
    keep: (driver, written, job) => storeBatch(deps, driver, { written, job }),
  });
}

interface WriteAttempt {
  readonly work: HistorianWork;
  readonly attempt: Attempt;
}

async function runWriteAttempt(deps: WriteDeps, model: ModelPort, { work, attempt }: WriteAttempt) {
  const messages = await deps.messages(work.sessionId);
  switch (work.purpose) {
    case "batch": {
      const range = findRange(work, messages);
      return range ? writeBatch(deps, model, { range, attempt }) : toDoneEnd(EMPTY_BATCH);
    }
    case "recomp": {
      const array = sliceSinceCompaction(messages);
      const range = findNextRange(deps, work, array);
      if (!range) return toDoneEnd({ ...EMPTY_BATCH, finished: findFinishedPlace(deps, work) });
      const end = await writeBatch(deps, model, { range, attempt });
      if (end.kind !== "done") return end;
      const afterId = end.output.segments.at(-1)?.lastId ?? work.afterId;
      return toDoneEnd({ ...end.output, facts: [], next: { ...work, afterId } });
    }
  }
}

/** Resolves to true if summarising the session again would write anything. */
export async function hasWork(deps: WriteDeps, sessionId: SessionId): Promise<boolean> {
  const array = sliceSinceCompaction(await deps.messages(sessionId));
  const fromStart = { purpose: "recomp", sessionId, generation: 0, afterId: null } as const;
  return findNextRange(deps, fromStart, array) !== null;
}

function toDoneEnd(output: WrittenBatch): JobEnd<WrittenBatch> {
  return { kind: "done", output };
}

/** Returns null if the messages are gone or have changed. */
function findRange(work: BatchWork, messages: readonly HostMessage[]): WriteRange | null {
  const first = messages.findIndex(({ info }) => info.id === work.firstId);
  const last = messages.findIndex(({ info }) => info.id === work.lastId);
  if (first < 0 || last < first) return null;
  const range = messages.slice(first, last + 1);
  if (digestRange(range) !== work.digest) return null;
  return { ...work, messages: range, ending: endsTurn(messages, last) ? "turn" : "open" };
}

function findNextRange(
  { batchTokens, keepTokens }: WriteDeps,
  { sessionId, generation, afterId }: ResummaryWork,
  messages: readonly HostMessage[],
): WriteRange | null {
  const after = messages.findIndex(({ info }) => info.id === afterId);
  const from = Math.max(countHeadMessages(messages), after + 1);
  const sizes = { keepTokens, batchTokens, leastTokens: MIN_BATCH_TOKENS };
  const batch = findNextBatch({ messages, from, ...sizes });
  if (!batch) return null;
  return {
    sessionId,
    generation,
    root: digestRoot(messages),
    place: batch.first,
    messages: messages.slice(batch.first, batch.last + 1),
    ending: endsTurn(messages, batch.last) ? "turn" : "open",
  };
}

function findFinishedPlace({ store }: WriteDeps, { sessionId, generation }: ResummaryWork) {
  const last = store().generation(sessionId, generation).at(-1);
  return last ? { sessionId, generation, place: last.place + last.messageCount } : null;
}

async function writeBatch(
  deps: WriteDeps,
  model: ModelPort,
  { range, attempt }: { readonly range: WriteRange; readonly attempt: Attempt },
): Promise<JobEnd<WrittenBatch>> {
  const { messages } = range;
  const project = await deps.project();
  const question = composeRequest({
    memories: (await deps.memory?.known()) ?? [],
    earlier: readEarlierSegments(deps, project.id, range),
    messages,
    directory: deps.directory,
  });
  const asked = { question, messageCount: messages.length, attempt };
  const end = await askForSegments(deps, model, asked);
  if (end.kind !== "done") return end;
  const { segments, facts } = end.output;
  const covered = (segments.at(-1)?.last ?? 0) === messages.length - 1;
  const kept = dropUnfinishedSegment(
    segments,
    covered && range.ending === "turn" ? "turn" : "open",
  );
  const records = kept.map((segment) => toSegmentRecord(range, segment));
  const candidates = (await deps.memory?.candidates()) ?? [];
  const learnt = collectLearnedFacts({ facts, candidates, messages, segments: kept });
  return toDoneEnd({ ...EMPTY_BATCH, segments: records, project, facts: learnt });
}

function readEarlierSegments(
  { store }: WriteDeps,
  project: ProjectId,
  { sessionId, root, place }: WriteRange,
) {
  const byPlace = new Map<number, SegmentRecord>();
  for (const record of store().of({ sessionId, root, project })) {
    const isBefore = record.place + record.messageCount <= place;
    if (isBefore && !byPlace.has(record.place)) byPlace.set(record.place, record);
  }
  return [...byPlace.values()].sort((one, other) => one.place - other.place);
}

function toSegmentRecord(
  { messages, sessionId, generation, root, place }: WriteRange,
  { first, last, kind, importance, texts, events }: CheckedSegment,
): WrittenBatch["segments"][number] {
  const own = messages.slice(first, last + 1);
  const getIdAt = (index: number) => messages[index]?.info.id ?? "";
  return {
    sessionId,
    generation,
    root,
    kind,
    importance,
    texts,
    firstId: getIdAt(first),
    lastId: getIdAt(last),
    place: place + first,
    messageCount: own.length,
    digest: digestRange(own),
    events: events.map(({ at, type, text }) => ({ messageId: getIdAt(at), type, text })),
  };
}

/** Runs within the transaction that settles the job, so a kill at any time stores nothing twice. */
function storeBatch(
  { memory, now }: WriteDeps,
  driver: Driver,
  { written, job }: { readonly written: WrittenBatch; readonly job: JobRecord },
): void {
  const { segments, facts, next, finished } = written;
  const writtenAtMs = now();
  const model = job.model ?? "unknown";
  if (written.project) {
    const id = resolveProjectId(driver, written.project);
    putSegments(
      driver,
      segments.map((segment) => ({ ...segment, project: id, model, writtenAtMs })),
    );
  }
  if (finished) deleteFormerSegments(driver, finished);
  const { board: worker, project, sessionId } = job;
  if (next)
    createJobStore(driver).add(
      { ...createResummaryJob(next), board: worker, project },
      writtenAtMs,
    );
  if (facts.length === 0 || sessionId === null || memory === null) return;
  createJobStore(driver).add(
    { ...createFactsJob(job.id, sessionId, facts), board: worker, project },
    writtenAtMs,
  );
}

/** The project may have been joined with another while the model was asked. */
function resolveProjectId(driver: Driver, { id, worktree }: Project): ProjectId {
  return createProjectStore(driver).knownAt(worktree) ?? id;
}
