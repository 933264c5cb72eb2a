// Replaces, omits and restores parts within one message.
import type { ReportDormancy } from "./dormancy.ts";
import type { EditOf, LedgerEdit } from "./edit.ts";
import {
  type FailedToolState,
  type HostPart,
  isReasoning,
  isText,
  isTool,
  type ReasoningPart,
  shows,
  type TextPart,
  type ToolPart,
} from "./message.ts";
import { withoutBlank } from "./prune.ts";

/** A change to a part that is in the message. */
export type PartChange = LedgerEdit<EditOf<"replace" | "omit" | "restore">>;

/** Parts in their places, with null for one that is left out. */
export type RevisedParts = readonly (HostPart | null)[];

/**
 * Returns the parts with these changes, which all belong to them, in ledger order: of several changes to one
 * part the last that fits stands. The `opening` message keeps something to show.
 */
export function revise(
  parts: readonly HostPart[],
  changes: readonly PartChange[],
  role: "opening" | "later",
  report: ReportDormancy,
): RevisedParts {
  const revised: (HostPart | null)[] = [...parts];
  const standing = new Map<number, number>();
  for (const { seq, edit } of changes) {
    const index = parts.findIndex((part) => part.id === edit.at.partId);
    const part = parts[index];
    const next = part && changed(part, edit);
    if (part === undefined) {
      report(seq, "missing");
    } else if (next === undefined) {
      report(seq, "unfit");
    } else if (next === null && role === "opening" && !isShownWithout(revised, index)) {
      report(seq, "opening");
    } else {
      const former = standing.get(index);
      if (former !== undefined) report(former, "superseded");
      standing.set(index, seq);
      revised[index] = next;
    }
  }
  return revised.includes(null) ? withoutLooseEnd(revised) : revised;
}

/** Returns the changed part; null if it is left out, undefined if it can't have that text. */
function changed(part: HostPart, edit: PartChange["edit"]): HostPart | null | undefined {
  switch (edit.verb) {
    case "omit":
      return null;
    case "replace":
      return replaceText(part, edit.text);
    case "restore":
      return part;
  }
}

/** Looks only at parts that are sure to stay: the host's own reminders are synthetic, and gone next turn. */
function isShownWithout(revised: RevisedParts, index: number): boolean {
  return revised.some((part, other) => {
    if (other === index || part === null || !shows(part)) return false;
    return !isText(part) || part.synthetic !== true;
  });
}

/** Drops reasoning whose conclusion was omitted, since providers refuse a message that ends so. */
function withoutLooseEnd(revised: RevisedParts): RevisedParts {
  const last = revised.findLastIndex((part) => part !== null && shows(part));
  return revised.map((part, index) => (index > last ? null : part));
}

/**
 * Returns the part with another text; undefined where it can't have one. What the provider attached to its own
 * words (a signature, an item id) vouches for the former text and is dropped.
 */
function replaceText(part: HostPart, text: string): HostPart | undefined {
  if (isTool(part)) return replacedResult(part, text);
  if (!isText(part) && !isReasoning(part)) return undefined;
  const { metadata: _vouching, ...bare } = part;
  const next: TextPart | ReasoningPart = { ...bare, text };
  return next;
}

/** A provider's own tool keeps its result, which is encoded in the provider's way. */
function replacedResult(part: ToolPart, text: string): ToolPart | undefined {
  if (part.metadata?.providerExecuted) return undefined;
  const { added: _added, state, ...call } = part;
  switch (state.status) {
    case "completed": {
      const { attachments: _attachments, ...bare } = withoutBlank(state);
      return { ...call, state: { ...bare, output: text } };
    }
    case "error":
      return { ...call, state: replacedError(state, text) };
    case "pending":
    case "running":
      return undefined;
  }
}

function replacedError(state: FailedToolState, text: string): FailedToolState {
  const { metadata } = state;
  if (typeof metadata?.output !== "string") return { ...state, error: text };
  return { ...state, error: text, metadata: { ...metadata, output: text } };
}
