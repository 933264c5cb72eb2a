// Puts the limit of tool output on what failed calls say.

import { type Draft, historyDraft } from "./draft.ts";
import { type Entry, ledgerEdits } from "./entry.ts";
import { type HostMessage, type HostPart, isTool, type ToolPart, withoutAdded } from "./message.ts";
import type { Policy } from "./policy.ts";
import { replacedParts } from "./replaced-parts.ts";
import { replay } from "./replay.ts";

/** A tool call that has failed. */
export type FailedCall = ToolPart & { readonly state: { readonly status: "error" } };

/** The calls among these parts that have failed; a provider's own tools keep their result. */
export function failedCalls(parts: readonly HostPart[]): readonly FailedCall[] {
  return parts.filter(
    (part): part is FailedCall =>
      isTool(part) && part.state.status === "error" && !part.metadata?.providerExecuted,
  );
}

/** What the host sends as the result of a failed call. */
export function failureText(part: FailedCall): string {
  const { metadata, error } = part.state;
  const output = metadata?.interrupted === true ? metadata.output : undefined;
  return withoutAdded(part, typeof output === "string" ? output : error);
}

/**
 * What failed calls say in the place of a text that is over the limit, decided before it is sent for
 * the first time: the host throws such a text past tool.execute.after.
 */
export const boundFailures: Policy = {
  name: "bound-failures",
  scope: "session",
  draft: ({ messages, boundedTexts, standing }) => drafts(messages, boundedTexts, standing),
};

/** What is sent, with those texts bounded: policies measure what a call takes with it. */
export function withBoundedFailures(
  projected: readonly HostMessage[],
  boundedTexts: ReadonlyMap<string, string>,
  standing: readonly Entry[],
): readonly HostMessage[] {
  const bounded = drafts(projected, boundedTexts, standing);
  // A replaced text makes no part, which is all that a rank would name.
  return replay(ledgerEdits(bounded.map(({ edit }) => ({ seq: 0, edit }))), projected);
}

function drafts(
  messages: readonly HostMessage[],
  boundedTexts: ReadonlyMap<string, string>,
  standing: readonly Entry[],
): readonly Draft[] {
  if (boundedTexts.size === 0) return [];
  const replaced = replacedParts(standing);
  return messages.flatMap(({ info, parts }) =>
    failedCalls(parts).flatMap((part) => {
      const text = boundedTexts.get(part.id);
      if (text === undefined || replaced.has(part.id)) return [];
      return [historyDraft({ verb: "replace", at: { messageId: info.id, partId: part.id }, text })];
    }),
  );
}
