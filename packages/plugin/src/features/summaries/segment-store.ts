// Stores the segments that a model wrote, and reads them for folds and searches.
import { BoundedMap } from "../../context/bounded-map.ts";
import {
  digestRange,
  type ReadWrittenSegments,
  type WrittenSegment,
} from "../../history/written.ts";
import type { HostMessage } from "../../ledger/message.ts";
import type { Driver } from "../../storage/driver.ts";
import { StorageError } from "../../storage/errors.ts";
import { isOpen } from "../../storage/job-records.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import { ensureSession } from "../../storage/session-store.ts";
import { type SegmentRecord, segmentTable } from "./segment-table.ts";
import { countBadAnswers, findPendingWork, MAX_BAD_ANSWERS } from "./work.ts";

/** Identifies whose segments are read. */
interface Lineage {
  readonly sessionId: SessionId;
  readonly root: string;
  /** The project; null if it isn't known yet, in which case only the session's own segments are found. */
  readonly project: ProjectId | null;
}

export type SegmentStore = ReturnType<typeof createSegmentStore>;

export function createSegmentStore(driver: Driver) {
  const segments = segmentTable.in(driver);
  return {
    /** Reads the segments of the session and of its forks and parents, latest written first. */
    of: ({ sessionId, root, project }: Lineage): readonly SegmentRecord[] =>
      driver.all(SELECT_SEGMENTS, sessionId, root, project).map(segmentTable.read),
    /** Reads the segments of all sessions of a project, latest written first. */
    ofProject: (project: ProjectId) =>
      segments.list({ project }, "generation desc", "writtenAtMs desc", "place desc"),
    /** Returns a stamp that changes whenever the project's segments do. */
    projectStamp: (project: ProjectId) => String(driver.get(SELECT_PROJECT_STAMP, project)?.stamp),
    /** Returns a stamp that changes whenever the segments of this lineage do. */
    stamp: ({ sessionId, root, project }: Lineage) =>
      String(driver.get(SELECT_STAMP, sessionId, root, project)?.stamp),
    /** Reads one generation of the session's own segments, in its order. */
    generation: (sessionId: SessionId, generation: number) =>
      segments.list({ sessionId, generation }, "place"),
    newestGeneration: (sessionId: SessionId) =>
      generationColumns.in(driver).find({ sessionId }, "generation desc")?.generation ?? 0,
    /** Returns true if a batch of the session is already waiting to be written. */
    isWaiting: (sessionId: SessionId) => findPendingWork(driver, sessionId, "batch").some(isOpen),
    /** Returns true if bad answers have ended the session's summaries, until the user has them written again. */
    hasEnded: (sessionId: SessionId) => countBadAnswers(driver, sessionId) >= MAX_BAD_ANSWERS,
    /** Returns the ids of the last messages of batches that are not tried again. */
    givenUp: (sessionId: SessionId) =>
      findPendingWork(driver, sessionId, "batch")
        .filter(({ state }) => state === "given_up")
        .map(({ name }) => name),
  };
}

/** Stores segments within the caller's transaction, replacing those at the same place in this generation. */
export function putSegments(driver: Driver, records: readonly SegmentRecord[]): void {
  for (const record of records) {
    const { sessionId, generation, firstId, writtenAtMs } = record;
    ensureSession(driver, sessionId, writtenAtMs);
    segmentTable.in(driver).delete({ sessionId, generation, firstId });
    segmentTable.in(driver).insert(record);
  }
}

/** Removes segments of older generations up to a place, within the caller's transaction. */
export function deleteFormerSegments(
  driver: Driver,
  { sessionId, generation, place }: Pick<SegmentRecord, "sessionId" | "generation" | "place">,
): void {
  driver.run(DELETE_FORMER, sessionId, generation, place);
}

export function digestRoot(messages: readonly HostMessage[]): string {
  return digestRange(messages.slice(0, 1));
}

const generationColumns = segmentTable.pick("generation");

const LINEAGE_CONDITION = "(session_id = ? OR (root = ? AND project = ?))";

const SELECT_SEGMENTS = `
  SELECT ${segmentTable.columns} FROM written_segment WHERE ${LINEAGE_CONDITION}
  ORDER BY generation DESC, written_at_ms DESC, place DESC`;

const STAMP_QUERY = `
  SELECT count(*) || ' ' || coalesce(max(written_at_ms), 0) || ' ' || coalesce(sum(rowid), 0)
    AS stamp FROM written_segment`;

const SELECT_STAMP = `${STAMP_QUERY} WHERE ${LINEAGE_CONDITION}`;

const SELECT_PROJECT_STAMP = `${STAMP_QUERY} WHERE project = ?`;

const DELETE_FORMER = `
  DELETE FROM written_segment
  WHERE session_id = ? AND generation < ? AND place + message_count <= ?`;

// Reads a history's segments for the fold and a project's for searches, from memory as long as nothing has changed on
// disk.

interface CachedSegments {
  readonly stamp: string;
  readonly segments: readonly WrittenSegment[];
}

/** The most sessions whose segments are cached. */
const MAX_CACHED_SESSIONS = 16;

interface ReaderDeps {
  /** @throws StorageError while the database isn't open */
  readonly store: () => SegmentStore;
  /** Returns null if the project isn't known yet. */
  readonly project: () => ProjectId | null;
  readonly failed: (error: unknown) => void;
}

/** Returns a reader with one small query per boundary. If it fails, the history counts as not summarised. */
export function createSegmentReader({ store, project, failed }: ReaderDeps): ReadWrittenSegments {
  const held = new BoundedMap<SessionId, CachedSegments>(MAX_CACHED_SESSIONS);
  return (messages) => {
    const sessionId = messages[0]?.info.sessionID as SessionId | undefined;
    if (sessionId === undefined) return [];
    try {
      const lineage = { sessionId, project: project(), root: digestRoot(messages) };
      const stamp = `${lineage.root} ${lineage.project} ${store().stamp(lineage)}`;
      const known = held.get(sessionId);
      if (known?.stamp === stamp) return known.segments;
      const segments = store().of(lineage);
      held.set(sessionId, { stamp, segments });
      return segments;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      failed(error);
      return [];
    }
  };
}

/** Returns a function that reads all segments of a project; it throws a StorageError if they can't be read. */
export function createProjectSegmentReader(
  store: () => SegmentStore,
): (project: ProjectId) => readonly SegmentRecord[] {
  let held: { readonly stamp: string; readonly rows: readonly SegmentRecord[] } | null = null;
  return (project) => {
    const stamp = `${project} ${store().projectStamp(project)}`;
    if (held?.stamp !== stamp) held = { stamp, rows: store().ofProject(project) };
    return held.rows;
  };
}
