// Bounds the text of failed calls before it is first sent.
import type { LedgerEdit } from "../projection/edit.ts";
import { type HostMessage, type HostPart, isTool, type ToolPart } from "../projection/message.ts";
import { type Draft, historyDraft } from "./draft.ts";

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
export function failureText({ state }: FailedCall): string {
  const { metadata, error } = state;
  const output = metadata?.interrupted === true ? metadata.output : undefined;
  return typeof output === "string" ? output : error;
}

/**
 * What failed calls say in the place of a text that is over the limit, decided before it is sent for
 * the first time: the host throws such a text past tool.execute.after. `texts` are by part id.
 */
export function boundFailures(
  messages: readonly HostMessage[],
  texts: ReadonlyMap<string, string>,
  standing: readonly LedgerEdit[],
): readonly Draft[] {
  if (texts.size === 0) return [];
  const replaced = new Set(
    standing.flatMap(({ edit }) => (edit.verb === "replace" ? [edit.at.partId] : [])),
  );
  return messages.flatMap(({ info, parts }) =>
    failedCalls(parts).flatMap((part) => {
      const text = texts.get(part.id);
      if (text === undefined || replaced.has(part.id)) return [];
      const anchor = { messageId: info.id, partId: part.id };
      return [historyDraft(anchor, { verb: "replace", at: anchor, text })];
    }),
  );
}
