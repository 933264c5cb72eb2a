// The store of briefs.
import * as z from "zod";
import type { BriefRecord, BriefStore } from "./brief-records.ts";
import { decodeRow, jsonColumn, storedText, toJson } from "./codec.ts";
import type { Driver, SqlRow } from "./driver.ts";
import type { SessionId } from "./records.ts";
import { ensureSession } from "./session-store.ts";

const line = z.string().nullable();
const essentials: z.ZodType<BriefRecord["essentials"]> = z.object({
  stage: line,
  step: line,
  nextAction: line,
  gate: line,
});
const carried: z.ZodType<BriefRecord["carried"]> = z.object({
  objective: line,
  decisions: z.array(z.string()),
});

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
