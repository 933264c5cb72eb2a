import { toSourceKey } from "../../src/context/key.ts";
import type { LiveState, StatusInput } from "../../src/status/model.ts";
import type { EntryRecord, EpochRecord } from "../../src/storage/ledger-table.ts";
import type { EpochCause, SessionId, TurnUsage } from "../../src/storage/records.ts";
import type { TurnRecord } from "../../src/storage/turn-store.ts";
import { buildOverview, NOTHING, type StoredSession } from "../storage/overview-of.ts";

export const session = "ses_one" as SessionId;
export const MINUTE_MS = 60_000;
export const NOW_MS = Date.UTC(2026, 2, 1, 12);

const date = toSourceKey("core/date");
const instructions = toSourceKey("core/instructions");
const value = { hash: "00112233445566ff", json: '"value"', removed: "Gone." };

export function minutesAgo(minutes: number): number {
  return NOW_MS - minutes * MINUTE_MS;
}

export function epochRecord(
  seq: number,
  cause: EpochCause,
  startMessageId: string | null,
  startedAtMs: number,
): EpochRecord {
  return {
    sessionId: session,
    seq,
    cause,
    location: { directory: "/project/app", worktree: "/project" },
    startMessageId,
    baseline: `Today is Sunday – epoch ${seq}.\n${"Instructions. ".repeat(400)}`,
    parts: [{ key: instructions, text: "Instructions." }],
    snapshot: { [date]: value, [instructions]: value },
    startedAtMs,
  };
}

export interface Announcements {
  readonly seq: number;
  readonly epochSeq: number;
  readonly key: string;
  readonly messageId: string;
  readonly atMs: number;
}

/** An update; `removed` takes the key back. */
export function updateRecord(telling: Announcements, effect: "stated" | "removed"): EntryRecord {
  const key = toSourceKey(telling.key);
  const text = `<system-update>\nNews of ${key}.\n</system-update>`;
  return {
    sessionId: session,
    seq: telling.seq,
    epochSeq: telling.epochSeq,
    messageId: telling.messageId,
    ...{ origin: "announce-update", endMessageId: null, partId: null },
    edit: { verb: "insert", after: { messageId: telling.messageId, partId: null }, text },
    announced: [{ key, text: `News of ${key}.` }],
    delta: { [key]: effect === "removed" ? null : value },
    decidedAtMs: telling.atMs,
  };
}

export function createUsage(
  inputTokens: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
) {
  return { inputTokens, outputTokens: 100, cacheReadTokens, cacheWriteTokens };
}

export interface Call {
  readonly epochSeq: number;
  readonly atMs: number;
  readonly usage: TurnUsage | null;
  readonly bust: string | null;
}

/** Calls oldest first become turns as the store gives them. */
export function createTurns(calls: readonly Call[], model = "claude-sonnet-4-5-20250929") {
  const digest = "0011223344556677";
  const digests = {
    tools: digest,
    preamble: digest,
    baseline: digest,
    live: digest,
    history: digest,
    historyAtWatermark: digest,
  };
  return calls
    .map(
      ({ epochSeq, atMs, usage, bust }, index): TurnRecord => ({
        sessionId: session,
        seq: index + 1,
        epochSeq,
        providerId: "anthropic",
        modelId: model,
        agent: "build",
        sentAtMs: atMs,
        newMessageIds: [],
        digests,
        bust,
        usage,
        cost: null,
      }),
    )
    .reverse();
}

const health = { path: "/data/session-runtime/runtime.db", sizeBytes: 118_784, schemaVersion: 1 };

export function createStatusInput(stored: Partial<StoredSession>): StatusInput {
  const overview = buildOverview({ ...NOTHING, ...stored });
  return {
    sessionId: session,
    nowMs: NOW_MS,
    stored: { kind: "read", overview, health, sections: [] },
  };
}

export function createLiveState(live: Partial<LiveState>): LiveState {
  return {
    shown: null,
    failing: [],
    warnings: [],
    log: { path: "/data/session-runtime/runtime.log", lostLines: 0, failure: null },
    rewriters: [],
    toolsTokens: () => null,
    ...live,
  };
}

/** Two epochs, the second with three updates, one of them undone. */
export const ledger = {
  epochs: [
    epochRecord(1, "first", null, minutesAgo(300)),
    epochRecord(3, "compacted", "msg_summary", minutesAgo(60)),
  ],
  entries: [
    updateRecord(
      { seq: 2, epochSeq: 1, key: "core/date", messageId: "msg_1", atMs: minutesAgo(200) },
      "stated",
    ),
    updateRecord(
      { seq: 4, epochSeq: 3, key: "core/date", messageId: "msg_4", atMs: minutesAgo(40) },
      "stated",
    ),
    updateRecord(
      { seq: 5, epochSeq: 3, key: "core/mcp", messageId: "msg_5", atMs: minutesAgo(30) },
      "stated",
    ),
    updateRecord(
      { seq: 6, epochSeq: 3, key: "core/mcp", messageId: "msg_6", atMs: minutesAgo(20) },
      "removed",
    ),
    updateRecord(
      { seq: 7, epochSeq: 3, key: "core/skills", messageId: "msg_undone", atMs: minutesAgo(10) },
      "stated",
    ),
  ],
};

/** What replay shows of it: all of the second epoch but the update that was undone. */
export const shown = { epochSeq: 3, entrySeqs: new Set([4, 5, 6]), messageIds: new Set<string>() };
