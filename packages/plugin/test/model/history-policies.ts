// Policies of the tests' own that drop, omit and fold: what history features will draft.

import { collectReplaced, createHistoryDraft, type Draft } from "../../src/ledger/entry.ts";
import { type HostMessage, isText, isTool } from "../../src/ledger/message.ts";
import type { BoundaryView, Policy } from "../../src/ledger/policy.ts";
import { createProposalsPolicy, type DraftProposal } from "../../src/ledger/take-proposals.ts";

/** What the session would like to be rid of; it gets its way where the admission rule lets it. */
export type HistoryWish = "nothing" | "drops" | "omits" | "folds" | "keeps";

const NAME = "model-history";

/** Wishes at every boundary: which ones are right is for the admission rule to say. */
export function historyPolicies(wish: HistoryWish, isWorth: () => boolean): readonly Policy[] {
  const drafts = { nothing: () => [], drops, omits, folds, keeps } as const;
  const draft = drafts[wish];
  return [{ name: NAME, scope: "session", draft, pays: isWorth }, proposals];
}

/** What a job of the tests proposes: one result to be dropped, with the words for it. */
export interface DropProposal {
  readonly partId: string;
  readonly text: string;
}

export const DROP = "model-drop";

const proposeDrop: DraftProposal = (output, view) => {
  const { partId, text } = output as DropProposal;
  return droppable(view, view.messages).flatMap(({ messageId, part }) =>
    part === partId
      ? [createHistoryDraft({ verb: "replace", at: { messageId, partId }, text })]
      : [],
  );
};

const proposals = createProposalsPolicy(new Map([[DROP, proposeDrop]]));

/** Every result before the newest prompt. */
function drops(view: BoundaryView): readonly Draft[] {
  return droppable(view, beforeNewest(view.messages, 1)).map(({ messageId, part, callId }) =>
    createHistoryDraft({
      verb: "replace",
      at: { messageId, partId: part },
      text: `[dropped ${callId}]`,
    }),
  );
}

function droppable(view: BoundaryView, messages: readonly HostMessage[]) {
  const replaced = collectReplaced(view.standing);
  return messages.flatMap(({ info, parts }) =>
    parts.flatMap((part) => {
      if (!isTool(part) || part.state.status !== "completed") return [];
      if (replaced.has(part.id) || view.claims.has(part.id)) return [];
      return [{ messageId: info.id, part: part.id, callId: part.callID }];
    }),
  );
}

/** What the assistant said beside others of its parts, before the newest prompt. */
function omits({ messages, standing }: BoundaryView): readonly Draft[] {
  const omitted = new Set(
    standing.flatMap(({ edit }) => (edit?.verb === "omit" ? [edit.at.partId] : [])),
  );
  return beforeNewest(messages, 1).flatMap(({ info, parts }) => {
    if (info.role !== "assistant") return [];
    return parts.flatMap((part) =>
      isText(part) && !omitted.has(part.id)
        ? [createHistoryDraft({ verb: "omit", at: { messageId: info.id, partId: part.id } })]
        : [],
    );
  });
}

/** All but the two newest prompts, and what came of them. */
function folds({ messages, standing }: BoundaryView): readonly Draft[] {
  const range = beforeNewest(messages, 2);
  const first = range[0]?.info.id;
  const last = range.at(-1)?.info.id;
  if (first === undefined || last === undefined || range.length < 2) return [];
  const isFolded = standing.some(({ edit }) => edit?.verb === "fold" && edit.last === last);
  if (isFolded) return [];
  return [createHistoryDraft({ verb: "fold", first, last, text: `[folded ${first} to ${last}]` })];
}

/** Results that went come back: dropped ones, and every second one out of a fold, which ends by that. */
function keeps(view: BoundaryView): readonly Draft[] {
  const { messages, standing } = view;
  const replaced = collectReplaced(standing);
  const folded = standing.flatMap(({ edit }) => {
    if (edit?.verb !== "fold") return [];
    const at = (id: string) => messages.findIndex(({ info }) => info.id === id);
    return messages.slice(at(edit.first), at(edit.last) + 1);
  });
  const back = messages.flatMap((message) =>
    message.parts.flatMap((part, at) => {
      const isMeant = replaced.has(part.id) || (folded.includes(message) && at % 2 === 1);
      if (!isTool(part) || part.state.status !== "completed" || !isMeant) return [];
      const place = { messageId: message.info.id, partId: part.id };
      return [
        createHistoryDraft({ verb: "restore", at: place, hold: at % 3 === 0 ? "free" : "kept" }),
      ];
    }),
  );
  return back.length > 0 ? back : [...drops(view), ...folds(view)];
}

function beforeNewest(messages: readonly HostMessage[], prompts: number): readonly HostMessage[] {
  const users = messages.flatMap(({ info }, at) => (info.role === "user" ? [at] : []));
  return messages.slice(0, users.at(-prompts) ?? 0);
}
