// Reads the settings of the history policy from the configuration.
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { createCachedMeasure } from "../../history/measured-history.ts";
import type { HistorySettings, KeepRules } from "../../history/settings.ts";
import { expandBraces, parseSegments, type Segment } from "../../sources/glob-pattern.ts";
import { recallSettings } from "../search/settings.ts";
import { historyConfig } from "./settings.ts";

// Parses `history.keep`: names of tools and globs of files.

/**
 * Builds the rules of `history.keep`; null if it has no entries. Each entry is tried both as a tool's name
 * and as a glob, and keeps whatever it matches.
 */
export function buildKeepRules(entries: readonly string[]): KeepRules | null {
  if (entries.length === 0) return null;
  const patterns = entries
    .flatMap((entry) => expandBraces(entry.replace(/^\.\//, "")) ?? [])
    .map((pattern) => parseSegments(pattern, "matched"));
  return {
    tool: (name) =>
      patterns.some((pattern) => pattern.length === 1 && matchesSingleName(pattern, name)),
    file: (path) => {
      const names = path.split("/");
      return patterns.some((pattern) => matchesRules(pattern, 0, names, 0));
    },
  };
}

/** Matches a tool's name with a glob of one segment; `**` stands for any file and never for a tool. */
function matchesSingleName([segment]: readonly Segment[], name: string): boolean {
  return segment !== undefined && segment.kind !== "globstar" && matchesName(segment, name);
}

function matchesRules(
  pattern: readonly Segment[],
  at: number,
  names: readonly string[],
  from: number,
): boolean {
  const segment = pattern[at];
  const name = names[from];
  if (segment === undefined) return from === names.length;
  if (segment.kind === "globstar") {
    if (at === pattern.length - 1) return from < names.length;
    return (
      matchesRules(pattern, at + 1, names, from) ||
      (name !== undefined && matchesRules(pattern, at, names, from + 1))
    );
  }
  return (
    name !== undefined &&
    matchesName(segment, name) &&
    matchesRules(pattern, at + 1, names, from + 1)
  );
}

function matchesName(
  segment: Exclude<Segment, { readonly kind: "globstar" }>,
  name: string,
): boolean {
  return segment.kind === "literal" ? segment.text === name : segment.matches(name);
}

/** Resolves the settings; null if history is never to be rewritten. */
export function resolveHistorySettings({
  config,
  location: { directory },
}: Pick<FeatureContext, "config" | "location">): HistorySettings | null {
  const { rewrite, keepTokens, budgetTokens, keep } = selectSettings(config, historyConfig);
  if (rewrite === "off") return null;
  const wayBack = selectSettings(config, recallSettings).enabled ? "ctx_expand" : "none";
  return {
    ...{ rewrite, keepTokens, budgetTokens, directory, wayBack },
    measure: createCachedMeasure(),
    keep: buildKeepRules(keep),
  };
}
