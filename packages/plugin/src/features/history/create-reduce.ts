// Creates the reduce feature: its tool, what the tool sees of a session, and how a boundary applies what it queued.

import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { openTool } from "../../feature-api/open-tool.ts";
import { type SentHistory, shownPartIds } from "../../ledger/sent-parts.ts";
import { planReduce, renderReducePlan } from "./reduce-plan.ts";
import { draftReduce, REDUCE } from "./reduce-proposal.ts";
import { reduceTool } from "./reduce-tool.ts";

const TITLE_CHARS = 80;

export function createReduceFeature({
  location: { directory },
  propose,
  sent,
}: FeatureContext): FeatureInstance {
  return {
    proposals: new Map([[REDUCE, draftReduce({ directory, wayBack: "ctx_expand" })]]),
    tools: [
      openTool(reduceTool, async ({ drop }, { sessionId }) => {
        const plan = planReduce(listShownParts(sent.get(sessionId)), drop, directory);
        const partIds = plan.matched.map(({ partId }) => partId);
        if (partIds.length > 0) {
          propose({ kind: REDUCE, sessionId, urgency: "waits", output: { partIds } });
        }
        return { title: drop.join(", ").slice(0, TITLE_CHARS), text: renderReducePlan(plan) };
      }),
    ],
  };
}

/** Lists the messages as the host has them, with only the parts that the model sees, as they were sent. */
function listShownParts(history: SentHistory | undefined): SentHistory["sent"] {
  const shown = shownPartIds(history);
  return (history?.sent ?? []).map(({ info, parts }) => ({
    info,
    parts: parts.filter(({ id }) => shown.has(id)),
  }));
}
