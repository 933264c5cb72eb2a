import { hashText } from "../../src/context/canonical.ts";
import { toSourceKey } from "../../src/context/key.ts";
import type { BriefRecord } from "../../src/storage/brief-store.ts";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import type { LedgerCommit } from "../../src/storage/ledger-store.ts";
import type { EntryRecord, EpochRecord } from "../../src/storage/ledger-table.ts";
import type { SessionId, TurnOutcome, TurnUsage } from "../../src/storage/records.ts";
import { listSessionPlaces } from "../../src/storage/session-list.ts";
import type { TurnRecord } from "../../src/storage/turn-store.ts";

export const session = "ses_one" as SessionId;
export const otherSession = "ses_two" as SessionId;

const date = toSourceKey("core/date");
const weather = toSourceKey("team/weather");

export function epochRecord(seq: number, sessionId = session): EpochRecord {
  return {
    sessionId,
    seq,
    cause: seq === 1 ? "first" : "compacted",
    location: { directory: "/project/app", worktree: "/project" },
    startMessageId: seq === 1 ? null : `msg_start_${seq}`,
    baseline: "Today is Sunday.\n\nIt rains.",
    parts: [
      { key: date, text: "Today is Sunday." },
      { key: weather, text: "It rains." },
    ],
    snapshot: {
      [date]: { hash: "00112233445566ff", json: '"Sunday"', removed: null },
      [weather]: { hash: "ff11223344556600", json: '{"rain":true}', removed: "No weather." },
    },
    startedAtMs: 1_000 + seq,
  };
}

export function entryRecord(seq: number, epochSeq: number, sessionId = session): EntryRecord {
  return {
    sessionId,
    seq,
    epochSeq,
    origin: "announce-update",
    messageId: `msg_${seq}`,
    partId: `prt_${seq}`,
    endMessageId: null,
    edit: {
      verb: "insert",
      after: { messageId: `msg_${seq}`, partId: `prt_${seq}` },
      text: `<system-update>\nNews ${seq}.\n</system-update>`,
    },
    announced: [{ key: weather, text: `News ${seq}.` }],
    delta: {
      [weather]: { hash: "0000000000000001", json: `${seq}`, removed: null },
      [date]: null,
    },
    decidedAtMs: 2_000 + seq,
  };
}

/** A session's first commit: its epoch alone. */
export function firstCommit(sessionId = session): LedgerCommit {
  return { sessionId, expectedSeq: 0, epoch: epochRecord(1, sessionId), entries: [] };
}

/** A commit of one entry of epoch 1 after `expectedSeq`. */
export function entryCommit(expectedSeq: number, sessionId = session): LedgerCommit {
  const entries = [entryRecord(expectedSeq + 1, 1, sessionId)];
  return { sessionId, expectedSeq, epoch: null, entries };
}

export function turnRecord(
  sentAtMs: number,
  epochSeq = 1,
  sessionId = session,
): Omit<TurnRecord, "seq" | "usage" | "cost"> {
  const digest = sentAtMs.toString(16).padStart(16, "0");
  return {
    sessionId,
    epochSeq,
    providerId: "anthropic",
    modelId: "claude-sonnet-4-5",
    agent: "build",
    sentAtMs,
    newMessageIds: [`msg_${sentAtMs}_user`, `msg_${sentAtMs}_assistant`],
    digests: {
      tools: digest,
      preamble: digest,
      baseline: hashText(epochRecord(epochSeq).baseline),
      live: digest,
      history: digest,
      historyAtWatermark: digest,
    },
    bust: null,
  };
}

export function briefRecord(
  compactionId: string | null,
  sessionId = session,
): Omit<BriefRecord, "seq"> {
  return {
    sessionId,
    compactionId,
    text: "## Stage-Aware Continuation",
    essentials: { stage: "bug-fix", step: "Apply it.", nextAction: null, gate: "Tests pass." },
    carried: {
      objective: "Fix the bug.",
      decisions: ["Decision: the smallest fix"],
      statements: [],
    },
    madeAtMs: 3_000,
  };
}

/** What became of the call that was sent then. */
export function outcome(sentAtMs: number, usage: TurnUsage, cause: string | null): TurnOutcome {
  const bust = cause === null ? null : ({ kind: "known", cause } as const);
  return { usage, cost, bust, sentAtMs };
}

export const cost = { paidNanos: 2_220_000, savedNanos: 19_320_000 };

export const usage = {
  inputTokens: 12,
  outputTokens: 34,
  cacheReadTokens: 5_600,
  cacheWriteTokens: 78,
};

/** Most recently active first. */
export function sessionsIn(database: Pick<RuntimeDatabase, "store">): readonly SessionId[] {
  return database.store((driver) => listSessionPlaces(driver)).map(({ sessionId }) => sessionId);
}
