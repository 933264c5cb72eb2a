// The report of /ctx-brief: the brief as it would be pushed now.
import { estimateTokens } from "../projection/tokens.ts";
import type { CommandReport } from "../status/report.ts";
import { ago, count } from "../status/wording.ts";
import type { SessionId } from "../storage/records.ts";
import type { ContinuityHook } from "./compacting.ts";

/** The report of /ctx-brief: the brief as it would be pushed now. Nothing is stored. */
export async function briefReport(
  continuity: Pick<ContinuityHook, "enabled" | "preview">,
  sessionId: SessionId,
): Promise<CommandReport> {
  if (!continuity.enabled) {
    const text = "Session Runtime: continuity.enabled is false, so compactions get no brief.";
    return { text, summary: text };
  }
  const { made, last } = await continuity.preview(sessionId);
  const tokens = count(estimateTokens(made.text));
  const stage = made.brief.essentials.stage;
  const at = stage === null ? "no workflow recognised" : `in ${stage}`;
  const former =
    last === null
      ? "No compaction of this session has had a brief yet."
      : `The last one had a brief of about ${count(estimateTokens(last.text))} tokens, ${ago(last.madeAtMs, Date.now())}.`;
  return {
    text: `Session Runtime: a compaction now would get this brief (about ${tokens} tokens, ${at}). ${former}\n\n${made.text}`,
    summary: `a compaction now would get a brief of about ${tokens} tokens, ${at}.`,
  };
}
