// Renders the report of /ctx-brief.
import { estimateTokens } from "../../ledger/tokens.ts";
import type { CommandReport } from "../../status/report.ts";
import { count, formatAgo } from "../../status/wording.ts";
import type { BriefRecord } from "../../storage/brief-store.ts";
import type { SessionId } from "../../storage/records.ts";
import type { BriefResult } from "./make-brief.ts";

/** Holds the brief as it would be pushed now, and the one that was pushed last. */
export interface BriefPreview {
  readonly made: BriefResult;
  readonly last: BriefRecord | null;
}

/** Renders the brief as it would be pushed now. Nothing is stored. */
export async function briefReport(
  /** It is null if briefs are switched off. */
  briefs: { readonly preview: (sessionId: SessionId) => Promise<BriefPreview> } | null,
  sessionId: SessionId,
): Promise<CommandReport> {
  if (!briefs) {
    const text = "Session Runtime: continuity.enabled is false, so compactions get no brief.";
    return { text, summary: text };
  }
  const { made, last } = await briefs.preview(sessionId);
  const tokens = count(estimateTokens(made.text));
  const stage = made.brief.essentials.stage;
  const at = stage === null ? "no workflow recognised" : `in ${stage}`;
  const former =
    last === null
      ? "No compaction of this session has had a brief yet."
      : `The last one had a brief of about ${count(estimateTokens(last.text))} tokens, ${formatAgo(last.madeAtMs, Date.now())}.`;
  return {
    text: `Session Runtime: a compaction now would get this brief (about ${tokens} tokens, ${at}). ${former}\n\n${made.text}`,
    summary: `a compaction now would get a brief of about ${tokens} tokens, ${at}.`,
  };
}
