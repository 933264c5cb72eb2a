// Computes what a session's next call would be decided on, if it were made now.
import { findWatermark } from "../ledger/boundary.ts";
import { findIndices } from "../ledger/edit.ts";
import { asksForCompaction } from "../ledger/message.ts";
import type { NextCall } from "../ledger/policy.ts";
import { holdPruned } from "../ledger/prune.ts";
import type { IsOutdated } from "../ledger/space.ts";
import type { EntryRecord } from "../storage/ledger-table.ts";
import type { CallDeps } from "./call-deps.ts";
import { readHistory, type SessionMessage } from "./history.ts";
import { createSentMessages } from "./sent-messages.ts";
import { pickHeldLedger, type SessionState } from "./session-state.ts";
import { collectClaims, viewSession } from "./view.ts";

// Detects that what a call sent was rewritten later, so that the call's figures don't predict the next one.

/**
 * Detects a rewrite by comparing when the host completed the answer with when the shown entries were decided.
 */
export function createRewriteCheck(
  shown: readonly EntryRecord[],
  messages: readonly SessionMessage[],
): IsOutdated {
  return (answer) => {
    const index = messages.findLastIndex(({ info }) => info.id === answer.info.id);
    const info = messages[index]?.info;
    const completedMs = info?.role === "assistant" ? info.time.completed : undefined;
    if (completedMs === undefined) return false;
    const ends = shown.flatMap(({ edit, decidedAtMs }) => {
      if (edit === null || edit.verb === "insert" || decidedAtMs <= completedMs) return [];
      return [edit.verb === "fold" ? edit.last : edit.at.messageId];
    });
    const places = findIndices(new Set(ends), messages);
    return ends.some((id) => (places.get(id) ?? index) < index);
  };
}

/**
 * Computes the call. `listed` is the session as the host lists it, without what an undo hides. Null if the
 * session has no prompt yet.
 */
export async function computeNextCall(
  { memories, location, hostPrune, measureSpace }: CallDeps,
  memory: SessionState,
  listed: readonly SessionMessage[],
): Promise<NextCall | null> {
  const messages = sliceSinceCompaction(listed);
  const { user, head } = readHistory(messages);
  if (!user) return null;
  const held = hostPrune() === "on" ? holdPruned(messages) : messages;
  const view = viewSession({ ...pickHeldLedger(memory), location, messages, held, head });
  const { epoch, projected, standing, shown } = view;
  const sent = epoch ? memories.ensureSentMessages(memory, epoch.seq) : createSentMessages(null);
  const { providerID: providerId, modelID: modelId } = user.info.model;
  const isOutdated = createRewriteCheck(shown, messages);
  const { sessionId } = memory;
  return {
    messages: held,
    projected,
    standing,
    watermark: findWatermark(messages, sent.ids),
    claims: collectClaims(standing, []),
    proposals: memory.proposals,
    space: await measureSpace({ sessionId, providerId, modelId, projected, isOutdated }),
  };
}

/** Returns the messages from the newest compaction with a summary on, as the host does (OpenCode 1.18.33). */
function sliceSinceCompaction(listed: readonly SessionMessage[]): readonly SessionMessage[] {
  const summarised = new Set(
    listed.flatMap(({ info }) =>
      info.role === "assistant" && info.summary && info.finish && !info.error
        ? [info.parentID]
        : [],
    ),
  );
  const from = listed.findLastIndex(
    ({ info, parts }) => summarised.has(info.id) && asksForCompaction({ parts }),
  );
  return listed.slice(Math.max(0, from));
}
