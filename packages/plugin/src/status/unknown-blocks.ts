// Finds blocks in the system strings that came from other plugins.

/** A call's system strings before and after our part, and what of them is known. */
export interface SystemStrings {
  /** As we got them: the host's own first, then what other plugins have added. */
  readonly given: readonly string[];
  /** As they are sent. */
  readonly sent: readonly string[];
  readonly baseline: string;
  /** The prompt's own system text. */
  readonly ownSystem: string | null;
  readonly structuredNote: "present" | "absent";
}

/** What shows on the wire of other plugins. */
export type UnknownBlock = "added-string" | "unknown-block";

/**
 * Texts that neither the host nor the user's prompt put into the system strings. The note on
 * structured output is the host's; where it stands, what is before it is not looked at.
 */
export function unknownBlocksIn(strings: SystemStrings): readonly UnknownBlock[] {
  const added: readonly UnknownBlock[] = strings.given.length > 1 ? ["added-string"] : [];
  if (strings.structuredNote === "present") return added;
  const live = afterBaseline(strings);
  const known = live === "" || live === (strings.ownSystem ?? "");
  return known ? added : [...added, "unknown-block"];
}

/** The live text between the Baseline and what other plugins have added. */
function afterBaseline({ given, sent, baseline }: SystemStrings): string {
  const whole = sent.indexOf(baseline);
  if (whole !== -1) {
    const after = sent.slice(whole + 1);
    return after.slice(0, after.length - (given.length - 1)).join("\n");
  }
  const joined = sent[0] ?? "";
  const at = joined.lastIndexOf(baseline);
  return at === -1 ? "" : joined.slice(at + baseline.length + 1);
}
