// Compacts with Pi's own summary, made from what is really sent, and asks it for what the work needs.

import type { compact } from "@earendil-works/pi-coding-agent";
import type { DispatchHook } from "@session-runtime/opencode/runtime/dispatch-hooks";
import type { SessionRuntime } from "@session-runtime/opencode/session/runtime";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import type { KnownRows } from "./known-rows.ts";
import { toPiMessages } from "./messages.ts";
import type { PiContext, PiMessage, PiPreparation } from "./pi.ts";
import { groupMessages, ownMessages } from "./rows.ts";

interface CompactionDeps {
  readonly known: KnownRows;
  readonly runtime: SessionRuntime;
  readonly dispatch: DispatchHook;
  readonly sessionId: SessionId;
}

/** Holds the replacements for the inputs of Pi's summary. */
export interface BriefedCompaction {
  readonly preparation: PiPreparation;
  readonly instructions: string;
}

/** Returns null where there is nothing to add, so that Pi's own compaction is the same. */
export async function briefed(
  deps: CompactionDeps,
  preparation: PiPreparation,
  ctx: PiContext,
): Promise<BriefedCompaction | null> {
  const output = { context: [] as string[] };
  await deps.dispatch("compacting", deps.sessionId, output);
  const summarized = await listSentMessages(deps, preparation, ctx);
  if (output.context.length === 0 && summarized === null) return null;
  return {
    preparation: { ...preparation, ...(summarized && { messagesToSummarize: summarized }) },
    instructions: output.context.join("\n\n"),
  };
}

/**
 * Returns the messages that leave the history, without what was dropped and folded, because whole ones may not
 * fit into the call for the summary. Null where nothing was dropped or folded, or the cut lies within a turn,
 * which Pi summarises separately.
 */
async function listSentMessages(
  { runtime, sessionId, known }: CompactionDeps,
  { firstKeptEntryId, isSplitTurn }: PiPreparation,
  { model, sessionManager }: PiContext,
): Promise<readonly PiMessage[] | null> {
  if (!model || isSplitTurn) return null;
  const { entries } = sessionManager.buildSessionProjection();
  const groups = groupMessages(entries, ownMessages(entries), { sessionId, model, known });
  if (!groups) return null;
  const at = groups.findIndex(
    (group) => group.kind === "row" && group.row.info.id === firstKeptEntryId,
  );
  if (at < 0) return null;
  const left = groups.slice(0, at).filter((group) => group.kind === "row");
  // Pi receives a previous summary separately.
  const isSummary = left[0]?.messages[0]?.role === "compactionSummary";
  const rows = left.map(({ row }) => row);
  runtime.beginCompaction(sessionId);
  const sent = await runtime.projectHistory(rows);
  if (sent === rows || isSummary) return null;
  return toPiMessages(left, sent);
}

interface CompactionRequest {
  readonly customInstructions?: string;
  readonly signal: AbortSignal;
  /** The function of Pi's own package. */
  readonly compact: typeof compact;
}

/** Runs the compaction. @throws where the provider refuses, or Pi can't say how to ask it */
export async function summarized(
  { preparation, instructions }: BriefedCompaction,
  { customInstructions, signal, compact }: CompactionRequest,
  { model, modelRegistry }: PiContext,
): Promise<object | null> {
  if (!model) return null;
  const { apiKey, headers } = await modelRegistry.getApiKeyAndHeaders(model);
  const focus = [customInstructions, instructions].filter(Boolean).join("\n\n");
  return compact(preparation, model, apiKey, headers, focus, signal);
}
