// Rewrites as they are stored: why, where, at what price, and what each spares.
import type { RewriteReason } from "../../history/plan.ts";
import { branded, integer, knownValue, real, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { ofSession, type RowOf, table } from "../../storage/table.ts";
import { keptTable } from "./kept-store.ts";
import { limitTables } from "./limit-store.ts";

/**
 * Boundaries at which history was dropped or folded. Tokens are the provider's, by our estimate. Rows
 * are never updated: what a rewrite has saved since follows from the calls since.
 */
const rewriteTable = table(
  "rewrite",
  {
    sessionId: branded<SessionId>(),
    /** The ledger's rank of its first entry. */
    seq: integer,
    epochSeq: integer,
    /** The moment of its call, in milliseconds since 1970. */
    atMs: integer,
    reason: knownValue<RewriteReason>(["cold", "worth", "pressure", "asked"]),
    /** The first message that it changed, and the last one. */
    firstMessageId: text,
    lastMessageId: text,
    /** How many parts went by themselves, and how many folds were made. */
    drops: integer,
    folds: integer,
    /** What its call pays more for it, in input tokens; 0 where the cache was dead. */
    costTokens: integer,
    /** What each call is spared from then on. */
    savedTokens: integer,
    /** What reading a token from the cache, and writing it, costs of an input token. */
    readRate: real,
    writeRate: real,
    /** The protected tail, and what it has learnt from: both of the last calls, in input tokens. */
    keepTokens: integer,
    regretTokens: integer,
    sparedTokens: integer,
    /** What is folded and dropped after it, all in all. */
    foldedMessages: integer,
    foldTokens: integer,
    droppedParts: integer,
  },
  { key: ["sessionId", "seq"], ...ofSession({ by: "seq" }), sql: { layout: "by key" } },
);

export type RewriteRecord = RowOf<typeof rewriteTable>;

/** Of long sessions: what was rewritten, and what models take. */
export const historyTables: SchemaModule = {
  tables: [rewriteTable, keptTable, ...limitTables.tables],
};

export function rewriteStore(driver: Driver) {
  const rewrites = rewriteTable.in(driver);
  return {
    append: (rewrite: RewriteRecord): void => void rewrites.insertNew(rewrite),
    /** By rank. */
    of: (sessionId: SessionId) => rewrites.list({ sessionId }, "seq"),
  };
}
