// Path patterns: braces expanded, split into steps, each step matched in linear time.
import { expand } from "brace-expansion";

// Matches one name against one step of a glob, in time linear in the length of both.

/**
 * A state of the automaton: what it accepts, and the state that follows. `next` is an index into the list of
 * states.
 */
type AutomatonState =
  | { readonly kind: "end" }
  | { readonly kind: "one"; readonly accepts: (char: string) => boolean; readonly next: number }
  /** Accepts any characters, for `*`. */
  | { readonly kind: "any"; readonly next: number }
  | { readonly kind: "branch"; readonly to: readonly number[] }
  /** Accepts any characters for `!(…)`, unless `refused` matches the whole rest. */
  | { readonly kind: "unless"; readonly refused: number; readonly any: number };

/** Counts the work of matching: checking a state for a character is one step, on every machine. */
export class StepCounter {
  steps = 0;
}

/**
 * Matches names. `*`, `?`, `[a-z]`, `[!a]`, `\x` and the groups `@(a|b)`, `?(…)`, `*(…)`, `+(…)`, `!(…)` are
 * compiled to an automaton. A backtracking RegExp takes exponential time for `*a*a*a*b`, and whoever writes
 * the pattern or names the file may be hostile.
 */
export class NamePattern {
  readonly #states: AutomatonState[] = [{ kind: "end" }];
  readonly #start: number;

  constructor(
    pattern: string,
    private readonly work = new StepCounter(),
  ) {
    this.#start = this.#compileSequence(Array.from(pattern), 0);
  }

  test(name: string): boolean {
    const chars = Array.from(name);
    // Matching starts at the end: a row says for each state whether it accepts the rest of the name from here.
    let after = new Uint8Array(this.#states.length);
    for (let at = chars.length; at >= 0; at -= 1) after = this.#computeRow(chars[at], after);
    return after[this.#start] === 1;
  }

  #computeRow(char: string | undefined, after: Uint8Array): Uint8Array<ArrayBuffer> {
    const row = new Uint8Array(this.#states.length);
    this.#settle(row, char, after);
    // A state's dependencies are added before it, so their results are known when it needs them.
    for (const [index, state] of this.#states.entries()) {
      if (state.kind !== "unless" || row[state.refused] === 1 || row[state.any] === 0) continue;
      row[index] = 1;
      this.#settle(row, char, after);
    }
    return row;
  }

  /** Updates the row until no state changes, because repeating groups lead back to earlier states. */
  #settle(row: Uint8Array, char: string | undefined, after: Uint8Array): void {
    for (let changed = true; changed; ) {
      changed = false;
      this.work.steps += this.#states.length;
      for (const [index, state] of this.#states.entries()) {
        if (row[index] === 1 || !acceptsChar(state, index, row, char, after)) continue;
        row[index] = 1;
        changed = true;
      }
    }
  }

  #add(state: AutomatonState): number {
    return this.#states.push(state) - 1;
  }

  /** Adds states for these characters and returns the index of the first; `next` is the state after them. */
  #compileSequence(pattern: readonly string[], next: number): number {
    const [first, second] = pattern;
    if (first === undefined) return next;
    const group = second === "(" && "?*+@!".includes(first) ? parseGroup(pattern) : null;
    if (group !== null) {
      return this.#compileGroup(first, group.options, this.#compileSequence(group.rest, next));
    }
    const set = parseSet(pattern);
    if (set !== null) return this.#compileOne(set.accepts, this.#compileSequence(set.rest, next));
    if (first === "*") {
      return this.#add({ kind: "any", next: this.#compileSequence(pattern.slice(1), next) });
    }
    if (first === "?")
      return this.#compileOne(() => true, this.#compileSequence(pattern.slice(1), next));
    const escaped = first === "\\" && second !== undefined;
    const char = escaped ? second : first;
    const rest = pattern.slice(escaped ? 2 : 1);
    return this.#compileOne((candidate) => candidate === char, this.#compileSequence(rest, next));
  }

  #compileOne(accepts: (char: string) => boolean, next: number): number {
    return this.#add({ kind: "one", accepts, next });
  }

  #compileGroup(mark: string, options: readonly (readonly string[])[], next: number): number {
    const compileOptions = (after: number) =>
      options.map((option) => this.#compileSequence(option, after));
    switch (mark) {
      case "!": {
        const refused = this.#add({ kind: "branch", to: compileOptions(next) });
        return this.#add({ kind: "unless", refused, any: this.#add({ kind: "any", next }) });
      }
      case "*":
      case "+": {
        const to: number[] = [next];
        const again = this.#add({ kind: "branch", to });
        const first = compileOptions(again);
        to.push(...first);
        return mark === "*" ? again : this.#add({ kind: "branch", to: first });
      }
      case "?":
        return this.#add({ kind: "branch", to: [next, ...compileOptions(next)] });
      default:
        return this.#add({ kind: "branch", to: compileOptions(next) });
    }
  }
}

function acceptsChar(
  state: AutomatonState,
  index: number,
  row: Uint8Array,
  char: string | undefined,
  after: Uint8Array,
): boolean {
  switch (state.kind) {
    case "end":
      return char === undefined;
    case "one":
      return char !== undefined && after[state.next] === 1 && state.accepts(char);
    case "any":
      return row[state.next] === 1 || after[index] === 1;
    case "branch":
      return state.to.some((next) => row[next] === 1);
    case "unless":
      return false;
  }
}

/** Parses a leading group such as `@(a|b)` and the rest; null if the group is never closed. */
function parseGroup(pattern: readonly string[]) {
  const options: string[][] = [[]];
  let depth = 0;
  for (const [at, char] of pattern.slice(1).entries()) {
    if (char === "(" && depth++ === 0) continue;
    if (char === ")" && --depth === 0) return { options, rest: pattern.slice(at + 2) };
    if (char === "|" && depth === 1) options.push([]);
    else options.at(-1)?.push(char);
  }
  return null;
}

/** Parses a leading character set, with RegExp's meaning; a set that RegExp refuses accepts nothing. */
function parseSet(pattern: readonly string[]) {
  const set = /^\[([!^]?)(\]?[^\]]*)\]/u.exec(pattern.join(""));
  if (set === null) return null;
  const [whole, negation = "", members = ""] = set;
  const shape = `^[${negation === "" ? "" : "^"}${members.replace(/[\\\][^]/g, "\\$&")}]$`;
  return { accepts: compileCharacterTest(shape), rest: pattern.slice(Array.from(whole).length) };
}

function compileCharacterTest(shape: string): (char: string) => boolean {
  try {
    const one = new RegExp(shape, "su");
    return (char) => one.test(char);
  } catch (error) {
    if (error instanceof SyntaxError) return () => false;
    throw error;
  }
}

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
export type DotNameMatching = "matched" | "unmatched";

/** Limits how many patterns one pattern's braces may expand to. */
export const maxAlternatives = 1000;

/** Limits the work of expanding: a pattern that people write needs a few hundred steps. */
const maxSteps = 1_000_000;

const magicPattern = /[*?[\\]|[@+!]\(/;

export function isPattern(text: string): boolean {
  return magicPattern.test(text) || expandBraces(text)?.length !== 1;
}

/** Limits the length of a step; no file system has longer names. */
const maxNameLength = 512;

/** Explains why `expandBraces` returns null. */
export const tooComplexReason = `its pattern expands to more than ${maxAlternatives} patterns, or to one with a name of more than ${maxNameLength} characters`;

/** Expands `a{b,c{d,e}}{1..3}` to its alternatives, in order; null if the pattern is too complex. */
export function expandBraces(pattern: string): readonly string[] | null {
  // A pattern without braces must stay unchanged: expanding removes a backslash from each pair.
  const alternatives = pattern.includes("{")
    ? expand(pattern, { max: maxAlternatives + 1, maxSteps })
    : [pattern];
  if (alternatives.length > maxAlternatives) return null;
  return alternatives.some((text) => tooLongNamePattern.test(text)) ? null : alternatives;
}

const tooLongNamePattern = new RegExp(`[^/]{${maxNameLength + 1}}`);

/** Parses a pattern's steps; matching them adds to `work`. */
export function parseSegments(
  pattern: string,
  dots: DotNameMatching,
  work = new StepCounter(),
): readonly Segment[] {
  return pattern
    .split("/")
    .filter((name, index, all) => name !== "**" || all[index - 1] !== "**")
    .map((text, index) => parseSegment(text, index, { dots, work }));
}

function parseSegment(
  text: string,
  index: number,
  { dots, work }: { readonly dots: DotNameMatching; readonly work: StepCounter },
): Segment {
  const isVisible = (name: string) => dots === "matched" || !name.startsWith(".");
  if (text === "**") {
    return { kind: "globstar", text, matches: isVisible, links: index === 0 ? "never" : "once" };
  }
  if (!magicPattern.test(text)) return { kind: "literal", text };
  const shape = new NamePattern(text, work);
  const allowed = text.startsWith(".") ? () => true : isVisible;
  return { kind: "shape", text, matches: (name) => allowed(name) && shape.test(name) };
}
