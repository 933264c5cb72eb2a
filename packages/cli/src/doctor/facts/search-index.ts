// What stands in the place of the search index, and whether it can be read.
import { fieldsIn } from "../../../../plugin/src/context/fields.ts";
import {
  findOccupant,
  indexPath,
  type PathObstacle,
} from "../../../../plugin/src/search-index/place.ts";

export interface BadIndex {
  readonly path: string;
  readonly fault:
    | { readonly kind: "taken"; readonly occupant: PathObstacle }
    /** SQLite's words; empty where it can't even open it. */
    | { readonly kind: "damaged"; readonly problem: string };
}

/** Null where nothing is wrong. @param checked what `check-database` has printed; null where it did not run */
export function badIndex(databasePath: string, checked: string | null): BadIndex | null {
  const path = indexPath(databasePath);
  const occupant = findOccupant(path);
  if (occupant !== null) return { path, fault: { kind: "taken", occupant } };
  const problem = checked === null ? null : fieldsIn(checked)?.index;
  return typeof problem === "string" ? { path, fault: { kind: "damaged", problem } } : null;
}
