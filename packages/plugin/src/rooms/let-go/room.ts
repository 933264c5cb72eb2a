// Letting go in one plugin instance: the tool, what it sees of a session, and how a boundary takes what it queued.
// Folder: Letting go: `ctx_reduce`, and what a boundary drops for it.

import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import { openTool } from "../../features/open-tool.ts";
import { type SentHistory, shownPartIds } from "../../projection/shown-parts.ts";
import { planLetGo, renderLetGo } from "./plan.ts";
import { LET_GO, takeLetGo } from "./proposal.ts";
import { reduceTool } from "./tool.ts";

const TITLE_CHARS = 80;

export function openRoom({ location: { directory }, propose, sent }: House): Room {
  return {
    proposals: new Map([[LET_GO, takeLetGo({ directory, wayBack: "ctx_expand" })]]),
    tools: [
      openTool(reduceTool, async ({ drop }, { sessionId }) => {
        const plan = planLetGo(shownOf(sent.get(sessionId)), drop, directory);
        const partIds = plan.matched.map(({ partId }) => partId);
        if (partIds.length > 0) {
          propose({ kind: LET_GO, sessionId, urgency: "waits", output: { partIds } });
        }
        return { title: drop.join(", ").slice(0, TITLE_CHARS), text: renderLetGo(plan) };
      }),
    ],
  };
}

/** What the model has as the host has it, with the results as they were sent. */
function shownOf(history: SentHistory | undefined): SentHistory["sent"] {
  const shown = shownPartIds(history);
  return (history?.sent ?? []).map(({ info, parts }) => ({
    info,
    parts: parts.filter(({ id }) => shown.has(id)),
  }));
}
