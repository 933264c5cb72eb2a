// What stands in the places of the indexes, and which of them can't be read.
import { fieldsIn, fieldsOf } from "../../../../plugin/src/context/fields.ts";
import {
  INDEX_NAMES,
  type IndexName,
  type Occupant,
  occupantOf,
  pathBeside,
} from "../../../../plugin/src/rooms/recall/index-place.ts";

export interface BadIndex {
  readonly name: IndexName;
  readonly path: string;
  readonly fault:
    | { readonly kind: "taken"; readonly occupant: Occupant }
    /** SQLite's words; empty where it can't even open it. */
    | { readonly kind: "damaged"; readonly problem: string };
}

/** @param checked what `check-database` has printed; null where it did not run */
export function badIndexes(databasePath: string, checked: string | null): readonly BadIndex[] {
  const problems = fieldsOf(checked === null ? null : fieldsIn(checked)?.indexes);
  return INDEX_NAMES.flatMap((name): readonly BadIndex[] => {
    const path = pathBeside(databasePath, name);
    const occupant = occupantOf(path);
    if (occupant !== null) return [{ name, path, fault: { kind: "taken", occupant } }];
    const problem = problems[name];
    return typeof problem === "string" ? [{ name, path, fault: { kind: "damaged", problem } }] : [];
  });
}
