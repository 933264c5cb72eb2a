// Computes what a session's next call would be decided on, if it were made now.
import type { NextCall } from "../ledger/boundary-view.ts";
import { asksForCompaction } from "../ledger/message.ts";
import { watermark } from "../ledger/position.ts";
import { holdPruned } from "../ledger/prune.ts";
import { collectClaims } from "./boundary.ts";
import type { CallDeps } from "./call-deps.ts";
import { readHistory, type SessionMessage } from "./history.ts";
import { rewrittenSince } from "./rewritten.ts";
import { emptySentMessages } from "./sent-messages.ts";
import { heldLedger, type SessionState } from "./session-state.ts";
import { viewSession } from "./view.ts";

/**
 * Computes the call. `listed` is the session as the host lists it, without what an undo hides. Null if it has no
 * prompt yet.
 */
export async function nextCall(
  { memories, location, hostPrune, measureSpace }: CallDeps,
  memory: SessionState,
  listed: readonly SessionMessage[],
): Promise<NextCall | null> {
  const messages = sinceCompaction(listed);
  const { user, head } = readHistory(messages);
  if (!user) return null;
  const held = hostPrune() === "on" ? holdPruned(messages) : messages;
  const view = viewSession({ ...heldLedger(memory), location, messages, held, head });
  const { epoch, projected, standing, shown } = view;
  const sent = epoch ? memories.ensureSentMessages(memory, epoch.seq) : emptySentMessages(null);
  const { providerID: providerId, modelID: modelId } = user.info.model;
  const isOutdated = rewrittenSince(shown, messages);
  const { sessionId } = memory;
  return {
    messages: held,
    projected,
    standing,
    watermark: watermark(messages, sent.ids),
    claims: collectClaims(standing, []),
    proposals: memory.proposals,
    space: await measureSpace({ sessionId, providerId, modelId, projected, isOutdated }),
  };
}

/** Returns the messages from the newest compaction with a summary on, as the host does (OpenCode 1.18.33). */
function sinceCompaction(listed: readonly SessionMessage[]): readonly SessionMessage[] {
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
