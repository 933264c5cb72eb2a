import { hashText } from "../../src/context/canonical.ts";
import { countBytes } from "../../src/status/updates.ts";
import type { BriefRecord } from "../../src/storage/brief-store.ts";
import type { SessionLedger } from "../../src/storage/ledger-table.ts";
import type {
  CallOverview,
  FormOverview,
  InboxCounts,
  SessionOverview,
  SparedCalls,
} from "../../src/storage/overview-records.ts";
import type { TurnUsage } from "../../src/storage/records.ts";
import type { TurnFigures } from "../../src/storage/turn-figures.ts";

/** What is stored of a session, as its own stores give it. */
export interface StoredSession {
  readonly ledger: SessionLedger;
  /** Newest first. */
  readonly turns: readonly TurnFigures[];
  readonly brief: BriefRecord | null;
  readonly inbox: InboxCounts;
  readonly forms: readonly FormOverview[];
}

export const NOTHING: StoredSession = {
  ledger: { epochs: [], entries: [] },
  turns: [],
  brief: null,
  inbox: { waiting: 0, handed: 0, saved: 0, promoted: 0, refused: 0 },
  forms: [],
};

/** The overview as it follows from the records: what the store's SQL must come to as well. */
export function buildOverview({
  ledger,
  turns,
  brief,
  inbox,
  forms,
}: StoredSession): SessionOverview {
  const calls = turns.map((turn, index): CallOverview => {
    const former = turns
      .slice(index + 1)
      .find(
        ({ providerId, modelId }) => providerId === turn.providerId && modelId === turn.modelId,
      );
    const { usage = null } = former ?? {};
    const readableTokens = usage && usage.cacheReadTokens + usage.cacheWriteTokens;
    return { ...turn, readableTokens };
  });
  const reports = turns.flatMap(({ usage }) => (usage ? [usage] : []));
  const sum = (key: keyof TurnUsage) => reports.reduce((total, usage) => total + usage[key], 0);
  return {
    harness: null,
    epochs: ledger.epochs.map((epoch) => ({
      seq: epoch.seq,
      cause: epoch.cause,
      directory: epoch.location.directory,
      startedAtMs: epoch.startedAtMs,
      baselineBytes: countBytes(epoch.baseline),
      baselineHash: hashText(epoch.baseline),
      keys: [...new Set([...Object.keys(epoch.snapshot), ...epoch.parts.map(({ key }) => key)])],
    })),
    entries: ledger.entries.map((entry) => ({
      seq: entry.seq,
      epochSeq: entry.epochSeq,
      decidedAtMs: entry.decidedAtMs,
      insertBytes: entry.edit?.verb === "insert" ? countBytes(entry.edit.text) : null,
      foldBytes: entry.edit?.verb === "fold" ? countBytes(entry.edit.text) : null,
      announcedKeys: entry.announced.map(({ key }) => key),
      changes: Object.entries(entry.delta).map(([key, value]) => ({
        key,
        effect: value === null ? "removed" : "stated",
      })),
    })),
    calls,
    totals: {
      calls: turns.length,
      reported: reports.length,
      inputTokens: sum("inputTokens"),
      outputTokens: sum("outputTokens"),
      cacheReadTokens: sum("cacheReadTokens"),
      cacheWriteTokens: sum("cacheWriteTokens"),
    },
    bill: {
      priced: turns.filter(({ cost }) => cost !== null).length,
      paidNanos: turns.reduce((total, { cost }) => total + (cost?.paidNanos ?? 0), 0),
      savedNanos: turns.reduce((total, { cost }) => total + (cost?.savedNanos ?? 0), 0),
      spared: sparedIn(ledger, turns),
    },
    busts: calls.filter(({ bust }) => bust !== null),
    brief: brief && {
      madeAtMs: brief.madeAtMs,
      bytes: countBytes(brief.text),
      stage: brief.essentials.stage,
    },
    inbox,
    forms,
  };
}

const RENDERED = ["date", "environment", "instructions", "references", "mcp", "skills"];

function sparedIn({ entries }: SessionLedger, turns: readonly TurnFigures[]): SparedCalls {
  const telling = entries.filter(
    ({ edit, announced }) =>
      edit !== null && announced.some(({ key }) => RENDERED.some((name) => key === `core/${name}`)),
  );
  const moments = new Set(telling.map(({ decidedAtMs }) => decidedAtMs));
  const spared = turns.filter(({ sentAtMs, usage }) => usage !== null && moments.has(sentAtMs));
  return {
    calls: spared.length,
    tokens: spared.reduce((sum, { usage }) => sum + (usage?.cacheReadTokens ?? 0), 0),
  };
}
