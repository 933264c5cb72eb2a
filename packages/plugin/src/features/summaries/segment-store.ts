// The store of segments that a model wrote.
import { rangeDigest } from "../../history/written.ts";
import type { HostMessage } from "../../ledger/message.ts";
import type { Driver } from "../../storage/driver.ts";
import { isOpen } from "../../storage/job-records.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import { ensureSession } from "../../storage/session-store.ts";
import { badAnswers, foundWork, MAX_BAD_ANSWERS } from "./pending-work.ts";
import { type SegmentRecord, segmentTable } from "./segment-table.ts";

/** Whose segments are looked for. */
interface Lineage {
  readonly sessionId: SessionId;
  readonly root: string;
  /** Null: it isn't known yet, and only the session's own are found. */
  readonly project: ProjectId | null;
}

export type SegmentStore = ReturnType<typeof segmentStore>;

export function segmentStore(driver: Driver) {
  const segments = segmentTable.in(driver);
  return {
    /** The session's own and those of its forks and parents; the newest writing first. */
    of: ({ sessionId, root, project }: Lineage): readonly SegmentRecord[] =>
      driver.all(SELECT, sessionId, root, project).map(segmentTable.read),
    /** Of all sessions of a project; the newest writing first. */
    ofProject: (project: ProjectId) =>
      segments.list({ project }, "generation desc", "writtenAtMs desc", "place desc"),
    /** Another text as soon as anything of the project's has changed. */
    projectStamp: (project: ProjectId) => String(driver.get(SELECT_PROJECT_STAMP, project)?.stamp),
    /** Another text as soon as anything of them has changed. */
    stamp: ({ sessionId, root, project }: Lineage) =>
      String(driver.get(SELECT_STAMP, sessionId, root, project)?.stamp),
    /** Of the session itself, in its order, one generation. */
    generation: (sessionId: SessionId, generation: number) =>
      segments.list({ sessionId, generation }, "place"),
    newestGeneration: (sessionId: SessionId) =>
      generations.in(driver).find({ sessionId }, "generation desc")?.generation ?? 0,
    /** Whether a batch of the session is to be written already. */
    isWaiting: (sessionId: SessionId) => foundWork(driver, sessionId, "batch").some(isOpen),
    /** Whether bad answers have ended its summaries, until the user has them written again. */
    hasEnded: (sessionId: SessionId) => badAnswers(driver, sessionId) >= MAX_BAD_ANSWERS,
    /** The last messages of batches that are not tried again. */
    givenUp: (sessionId: SessionId) =>
      foundWork(driver, sessionId, "batch")
        .filter(({ state }) => state === "given_up")
        .map(({ name }) => name),
  };
}

/** Within a transaction of the caller's. What stood at the same place in this generation goes. */
export function putSegments(driver: Driver, records: readonly SegmentRecord[]): void {
  for (const record of records) {
    const { sessionId, generation, firstId, writtenAtMs } = record;
    ensureSession(driver, sessionId, writtenAtMs);
    segmentTable.in(driver).delete({ sessionId, generation, firstId });
    segmentTable.in(driver).insert(record);
  }
}

/** Within a transaction of the caller's: what older generations say up to a place. */
export function dropFormer(
  driver: Driver,
  { sessionId, generation, place }: Pick<SegmentRecord, "sessionId" | "generation" | "place">,
): void {
  driver.run(DELETE_FORMER, sessionId, generation, place);
}

export function digestRoot(messages: readonly HostMessage[]): string {
  return rangeDigest(messages.slice(0, 1));
}

const generations = segmentTable.pick("generation");

const MINE = "(session_id = ? OR (root = ? AND project = ?))";

const SELECT = `
  SELECT ${segmentTable.columns} FROM written_segment WHERE ${MINE}
  ORDER BY generation DESC, written_at_ms DESC, place DESC`;

const STAMP = `
  SELECT count(*) || ' ' || coalesce(max(written_at_ms), 0) || ' ' || coalesce(sum(rowid), 0)
    AS stamp FROM written_segment`;

const SELECT_STAMP = `${STAMP} WHERE ${MINE}`;

const SELECT_PROJECT_STAMP = `${STAMP} WHERE project = ?`;

const DELETE_FORMER = `
  DELETE FROM written_segment
  WHERE session_id = ? AND generation < ? AND place + message_count <= ?`;
