import * as z from "zod";
import { decodeRow, jsonColumn, storedText, toJson } from "./codec.ts";
import type { Driver, SqlRow } from "./driver.ts";
import type { SessionId } from "./records.ts";
import { ensureSession } from "./session-store.ts";

/** A continuity brief as it was pushed into a compaction. Rows are never updated. */
export interface BriefRecord {
  readonly sessionId: SessionId;
  /** Rank among the session's briefs, from 1. */
  readonly seq: number;
  /** The host's row that asks for the compaction; null where it could not be found out. */
  readonly compactionId: string | null;
  /** As it was pushed. */
  readonly text: string;
  /** What the summary must not lose. */
  readonly essentials: z.output<typeof essentials>;
  /** What the next brief takes over. */
  readonly carried: z.output<typeof carried>;
  readonly madeAtMs: number;
}

export interface BriefStore {
  /** Takes the next rank itself. A compaction that is tried again has several. */
  append(brief: Omit<BriefRecord, "seq">): void;
  newest(sessionId: SessionId): BriefRecord | null;
  /** The newest of that compaction: what its summary was made with. */
  ofCompaction(sessionId: SessionId, compactionId: string): BriefRecord | null;
}

const line = z.string().nullable();
const essentials = z.object({ stage: line, step: line, nextAction: line, gate: line });
const carried = z.object({ objective: line, decisions: z.array(z.string()).readonly() });

export function briefStore(driver: Driver): BriefStore {
  return {
    append: (brief) => driver.transaction(() => append(driver, brief)),
    newest: (sessionId) => briefOf(driver.get(`${SELECT} ${NEWEST}`, sessionId)),
    ofCompaction: (sessionId, compactionId) =>
      briefOf(driver.get(`${SELECT} AND compaction_id = ? ${NEWEST}`, sessionId, compactionId)),
  };
}

const SELECT = `
  SELECT session_id, seq, compaction_id, text, essentials, carried, made_at_ms
  FROM brief WHERE session_id = ?`;

const NEWEST = "ORDER BY seq DESC LIMIT 1";

const INSERT = `
  INSERT INTO brief (session_id, seq, compaction_id, text, essentials, carried, made_at_ms)
  VALUES (?, (SELECT coalesce(max(seq), 0) + 1 FROM brief WHERE session_id = ?), ?, ?, ?, ?, ?)`;

function append(driver: Driver, brief: Omit<BriefRecord, "seq">): void {
  ensureSession(driver, brief.sessionId, brief.madeAtMs);
  driver.run(
    INSERT,
    brief.sessionId,
    brief.sessionId,
    brief.compactionId,
    toJson("brief.text", storedText, brief.text),
    toJson("brief.essentials", essentials, brief.essentials),
    toJson("brief.carried", carried, brief.carried),
    brief.madeAtMs,
  );
}

const briefRow = z.object({
  session_id: z.custom<SessionId>(),
  seq: z.int(),
  compaction_id: line,
  text: jsonColumn(storedText),
  essentials: jsonColumn(essentials),
  carried: jsonColumn(carried),
  made_at_ms: z.int(),
});

function briefOf(sql: SqlRow | null): BriefRecord | null {
  if (!sql) return null;
  const row = decodeRow("brief", briefRow, sql);
  return {
    sessionId: row.session_id,
    seq: row.seq,
    compactionId: row.compaction_id,
    text: row.text,
    essentials: row.essentials,
    carried: row.carried,
    madeAtMs: row.made_at_ms,
  };
}
