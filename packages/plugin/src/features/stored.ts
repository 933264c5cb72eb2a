// What features keep in the database; it loads with the code that opens or reads a database.
import type { SchemaPart } from "../storage/schema-part.ts";
import { loadFeatures } from "./list.ts";

const features = await loadFeatures(process.env);

/** In the order of the list. */
export const storedParts: readonly SchemaPart[] = await Promise.all(
  features.flatMap(({ tables }) => (tables ? [tables()] : [])),
);
