// Checks what is at the search index's path, and whether it can be read.
import { parseFields } from "@session-runtime/opencode/context/fields";
import {
  findOccupant,
  type PathObstacle,
  toIndexPath,
} from "@session-runtime/opencode/search-index/place";

export interface BadIndex {
  readonly path: string;
  readonly fault:
    | { readonly kind: "taken"; readonly occupant: PathObstacle }
    /** SQLite's message; empty where SQLite can't even open the file. */
    | { readonly kind: "damaged"; readonly problem: string };
}

/**
 * Returns the index's fault; null where it has none.
 * @param checked the output of `check-database`; null where it did not run
 */
export function badIndex(databasePath: string, checked: string | null): BadIndex | null {
  const path = toIndexPath(databasePath);
  const occupant = findOccupant(path);
  if (occupant !== null) return { path, fault: { kind: "taken", occupant } };
  const problem = checked === null ? null : parseFields(checked)?.index;
  return typeof problem === "string" ? { path, fault: { kind: "damaged", problem } } : null;
}
