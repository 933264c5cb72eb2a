// Rewrites as they are stored: why, where, at what price, and what each spares.
import type { Reason } from "../../history/plan.ts";
import { limitTables } from "../../limits/store.ts";
import { branded, integer, oneOf, real, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { SchemaPart } from "../../storage/schema-part.ts";
import { table } from "../../storage/table.ts";

/**
 * One boundary at which history was dropped or folded. Tokens are the provider's, by our estimate. Rows
 * are never updated: what a rewrite has saved since follows from the calls since.
 */
export interface RewriteRecord {
  readonly sessionId: SessionId;
  /** The ledger's rank of its first entry. */
  readonly seq: number;
  readonly epochSeq: number;
  /** The moment of its call, in milliseconds since 1970. */
  readonly atMs: number;
  readonly reason: Reason;
  /** The first message that it changed, and the last one. */
  readonly firstMessageId: string;
  readonly lastMessageId: string;
  /** How many parts went by themselves, and how many folds were made. */
  readonly drops: number;
  readonly folds: number;
  /** What its call pays more for it, in input tokens; 0 where the cache was dead. */
  readonly costTokens: number;
  /** What each call is spared from then on. */
  readonly savedTokens: number;
  /** What reading a token from the cache, and writing it, costs of an input token. */
  readonly readRate: number;
  readonly writeRate: number;
  /** The protected tail, and what it has learnt from: both of the last calls, in input tokens. */
  readonly keepTokens: number;
  readonly regretTokens: number;
  readonly sparedTokens: number;
  /** What is folded and dropped after it, all in all. */
  readonly foldedMessages: number;
  readonly foldTokens: number;
  readonly droppedParts: number;
}

const rewriteTable = table<RewriteRecord>(
  "rewrite",
  {
    sessionId: branded(),
    seq: integer,
    epochSeq: integer,
    atMs: integer,
    reason: oneOf(["cold", "worth", "pressure", "asked"]),
    firstMessageId: text,
    lastMessageId: text,
    drops: integer,
    folds: integer,
    costTokens: integer,
    savedTokens: integer,
    readRate: real,
    writeRate: real,
    keepTokens: integer,
    regretTokens: integer,
    sparedTokens: integer,
    foldedMessages: integer,
    foldTokens: integer,
    droppedParts: integer,
  },
  {
    key: ["sessionId", "seq"],
    sessionColumn: "session_id",
    exported: { kind: "in order", by: "seq" },
    activityColumn: null,
  },
);

const rewriteSchema = `
CREATE TABLE rewrite (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  epoch_seq INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('cold', 'worth', 'pressure', 'asked')),
  first_message_id TEXT NOT NULL,
  last_message_id TEXT NOT NULL,
  drops INTEGER NOT NULL,
  folds INTEGER NOT NULL,
  cost_tokens INTEGER NOT NULL,
  saved_tokens INTEGER NOT NULL,
  read_rate REAL NOT NULL,
  write_rate REAL NOT NULL,
  keep_tokens INTEGER NOT NULL,
  regret_tokens INTEGER NOT NULL,
  spared_tokens INTEGER NOT NULL,
  folded_messages INTEGER NOT NULL,
  fold_tokens INTEGER NOT NULL,
  dropped_parts INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;`;

/** Of long sessions: what was rewritten, and what models take. */
export const historyTables: SchemaPart = {
  tables: [rewriteTable, ...limitTables.tables],
  migrations: [{ version: 9, sql: rewriteSchema }, ...limitTables.migrations],
};

const SELECT = `SELECT ${rewriteTable.columns} FROM rewrite WHERE session_id = ? ORDER BY seq`;

export function rewriteStore(driver: Driver) {
  return {
    append: (rewrite: RewriteRecord) =>
      driver.transaction(() => void rewriteTable.insert(driver, rewrite, "ON CONFLICT DO NOTHING")),
    /** By rank. */
    of: (sessionId: SessionId) => driver.all(SELECT, sessionId).map(rewriteTable.read),
  };
}
