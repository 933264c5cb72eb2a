// Implements `session-runtime history`: which parts of a session are folded and dropped, and each rewrite's figures.
import type { CliCommandCode } from "../../feature-api/command.ts";
import type { SessionId } from "../../storage/records.ts";
import { createDroppedHistoryReader, parseSegments, renderHistory } from "./history-report.ts";
import { createHistoryReader, type HistoryStatus, type RewriteStatus } from "./rewrite-status.ts";

export const historyCli: CliCommandCode = {
  details: [
    "The segments of the folded history with their refs, the parts that were dropped, and every",
    "rewrite: when, why, at what price, and what it has spared since. The last part is the folded",
    "history as the model sees it. What an undo took back is known from the calls after it.",
  ],
  args: { session: { type: "session" } },
  examples: [
    { line: "session-runtime history", does: "of the newest session of this folder" },
    { line: "session-runtime history ses_1a2b --json", does: "for scripts, with all figures" },
  ],
  access: "reads",
  run({ given, driver, nowMs }) {
    const sessionId = String(given.get("session")) as SessionId;
    const status = createHistoryReader(driver)(sessionId, null);
    const gone = createDroppedHistoryReader(driver)(sessionId, null);
    const segments = gone.folds.flatMap(({ text }) => parseSegments(text));
    const tail = status?.rewrites.at(-1) ?? null;
    return {
      text: renderHistory({ status, dropped: gone, segments, tail }, sessionId, nowMs),
      values: {
        sessionId,
        ...toTotalsJson(status),
        segments: segments.map(({ ref, messages, kind, text }) => ({ ref, messages, kind, text })),
        drops: gone.drops,
        folds: gone.folds.map(({ first, last, text }) => ({ first, last, text })),
        rewrites: (status?.rewrites ?? []).map(toRewriteJson),
      },
    };
  },
};

function toTotalsJson(status: HistoryStatus | null) {
  return {
    savedTokensPerCall: status?.savedTokens ?? 0,
    foldedMessages: status?.foldedMessages ?? 0,
    foldTokens: status?.foldTokens ?? 0,
    droppedParts: status?.droppedParts ?? 0,
    costTokens: status?.costTokens ?? 0,
    savedTokens: status?.savedSoFar ?? 0,
  };
}

function toRewriteJson({ sessionId: _, savedTokens, savedSoFar, ...rewrite }: RewriteStatus) {
  return { ...rewrite, savedTokensPerCall: savedTokens, savedTokens: savedSoFar };
}
