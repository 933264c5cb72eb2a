// Finds blocks in the system strings that came from other plugins.

/** A call's system strings before and after our part, and what of them is known. */
export interface SystemStrings {
  /** The strings as we received them: the host's own, with those that other plugins have put before and after. */
  readonly given: readonly string[];
  /** The strings as they are sent. */
  readonly sent: readonly string[];
  readonly baseline: string;
  /** The prompt's own system text. */
  readonly ownSystem: string | null;
  readonly structuredNote: "present" | "absent";
}

/** The kinds of foreign text that can be found in a request. */
export const UNKNOWN_BLOCKS = ["added-string", "unknown-block"] as const;
export type UnknownBlock = (typeof UNKNOWN_BLOCKS)[number];

/**
 * Finds texts that neither the host nor the user's prompt put into the system strings. The note on structured
 * output is the host's; where it stands, text before it is not checked.
 */
export function unknownBlocksIn(strings: SystemStrings): readonly UnknownBlock[] {
  const added: readonly UnknownBlock[] = findAddedStart(strings) > 0 ? ["added-string"] : [];
  if (strings.structuredNote === "present") return added;
  const live = afterBaseline(strings);
  const known = live === "" || live === (strings.ownSystem ?? "");
  return known ? added : [...added, "unknown-block"];
}

/** Counts the strings that other plugins have put after the host's; those before it are part of the preamble. */
function findAddedStart({ given, sent }: SystemStrings): number {
  const changed = given.findIndex((text, index) => text !== sent[index]);
  return changed === -1 ? 0 : given.length - 1 - changed;
}

/** Returns the live text between the Baseline and what other plugins have added. */
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
