// The store of continuity briefs.
import * as z from "zod";
import { brandedText, integer, json, longText, nullable, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";
import { ensureSession } from "./session-store.ts";
import { buildImmutableTrigger, type RowOf, sessionRules, table } from "./table.ts";

const nullableLineSchema = z.string().nullable();
const linesSchema: z.ZodType<readonly string[]> = z.array(z.string());

/** Holds words of the conversation that a later epoch quotes. */
const statementSchema = z.object({
  /** `kept` marks a line of the work that holds the user's own words, such as an answer to a question. */
  kind: z.enum(["prompt", "answer", "kept"]),
  messageId: z.string(),
  saidAtMs: z.number(),
  text: z.string(),
});
export type Statement = Readonly<z.infer<typeof statementSchema>>;

/** Briefs that were stored before statements existed have none. */
const statementsSchema: z.ZodType<readonly Statement[]> = z.array(statementSchema).default([]);

/** Holds continuity briefs as they were pushed into compactions. Rows are never updated. */
export const briefTable = table(
  "brief",
  {
    sessionId: brandedText<SessionId>(),
    /** The brief's rank among the session's briefs, from 1. */
    seq: integer,
    /** Names the host's row that asks for the compaction; null if it could not be found. */
    compactionId: nullable(text),
    /** The brief's text as it was pushed. */
    text: longText,
    /** Holds what the summary must not lose. */
    essentials: json(
      z.object({
        stage: nullableLineSchema,
        step: nullableLineSchema,
        nextAction: nullableLineSchema,
        gate: nullableLineSchema,
      }),
    ),
    /** Holds what the next brief takes over. */
    carried: json(
      z.object({
        objective: nullableLineSchema,
        decisions: linesSchema,
        statements: statementsSchema,
      }),
    ),
    madeAtMs: integer,
  },
  {
    key: ["sessionId", "seq"],
    ...sessionRules({ by: "seq" }),
    sealed: ["text", "essentials", "carried"],
    sql: {
      columns: { seq: "CHECK (seq >= 1)" },
      extras: `
CREATE INDEX brief_by_compaction ON brief (session_id, compaction_id);${buildImmutableTrigger("brief", "briefs")}`,
    },
  },
);

export type BriefRecord = RowOf<typeof briefTable>;

const rankSelection = briefTable.pick("seq");

export type BriefStore = ReturnType<typeof createBriefStore>;

export function createBriefStore(driver: Driver) {
  const briefs = briefTable.in(driver);
  const findNewest = (sessionId: SessionId) => briefs.find({ sessionId }, "seq desc");
  return {
    /** Stores a brief under the next rank. A compaction that is retried has several briefs. */
    append: (brief: Omit<BriefRecord, "seq">) =>
      driver.transaction(() => {
        ensureSession(driver, brief.sessionId, brief.madeAtMs);
        // Only the rank is read, so that a damaged brief can't keep a later one out.
        const former = rankSelection.in(driver).find({ sessionId: brief.sessionId }, "seq desc");
        const seq = (former?.seq ?? 0) + 1;
        briefs.insert({ ...brief, seq });
      }),
    newest: findNewest,
    /** Returns the compaction's newest brief, which its summary was made with. */
    ofCompaction: (sessionId: SessionId, compactionId: string) =>
      briefs.find({ sessionId, compactionId }, "seq desc"),
  };
}
