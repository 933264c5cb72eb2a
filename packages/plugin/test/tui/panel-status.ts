import type { PanelStatus } from "../../src/status/panel.ts";
import type { ViewState } from "../../src/tui/view.ts";

export const NOW_MS = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;

/** A session in the middle of its work, with nothing wrong. */
export const CALM: PanelStatus = {
  sessionId: "ses_one",
  harness: null,
  atMs: NOW_MS,
  epoch: { number: 2, cause: "compacted", startedAtMs: NOW_MS - 12 * MINUTE_MS },
  layers: [
    { layer: "tools", tokens: 9_400 },
    { layer: "baseline", tokens: 2_100 },
    { layer: "updates", tokens: 180 },
    { layer: "conversation", tokens: 21_600 },
  ],
  cache: {
    calls: 31,
    recentRates: [0, 0.98, 0.99, null, 0.97, 0.96, 0.99],
    hitRate: 0.94,
    lastBust: null,
    money: { paidUsd: null, savedUsd: null, sparedCalls: 0, sparedTokens: 0 },
  },
  lastUpdate: { atMs: NOW_MS - 3 * MINUTE_MS, keys: ["core/date", "core/instructions"] },
  inbox: { waiting: 0, unread: 0, unanswered: 0, refused: 0 },
  sections: [],
  marks: [],
  warnings: [],
  storageFault: null,
  notice: null,
  off: [],
  toasts: "shown",
};

export const WARNING = {
  code: "listed_twice",
  severity: "warning",
  message: "It is listed twice.",
  remedy: "Remove one entry.",
} as const;

export const BUST = {
  cause: "the tool list changed",
  confirmation: "confirmed",
  nature: "avoidable",
  sentAtMs: NOW_MS - 2 * MINUTE_MS,
  billedTokens: 33_000,
} as const;

/** Everything that a panel can say at once. */
export const TROUBLED: PanelStatus = {
  ...CALM,
  cache: { ...CALM.cache, lastBust: BUST },
  inbox: { waiting: 2, unread: 0, unanswered: 1, refused: 1 },
  warnings: [WARNING, { ...WARNING, code: "other" }],
  storageFault: "The database /data/runtime.db is locked by another process.",
};

export function linked(status: PanelStatus | null): ViewState {
  return { link: { kind: "linked" }, status };
}
