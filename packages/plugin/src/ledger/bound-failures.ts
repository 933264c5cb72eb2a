// Applies the limit of tool output to the errors of failed calls.
import { collectReplaced, createHistoryDraft, type Draft, type Entry, listEdits } from "./entry.ts";
import { type HostMessage, type HostPart, isTool, stripAdded, type ToolPart } from "./message.ts";
import type { Policy } from "./policy.ts";
import { replay } from "./replay.ts";

export type FailedCall = ToolPart & { readonly state: { readonly status: "error" } };

/**
 * Lists the failed calls among these parts, without calls of a provider's own tools: their results are encoded by
 * the provider and can't be replaced.
 */
export function selectFailedCalls(parts: readonly HostPart[]): readonly FailedCall[] {
  return parts.filter(
    (part): part is FailedCall =>
      isTool(part) && part.state.status === "error" && !part.metadata?.providerExecuted,
  );
}

/** Returns what the host sends as the result of a failed call. */
export function readFailureText(part: FailedCall): string {
  const { metadata, error } = part.state;
  const output = metadata?.interrupted === true ? metadata.output : undefined;
  return stripAdded(part, typeof output === "string" ? output : error);
}

/**
 * Replaces a failed call's text that is over the limit before it is first sent: the host throws such a text
 * without running tool.execute.after.
 */
export const boundFailures: Policy = {
  name: "bound-failures",
  scope: "session",
  draft: ({ messages, boundedTexts, standing }) => draftBounds(messages, boundedTexts, standing),
};

/** Returns what is sent, with the failed calls' texts bounded, since policies measure calls by it. */
export function withBoundedFailures(
  projected: readonly HostMessage[],
  boundedTexts: ReadonlyMap<string, string>,
  standing: readonly Entry[],
): readonly HostMessage[] {
  const bounded = draftBounds(projected, boundedTexts, standing);
  // The rank can be 0, as it only names parts that an edit makes, and a replacement makes none.
  return replay(listEdits(bounded.map(({ edit }) => ({ seq: 0, edit }))), projected);
}

function draftBounds(
  messages: readonly HostMessage[],
  boundedTexts: ReadonlyMap<string, string>,
  standing: readonly Entry[],
): readonly Draft[] {
  if (boundedTexts.size === 0) return [];
  const replaced = collectReplaced(standing);
  return messages.flatMap(({ info, parts }) =>
    selectFailedCalls(parts).flatMap((part) => {
      const text = boundedTexts.get(part.id);
      if (text === undefined || replaced.has(part.id)) return [];
      return [
        createHistoryDraft({ verb: "replace", at: { messageId: info.id, partId: part.id }, text }),
      ];
    }),
  );
}
