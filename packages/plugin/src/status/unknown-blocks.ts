// Finds blocks in the system strings that came from other plugins.

/** A call's system strings before and after our part, and what of them is known. */
export interface SystemStrings {
  /** As we got them: the host's own, with what other plugins have put before it and after it. */
  readonly given: readonly string[];
  /** As they are sent. */
  readonly sent: readonly string[];
  readonly baseline: string;
  /** The prompt's own system text. */
  readonly ownSystem: string | null;
  readonly structuredNote: "present" | "absent";
}

/** What shows on the wire of other plugins. */
export const UNKNOWN_BLOCKS = ["added-string", "unknown-block"] as const;
export type UnknownBlock = (typeof UNKNOWN_BLOCKS)[number];

/**
 * Texts that neither the host nor the user's prompt put into the system strings. The note on
 * structured output is the host's; where it stands, what is before it is not looked at.
 */
export function unknownBlocksIn(strings: SystemStrings): readonly UnknownBlock[] {
  const added: readonly UnknownBlock[] = findAddedStart(strings) > 0 ? ["added-string"] : [];
  if (strings.structuredNote === "present") return added;
  const live = afterBaseline(strings);
  const known = live === "" || live === (strings.ownSystem ?? "");
  return known ? added : [...added, "unknown-block"];
}

/** How many strings other plugins have put after the host's. What they put before it is part of the preamble. */
function findAddedStart({ given, sent }: SystemStrings): number {
  const changed = given.findIndex((text, index) => text !== sent[index]);
  return changed === -1 ? 0 : given.length - 1 - changed;
}

/** The live text between the Baseline and what other plugins have added. */
function afterBaseline(strings: SystemStrings): string {
  const { sent, baseline } = strings;
  const whole = sent.indexOf(baseline);
  const place = whole === -1 ? sent.findIndex((text) => text.includes(baseline)) : whole;
  const holding = sent[place] ?? "";
  const within = holding.slice(holding.lastIndexOf(baseline) + baseline.length + 1);
  if (within !== "") return within;
  const after = sent.slice(place + 1);
  return after.slice(0, Math.max(0, after.length - findAddedStart(strings))).join("\n");
}
