// Stores rewrites: the reason, the place, the cost, and what each saves.
import type { RewriteReason } from "../../history/plan.ts";
import { branded, integer, knownValue, real, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { ofSession, type RowOf, table } from "../../storage/table.ts";
import { keptTable } from "./kept-store.ts";
import { limitTables } from "./limit-store.ts";

/**
 * One row per boundary at which history was dropped or folded. Tokens are the provider's, by our estimate. Rows are
 * never updated: what a rewrite has saved since is computed from the calls since.
 */
const rewriteTable = table(
  "rewrite",
  {
    sessionId: branded<SessionId>(),
    /** The ledger's rank of the rewrite's first entry. */
    seq: integer,
    epochSeq: integer,
    /** The time of its call, in milliseconds since 1970. */
    atMs: integer,
    reason: knownValue<RewriteReason>(["cold", "worth", "pressure", "asked"]),
    /** The first message that it changed, and the last one. */
    firstMessageId: text,
    lastMessageId: text,
    /** The number of parts dropped one by one, and the number of folds. */
    drops: integer,
    folds: integer,
    /** The extra cost of its call, in input tokens; 0 if the cache had expired. */
    costTokens: integer,
    /** The tokens that each later call saves. */
    savedTokens: integer,
    /** The cost of reading a token from the cache, and of writing it, as a share of an input token. */
    readRate: real,
    writeRate: real,
    /** The protected tail and the two sums that it is adapted from, as of the latest calls, in input tokens. */
    keepTokens: integer,
    regretTokens: integer,
    sparedTokens: integer,
    /** The total that is folded and dropped after this rewrite. */
    foldedMessages: integer,
    foldTokens: integer,
    droppedParts: integer,
  },
  { key: ["sessionId", "seq"], ...ofSession({ by: "seq" }), sql: { layout: "by key" } },
);

export type RewriteRecord = RowOf<typeof rewriteTable>;

/** Declares the tables for long sessions: rewrites, kept parts, and the limits of models. */
export const historyTables: SchemaModule = {
  tables: [rewriteTable, keptTable, ...limitTables.tables],
};

export function rewriteStore(driver: Driver) {
  const rewrites = rewriteTable.in(driver);
  return {
    append: (rewrite: RewriteRecord): void => void rewrites.insertNew(rewrite),
    /** Lists a session's rewrites in order of rank. */
    of: (sessionId: SessionId) => rewrites.list({ sessionId }, "seq"),
  };
}
