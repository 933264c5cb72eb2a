// What a played session comes to: right answers, bill, rewrites, peak.
import type { AskedQuestion } from "./answerer.ts";
import type { PlayedCall, PlayedSession } from "./play-session.ts";

export interface Tally {
  readonly questions: number;
  readonly fromContext: number;
  readonly byLookUp: number;
  /** Questions about what the user typed or a closing answer says, and how many of them needed no look-up. */
  readonly spoken: { readonly questions: number; readonly fromContext: number };
  readonly bill: number;
  readonly calls: number;
  /** As they are seen in the requests. */
  readonly rewrites: Readonly<Record<RewriteKind, number>>;
  /** By the plugin's own record. */
  readonly reasons: Readonly<Record<string, number>>;
  /** The most that a rewrite found of it; null: there was none. */
  readonly regretTokens: number | null;
  readonly peakTokens: number;
  readonly compactions: number;
  readonly tooLong: number;
  readonly failed: number;
}

/** What of a call's front is no longer what the call before it sent. */
export type RewriteKind = "drops" | "folds" | "compaction" | "other";

export function tallySessions(sessions: readonly PlayedSession[]): Tally {
  const asked = sessions.flatMap((session) => session.asked);
  const calls = sessions.flatMap((session) => session.calls);
  const outcome = (wanted: AskedQuestion["outcome"]) =>
    asked.filter((one) => one.outcome === wanted).length;
  const spoken = asked.filter(({ fact }) => fact.kind === "user" || fact.kind === "decision");
  const kinds = sessions.flatMap((session) => listRewrites(session.calls)).map(({ kind }) => kind);
  const rewrites = (wanted: RewriteKind) => kinds.filter((kind) => kind === wanted).length;
  const recorded = sessions.flatMap((session) => session.rewrites);
  const reasons: Record<string, number> = {};
  for (const { reason } of recorded) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const regrets = recorded.map(({ regretTokens }) => regretTokens);
  return {
    reasons,
    regretTokens: regrets.length === 0 ? null : Math.max(...regrets),
    questions: asked.length,
    fromContext: outcome("context"),
    byLookUp: outcome("look-up"),
    spoken: {
      questions: spoken.length,
      fromContext: spoken.filter((one) => one.outcome === "context").length,
    },
    bill: calls.reduce((sum, { bill }) => sum + bill, 0),
    calls: calls.length,
    rewrites: {
      drops: rewrites("drops"),
      folds: rewrites("folds"),
      compaction: rewrites("compaction"),
      other: rewrites("other"),
    },
    peakTokens: Math.max(...calls.map(({ promptTokens }) => promptTokens)),
    compactions: calls.filter(({ kind }) => kind === "compaction").length,
    tooLong: sessions.reduce((sum, { tooLong }) => sum + tooLong.length, 0),
    failed: sessions.reduce((sum, { failed }) => sum + failed.length, 0),
  };
}

export function countRight({ fromContext, byLookUp }: Tally): number {
  return fromContext + byLookUp;
}

export interface Rewrite {
  readonly call: PlayedCall;
  readonly kind: RewriteKind;
}

/** Main calls that don't grow from the one before them. */
export function listRewrites(calls: readonly PlayedCall[]): readonly Rewrite[] {
  const rewrites: Rewrite[] = [];
  let former: PlayedCall | undefined;
  let compacted = false;
  for (const call of calls) {
    if (call.kind === "compaction") compacted = true;
    if (call.kind !== "main") continue;
    if (former && !call.grows) {
      rewrites.push({ call, kind: compacted ? "compaction" : classifyRewrite(former, call) });
    }
    former = call;
    compacted = false;
  }
  return rewrites;
}

function classifyRewrite(former: PlayedCall, call: PlayedCall): RewriteKind {
  if (call.foldTokens !== former.foldTokens) return "folds";
  return call.stubs === former.stubs ? "other" : "drops";
}
