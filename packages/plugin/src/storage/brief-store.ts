// The store of continuity briefs.
import * as z from "zod";
import type { BriefRecord, BriefStore } from "./brief-records.ts";
import { json, longText } from "./codec.ts";
import { branded, integer, orNull, text } from "./column.ts";
import type { Driver, SqlRow } from "./driver.ts";
import { ensureSession } from "./session-store.ts";
import { table } from "./table.ts";

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

export const briefTable = table<BriefRecord>(
  "brief",
  {
    sessionId: branded(),
    seq: integer,
    compactionId: orNull(text),
    text: longText,
    essentials: json(essentials),
    carried: json(carried),
    madeAtMs: integer,
  },
  {
    key: ["sessionId", "seq"],
    sessionColumn: "session_id",
    exported: { kind: "in order", by: "seq" },
    activityColumn: null,
  },
);

const SELECT = `SELECT ${briefTable.columns} FROM brief WHERE session_id = ?`;
const NEWEST = "ORDER BY seq DESC LIMIT 1";

export function briefStore(driver: Driver): BriefStore {
  const newest: BriefStore["newest"] = (sessionId) =>
    briefOf(driver.get(`${SELECT} ${NEWEST}`, sessionId));
  return {
    append: (brief) =>
      driver.transaction(() => {
        ensureSession(driver, brief.sessionId, brief.madeAtMs);
        const seq = (newest(brief.sessionId)?.seq ?? 0) + 1;
        briefTable.insert(driver, { ...brief, seq });
      }),
    newest,
    ofCompaction: (sessionId, compactionId) =>
      briefOf(driver.get(`${SELECT} AND compaction_id = ? ${NEWEST}`, sessionId, compactionId)),
  };
}

function briefOf(row: SqlRow | null): BriefRecord | null {
  return row && briefTable.read(row);
}
