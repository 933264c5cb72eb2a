// The tables of the ledger, and a session's rows in them.
import { editSchema } from "../ledger/edit.ts";
import {
  brandedText,
  identifier,
  integer,
  json,
  longText,
  nullable,
  openChoice,
  storedDeltaSchema,
  storedSnapshotSchema,
  storedTextsSchema,
  text,
} from "./column.ts";
import { epochCauses, type Location, type SessionId } from "./records.ts";
import {
  buildImmutableTrigger,
  localSessionRules,
  type RowOf,
  sessionRules,
  table,
} from "./table.ts";

const ledgerRules = sessionRules({ by: "seq", sequence: "seq" });

/** Builds a trigger that accepts epochs and entries only in the one sequence that they share. */
const buildNextSeqTrigger = (name: "epoch" | "entry") => `
CREATE TRIGGER ${name}_takes_the_next_seq BEFORE INSERT ON ${name} BEGIN
  SELECT RAISE(ABORT, 'an ${name} takes the next seq of its session')
    WHERE NEW.seq <> (SELECT head_seq + 1 FROM session WHERE id = NEW.session_id);
  UPDATE session SET head_seq = NEW.seq WHERE id = NEW.session_id;
END;`;

/** Holds epochs: the spans in which one Baseline stays the immutable prefix. Rows are never updated. */
export const epochTable = table(
  "epoch",
  {
    sessionId: brandedText<SessionId>(),
    /** The epoch's rank in the session, from 1. Epochs and ledger entries share one sequence per session. */
    seq: integer,
    cause: openChoice(epochCauses),
    directory: text,
    worktree: text,
    /**
     * Names the message that must be in the host's array for the epoch to be the current one: a compaction's
     * summary, or the last message of the fold that the epoch began with. Null means genesis.
     */
    startMessageId: nullable(text),
    /** The exact text that is sent. */
    baseline: longText,
    parts: json(storedTextsSchema),
    snapshot: json(storedSnapshotSchema),
    startedAtMs: integer,
  },
  {
    ...{ key: ["sessionId", "seq"], ...ledgerRules, sealed: ["baseline", "parts", "snapshot"] },
    sql: {
      columns: { seq: "CHECK (seq >= 1)" },
      extras: buildNextSeqTrigger("epoch") + buildImmutableTrigger("epoch", "epochs"),
    },
  },
);

export type EpochRecord = Omit<RowOf<typeof epochTable>, keyof Location> & {
  readonly location: Location;
};

/**
 * Holds ledger entries. `edit` is null for a witness: the host itself showed the model what `announced` says
 * (a nested instruction in a tool result), so nothing is changed on the wire, but the belief is recorded with
 * its position.
 */
export const entryTable = table(
  "entry",
  {
    sessionId: brandedText<SessionId>(),
    seq: integer,
    epochSeq: integer,
    /** Names the policy that drafted the entry. */
    origin: identifier,
    /**
     * The message that the entry belongs to: that of the edit's anchor, a fold's first message, or that of
     * the witnessed part.
     */
    messageId: text,
    partId: nullable(text),
    /** A fold's last message; null for all other entries. */
    endMessageId: nullable(text),
    edit: nullable(json(editSchema)),
    /**
     * Holds what the entry announces, by key: the texts and the Snapshot's changes. Empty for pure history
     * edits.
     */
    announced: json(storedTextsSchema),
    delta: json(storedDeltaSchema),
    decidedAtMs: integer,
  },
  {
    ...{ key: ["sessionId", "seq"], ...ledgerRules, sealed: ["edit", "announced", "delta"] },
    sql: {
      columns: { epochSeq: "CHECK (epoch_seq < seq)" },
      constraints: [
        "FOREIGN KEY (session_id, epoch_seq) REFERENCES epoch (session_id, seq) ON DELETE CASCADE",
      ],
      extras: `
CREATE INDEX entry_by_epoch ON entry (session_id, epoch_seq);${buildNextSeqTrigger("entry")}${buildImmutableTrigger("entry", "ledger entries")}`,
    },
  },
);

export type EntryRecord = RowOf<typeof entryTable>;

/** Holds what an epoch's first call sends until the epoch itself is stored. */
export const preparedTable = table(
  "prepared_edit",
  {
    sessionId: brandedText<SessionId>(),
    rank: integer,
    origin: identifier,
    edit: json(editSchema),
  },
  {
    ...{ key: ["sessionId", "rank"], ...localSessionRules, sealed: ["edit"] },
    sql: { columns: { rank: "CHECK (rank >= 1)" } },
  },
);

/** An edit of an epoch that is about to begin, stored before it is sent. */
export type PreparedEdit = Pick<RowOf<typeof preparedTable>, "origin" | "edit">;

/** Holds everything that is stored of a session's projection. */
export interface SessionLedger {
  readonly epochs: readonly EpochRecord[];
  readonly entries: readonly EntryRecord[];
}

/** Holds the readable part of a session's ledger. */
export interface SoundLedger extends SessionLedger {
  /** Ranks of damaged epochs and entries, whose content is no longer sent. */
  readonly damagedSeqs: readonly number[];
}
