// Reads the part of the status that is always shown.
import type { ShownNotice } from "../log/notices.ts";
import { sumContextTokens } from "../storage/turn-figures.ts";
import type { BustStatus, CacheStatus, CallStatus } from "./cache.ts";
import type { LayerShare } from "./layers.ts";
import type { EpochStatus, InboxStatus, SessionStatus } from "./model.ts";
import type { MoneyStatus } from "./money.ts";
import type { SectionMark } from "./section.ts";

/** The number of calls in the small history. */
const MAX_RECENT_CALLS = 16;
/** The most warnings and keys that the panel lists; /ctx-status has all of them. */
const MAX_LISTED_ITEMS = 20;

/** The part of a session's status that is always shown. Values only, and bounded in size. */
export interface PanelStatus {
  readonly sessionId: string;
  /** The host that the session runs in; null stands for OpenCode. */
  readonly harness: string | null;
  readonly atMs: number;
  readonly epoch: Pick<EpochStatus, "number" | "cause" | "startedAtMs"> | null;
  /** The newest call by layers; empty while the provider has reported nothing. */
  readonly layers: readonly LayerShare[];
  readonly cache: PanelCache;
  /** The newest Mid-Conversation System Message of the epoch; null if there is none. */
  readonly lastUpdate: { readonly atMs: number; readonly keys: readonly string[] } | null;
  /** The counts of the inbox; null if the database can't be read. */
  readonly inbox: InboxStatus | null;
  /** The features' sections, in a few words each. */
  readonly sections: readonly string[];
  /** The features' last actions. */
  readonly marks: readonly SectionMark[];
  readonly warnings: readonly ShownNotice[];
  /** What a user who opens the session must know first; null if there is nothing. */
  readonly notice: string | null;
  /** Commands that the user's settings turn off, each with the setting that turns it on. */
  readonly off: readonly (readonly [string, string])[];
  /** The database's fault; null if it is open. */
  readonly storageFault: string | null;
  /** `shown` if the user wants toasts. */
  readonly toasts: "shown" | "silent";
}

interface PanelCache {
  readonly calls: number;
  /** The share of each of the newest calls that was read from the cache, 0 to 1, oldest first. */
  readonly recentRates: readonly (number | null)[];
  /** The share over all of these calls together; null if nothing has been counted yet. */
  readonly hitRate: number | null;
  readonly lastBust: PanelBust | null;
  /** What the whole session cost, and what it saved. */
  readonly money: MoneyStatus;
}

interface PanelBust extends BustStatus {
  readonly sentAtMs: number;
  /** `expected`: the bust came with a new epoch, or with a pause beyond the cache's life. */
  readonly nature: "expected" | "avoidable";
  /** The tokens for which the call paid the full price or more; null while the provider has not reported. */
  readonly billedTokens: number | null;
}

/** Reads the part of the one read model that is always shown. */
export function readPanel(
  status: SessionStatus,
  { toasts, notice, off }: Pick<PanelStatus, "toasts" | "notice" | "off">,
): PanelStatus {
  const { epoch, cache, updates, storage } = status;
  const standing = updates.filter(({ state }) => state !== "withdrawn");
  const last = standing.at(-1);
  return {
    sessionId: status.sessionId,
    harness: status.harness,
    atMs: status.atMs,
    epoch: epoch && {
      number: epoch.number,
      cause: epoch.cause,
      startedAtMs: epoch.startedAtMs,
    },
    layers: status.layers,
    cache: readPanelCache(cache),
    lastUpdate: last ? { atMs: last.atMs, keys: last.keys.slice(0, MAX_LISTED_ITEMS) } : null,
    inbox: status.inbox,
    sections: status.sections.flatMap(({ label, short }) =>
      short === null ? [] : [`${label}: ${short}`],
    ),
    marks: status.sections.flatMap(({ mark }) => mark ?? []),
    warnings: status.warnings.slice(-MAX_LISTED_ITEMS),
    storageFault: storage.kind === "unreadable" ? storage.message : null,
    toasts,
    notice,
    off,
  };
}

function readPanelCache({ calls, totals, money }: CacheStatus): PanelCache {
  const recent = calls.slice(-MAX_RECENT_CALLS);
  const reports = recent.flatMap(({ usage }) => (usage ? [usage] : []));
  const all = reports.reduce((sum, usage) => sum + sumContextTokens(usage), 0);
  const read = reports.reduce((sum, usage) => sum + usage.cacheReadTokens, 0);
  return {
    calls: totals.calls,
    recentRates: recent.map(({ hitRate }) => hitRate),
    hitRate: all === 0 ? null : read / all,
    lastBust: readLastBust(calls),
    money,
  };
}

function readLastBust(calls: readonly CallStatus[]): PanelBust | null {
  const at = calls.findLastIndex(({ bust }) => bust !== null);
  const lost = calls[at];
  if (!lost?.bust) return null;
  const { bust, usage, sentAtMs, epochNumber } = lost;
  const beginsEpoch = calls[at - 1]?.epochNumber !== epochNumber;
  return {
    ...bust,
    sentAtMs,
    nature: beginsEpoch || bust.cause.startsWith("idle for ") ? "expected" : "avoidable",
    billedTokens: usage && usage.inputTokens + usage.cacheWriteTokens,
  };
}
