// Sets variables of shells and terminals by working directory.
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve, sep } from "node:path";
import { expandBraces, isPattern, parseSegments, type Segment } from "../sources/glob-pattern.ts";

/** Holds variables by directory or glob of directories, as the configuration has them. */
type Overlays = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Rule {
  /** The absolute path; links are resolved unless it is a pattern. */
  readonly place: string;
  /** The steps of each alternative of a pattern; empty for a directory. */
  readonly patterns: readonly (readonly Segment[])[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Matches variables that the host itself sets and relies on, for its terminals and its own processes. */
const PROTECTED_VARIABLE_PATTERN = /^(?:TERM|AGENT|OPENCODE|OPENCODE_.*)$/i;

/**
 * Holds the environment of shells and terminals by their working directory. A directory's variables apply to
 * everything below it. For each name the longest matching directory wins, and a plain path wins over a
 * pattern of equal length. Values are secret and appear in no message of this class.
 */
export class ShellEnvironment {
  /** The names that the configuration must not set. */
  readonly refused: readonly string[];
  readonly #rules: readonly Rule[];

  /** @param directory the Location's directory; relative places are below it */
  constructor(overlays: Overlays, directory: string) {
    const names = Object.values(overlays).flatMap((variables) => Object.keys(variables));
    this.refused = [
      ...new Set(names.filter((name) => PROTECTED_VARIABLE_PATTERN.test(name))),
    ].sort();
    this.#rules = Object.entries(overlays).map(([place, variables]) => {
      return { ...parseRule(place, directory), variables: selectPermittedVariables(variables) };
    });
  }

  /** Returns the variables for a working directory, which need not exist. */
  async resolveOverlay(workingDirectory: string): Promise<Readonly<Record<string, string>>> {
    if (this.#rules.length === 0) return {};
    const seen = [...new Set([resolve(workingDirectory), await resolveRealPath(workingDirectory)])];
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

function selectPermittedVariables(
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => !PROTECTED_VARIABLE_PATTERN.test(name)),
  );
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

/**
 * Returns the length of the longest matching directory at or above the working directory; 0 if none matches.
 */
async function measureMatch(rule: Rule, seen: readonly string[]): Promise<number> {
  const { place, patterns } = rule;
  if (patterns.length > 0) {
    return Math.max(
      ...seen.flatMap((path) => patterns.map((one) => measureLongestMatch(one, path))),
    );
  }
  const places = [place, await resolveRealPath(place)];
  const inside = seen.some((path) => places.some((top) => isWithin(path, top)));
  return inside ? place.length : 0;
}

function isWithin(path: string, top: string): boolean {
  return path === top || path.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
}

function measureLongestMatch(pattern: readonly Segment[], path: string): number {
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

/** Resolves the links of a path; the path of a directory that does not exist is only made absolute. */
async function resolveRealPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
