// Stores rewrites, what was kept by hand, and the limits that providers have stated.
import type { RewriteReason } from "../../history/plan.ts";
import { digestRange } from "../../history/written.ts";
import type { HostMessage } from "../../ledger/message.ts";
import { brandedText, integer, knownValue, real, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { ensureSession } from "../../storage/session-store.ts";
import {
  localSessionRules,
  noSessionRules,
  type RowOf,
  sessionRules,
  table,
} from "../../storage/table.ts";

// Stores the kept parts of a session under a hash of the text, by which a fork finds them, because a fork's
// parts have other ids.

/**
 * Rows for forks, which have no ledger yet; in all other cases the ledger is the authority on what is kept.
 */
const keptPartTable = table(
  "kept_part",
  {
    sessionId: brandedText<SessionId>(),
    partId: text,
    /** Hash of the first message of the session's array; a fork's first message has the same hash. */
    root: text,
    /** The index of the part's message in that array, and the index of the part in its message. */
    place: integer,
    partPlace: integer,
    /** Digest of all messages up to and including the message of the part. */
    digest: text,
  },
  {
    ...{ key: ["sessionId", "partId"], ...localSessionRules },
    sql: {
      columns: { place: "CHECK (place >= 0)", partPlace: "CHECK (part_place >= 0)" },
      layout: "by key",
      extras: "CREATE INDEX kept_part_by_root ON kept_part (root);",
    },
  },
);

export function createKeptPartStore(driver: Driver) {
  const kept = keptPartTable.in(driver);
  return {
    put: (
      sessionId: SessionId,
      partIds: readonly string[],
      messages: readonly HostMessage[],
      nowMs: number,
    ): void =>
      driver.transaction(() => {
        ensureSession(driver, sessionId, nowMs);
        const root = digestRoot(messages);
        for (const [place, { parts }] of messages.entries()) {
          for (const [partPlace, { id: partId }] of parts.entries()) {
            if (!partIds.includes(partId)) continue;
            const digest = digestRange(messages.slice(0, place + 1));
            kept.upsert({ sessionId, partId, root, place, partPlace, digest });
          }
        }
      }),
    remove(sessionId: SessionId, partIds: readonly string[]): void {
      for (const partId of partIds) kept.delete({ sessionId, partId });
    },
    /**
     * Returns the ids of those parts of this history that were kept in a session that begins with the same
     * messages.
     */
    inherited: (messages: readonly HostMessage[]): readonly string[] => {
      const rows = kept.list({ root: digestRoot(messages) }, "place");
      const digests = new Map<number, string>();
      const computeDigest = (place: number) => {
        const known = digests.get(place) ?? digestRange(messages.slice(0, place + 1));
        digests.set(place, known);
        return known;
      };
      const found = rows.flatMap(({ place, partPlace, digest }) => {
        const part = messages[place]?.parts[partPlace];
        return part && computeDigest(place) === digest ? [part.id] : [];
      });
      return [...new Set(found)];
    },
  };
}

function digestRoot(messages: readonly HostMessage[]): string {
  return digestRange(messages.slice(0, 1));
}

// Stores the limits that providers have stated, and declares their table.

/**
 * The limits belong to no session, because they hold for all sessions. They stay on this machine, because
 * another machine's provider may state other limits.
 */
const limitTable = table(
  "model_limit",
  {
    providerId: text,
    modelId: text,
    /** The number of tokens that a model takes in one call, as the provider stated it in a refusal. */
    tokens: integer,
    /** The time at which the limit was stated, in milliseconds since 1970. */
    statedAtMs: integer,
  },
  {
    ...{ key: ["providerId", "modelId"], ...noSessionRules },
    sql: { columns: { tokens: "CHECK (tokens > 0)" }, layout: "by key" },
  },
);

export type LimitRecord = RowOf<typeof limitTable>;

const limitTables: SchemaModule = { tables: [limitTable] };

export function createLimitStore(driver: Driver) {
  const limits = limitTable.in(driver);
  return {
    /** Stores a limit in place of an earlier one, because the newest statement counts. */
    put: (limit: LimitRecord): void => limits.upsert(limit),
    /** Returns null if no limit has been stated. */
    of: (providerId: string, modelId: string): LimitRecord | null =>
      limits.find({ providerId, modelId }),
  };
}

/**
 * One row per boundary at which history was dropped or folded. Tokens are the provider's, as we estimate
 * them. Rows are never updated: what a rewrite has saved is computed from the calls made after it.
 */
const rewriteTable = table(
  "rewrite",
  {
    sessionId: brandedText<SessionId>(),
    /** The ledger's rank of the rewrite's first entry. */
    seq: integer,
    epochSeq: integer,
    /** The time of the rewrite's call, in milliseconds since 1970. */
    atMs: integer,
    reason: knownValue<RewriteReason>(["cold", "worth", "pressure", "asked"]),
    /** The first and the last message that the rewrite changed. */
    firstMessageId: text,
    lastMessageId: text,
    /** The number of parts dropped individually, and the number of folds. */
    drops: integer,
    folds: integer,
    /** The extra cost of the rewrite's call, in input tokens; 0 if the cache had expired. */
    costTokens: integer,
    /** The number of tokens that each later call saves. */
    savedTokens: integer,
    /**
     * The cost of reading a token from the cache and of writing it there, relative to that of an input token.
     */
    readRate: real,
    writeRate: real,
    /**
     * The protected tail and the two sums by which it is adapted, as of the latest calls, in input tokens.
     */
    keepTokens: integer,
    regretTokens: integer,
    sparedTokens: integer,
    /** The totals folded and dropped once this rewrite has been made. */
    foldedMessages: integer,
    foldTokens: integer,
    droppedParts: integer,
  },
  { key: ["sessionId", "seq"], ...sessionRules({ by: "seq" }), sql: { layout: "by key" } },
);

export type RewriteRecord = RowOf<typeof rewriteTable>;

/** Declares the tables for long sessions: rewrites, kept parts, and the limits of models. */
export const historyTables: SchemaModule = {
  tables: [rewriteTable, keptPartTable, ...limitTables.tables],
};

export function createRewriteStore(driver: Driver) {
  const rewrites = rewriteTable.in(driver);
  return {
    append: (rewrite: RewriteRecord): void => void rewrites.insertNew(rewrite),
    /** Lists a session's rewrites in order of rank. */
    of: (sessionId: SessionId) => rewrites.list({ sessionId }, "seq"),
  };
}
