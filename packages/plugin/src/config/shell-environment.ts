// The variables of shells and terminals by working directory.
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve, sep } from "node:path";
import { expandBraces, isPattern, parseSegments, type Segment } from "../sources/glob-pattern.ts";

/** Variables by directory or glob of directories, as the configuration holds them. */
type Overlays = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Rule {
  /** Absolute; links are resolved where it is not a pattern. */
  readonly place: string;
  /** One for each alternative of a pattern; empty for a directory. */
  readonly patterns: readonly (readonly Segment[])[];
  readonly variables: Readonly<Record<string, string>>;
}

/** What the host itself sets and relies on: its terminals and its marks on processes of its own. */
const PROTECTED = /^(?:TERM|AGENT|OPENCODE|OPENCODE_.*)$/i;

/**
 * The environment of shells and terminals by their working directory. A directory counts for all
 * that is below it. For each name the longest matching directory wins, of two alike the one that is
 * no pattern. Values are secrets: nothing here puts one into a message.
 */
export class ShellEnvironment {
  /** Names that the configuration sets in vain. */
  readonly refused: readonly string[];
  readonly #rules: readonly Rule[];

  /** `directory`: of the Location; relative places are below it. */
  constructor(overlays: Overlays, directory: string) {
    const names = Object.values(overlays).flatMap((variables) => Object.keys(variables));
    this.refused = [...new Set(names.filter((name) => PROTECTED.test(name)))].sort();
    this.#rules = Object.entries(overlays).map(([place, variables]) => {
      return { ...parseRule(place, directory), variables: permitted(variables) };
    });
  }

  /** The variables for a working directory, which need not exist. */
  async of(workingDirectory: string): Promise<Readonly<Record<string, string>>> {
    if (this.#rules.length === 0) return {};
    const seen = [...new Set([resolve(workingDirectory), await real(workingDirectory)])];
    const matched = await Promise.all(
      this.#rules.map(async (rule) => ({ rule, length: await measureMatch(rule, seen) })),
    );
    const order = matched
      .filter(({ length }) => length > 0)
      .sort(
        (left, right) => left.length - right.length || rankRule(left.rule) - rankRule(right.rule),
      );
    return Object.fromEntries(order.flatMap(({ rule }) => Object.entries(rule.variables)));
  }
}

function permitted(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !PROTECTED.test(name)));
}

function parseRule(text: string, directory: string): Omit<Rule, "variables"> {
  const place = text.startsWith("~/") ? join(homedir(), text.slice(2)) : resolve(directory, text);
  if (!isPattern(place)) return { place, patterns: [] };
  const patterns = (expandBraces(place) ?? []).map((one) => parseSegments(one.slice(1), "matched"));
  return { place, patterns };
}

function rankRule({ patterns }: Rule): number {
  return patterns.length === 0 ? 1 : 0;
}

/** How long the longest directory is that matches, at or above the one that was asked for; 0: none. */
async function measureMatch(rule: Rule, seen: readonly string[]): Promise<number> {
  const { place, patterns } = rule;
  if (patterns.length > 0) {
    return Math.max(...seen.flatMap((path) => patterns.map((one) => longest(one, path))));
  }
  const places = [place, await real(place)];
  const inside = seen.some((path) => places.some((top) => isWithin(path, top)));
  return inside ? place.length : 0;
}

function isWithin(path: string, top: string): boolean {
  return path === top || path.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
}

function longest(pattern: readonly Segment[], path: string): number {
  const names = path.split(sep).slice(1);
  for (let count = names.length; count > 0; count -= 1) {
    const head = names.slice(0, count);
    if (matches(pattern, head)) return head.join(sep).length + 1;
  }
  return 0;
}

function matches(pattern: readonly Segment[], names: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  const [name, ...others] = names;
  if (first === undefined) return name === undefined;
  if (first.kind === "globstar" && matches(rest, names)) return true;
  if (name === undefined) return false;
  switch (first.kind) {
    case "literal":
      return first.text === name && matches(rest, others);
    case "shape":
      return first.matches(name) && matches(rest, others);
    case "globstar":
      return first.matches(name) && matches(pattern, others);
  }
}

/** A directory that is not there is taken as it is written. */
async function real(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
