// The store of rewrites, and the table that it brings.
import { limitTables } from "../limits/store.ts";
import { branded, integer, oneOf, real, text } from "../storage/column.ts";
import type { Driver } from "../storage/driver.ts";
import type { SessionId } from "../storage/records.ts";
import type { SchemaPart } from "../storage/schema-part.ts";
import { table } from "../storage/table.ts";
import type { RewriteRecord } from "./record.ts";

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
