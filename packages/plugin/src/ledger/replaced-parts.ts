// Finds the parts that have another text in their place already.
import type { Entry } from "./entry.ts";

export function replacedParts(standing: readonly Entry[]): ReadonlySet<string> {
  return new Set(
    standing.flatMap(({ edit }) => (edit?.verb === "replace" ? [edit.at.partId] : [])),
  );
}
