// Path patterns: braces expanded, then split into steps.
import { expand } from "brace-expansion";
import { MatchingWork, NamePattern } from "./glob-name.ts";

/** A step of a path pattern: a literal name, a name pattern, or any depth (`**`). */
export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | {
      readonly kind: "shape";
      readonly text: string;
      readonly matches: (name: string) => boolean;
    }
  | {
      readonly kind: "globstar";
      readonly text: string;
      readonly matches: (name: string) => boolean;
      /** Links are followed once, as in the host's library, but not by a leading `**`. */
      readonly links: "once" | "never";
    };

/** Says whether `*` and `**` match names that begin with a dot. */
export type DotNames = "matched" | "unmatched";

/** Limits how many patterns one pattern's braces may expand to. */
export const maxAlternatives = 1000;

/** Limits the work of expanding: a pattern that people write needs some hundred steps. */
const maxSteps = 1_000_000;

const magic = /[*?[\\]|[@+!]\(/;

export function isPattern(text: string): boolean {
  return magic.test(text) || expandBraces(text)?.length !== 1;
}

/** Exceeds the length of names on every file system. */
const maxStepLength = 512;

/** Explains why `expandBraces` returns null. */
export const tooComplex = `its pattern expands to more than ${maxAlternatives} patterns, or to one with a name of more than ${maxStepLength} characters`;

/** Expands `a{b,c{d,e}}{1..3}` to its alternatives, in order; null where that is too complex. */
export function expandBraces(pattern: string): readonly string[] | null {
  // A pattern without braces must stay unchanged: expanding removes a backslash from each pair.
  const alternatives = pattern.includes("{")
    ? expand(pattern, { max: maxAlternatives + 1, maxSteps })
    : [pattern];
  if (alternatives.length > maxAlternatives) return null;
  return alternatives.some((text) => tooLong.test(text)) ? null : alternatives;
}

const tooLong = new RegExp(`[^/]{${maxStepLength + 1}}`);

/** Parses a pattern's steps; matching them adds to `work`. */
export function parseSegments(
  pattern: string,
  dots: DotNames,
  work = new MatchingWork(),
): readonly Segment[] {
  return pattern
    .split("/")
    .filter((name, index, all) => name !== "**" || all[index - 1] !== "**")
    .map((text, index) => parseSegment(text, index, { dots, work }));
}

function parseSegment(
  text: string,
  index: number,
  { dots, work }: { readonly dots: DotNames; readonly work: MatchingWork },
): Segment {
  const visible = (name: string) => dots === "matched" || !name.startsWith(".");
  if (text === "**") {
    return { kind: "globstar", text, matches: visible, links: index === 0 ? "never" : "once" };
  }
  if (!magic.test(text)) return { kind: "literal", text };
  const shape = new NamePattern(text, work);
  const allowed = text.startsWith(".") ? () => true : visible;
  return { kind: "shape", text, matches: (name) => allowed(name) && shape.test(name) };
}
