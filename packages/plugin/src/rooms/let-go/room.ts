// Letting go in one plugin instance: the tool, what it sees of a session, and how a boundary takes what it queued.
// Folder: Letting go: `ctx_reduce`, and what a boundary drops for it.

import type { FeatureInstance } from "../../features/feature.ts";
import type { FeatureContext } from "../../features/house.ts";
import { openTool } from "../../features/open-tool.ts";
import { type SentHistory, shownPartIds } from "../../projection/shown-parts.ts";
import { planReduce, renderReducePlan } from "./plan.ts";
import { draftReduce, REDUCE } from "./proposal.ts";
import { reduceTool } from "./tool.ts";

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

/** What the model has as the host has it, with the results as they were sent. */
function listShownParts(history: SentHistory | undefined): SentHistory["sent"] {
  const shown = shownPartIds(history);
  return (history?.sent ?? []).map(({ info, parts }) => ({
    info,
    parts: parts.filter(({ id }) => shown.has(id)),
  }));
}
