// Composes the schema of all features; it loads with the code that opens or reads a database.
import { composeSchema, type Schema } from "../storage/schema.ts";
import type { Feature } from "./feature.ts";

/** The schema with the tables of all features, whether they are on or not: a file has one schema. */
export async function composeStoredSchema(features: readonly Feature[]): Promise<Schema> {
  return composeSchema(
    await Promise.all(features.flatMap(({ tables }) => (tables ? [tables()] : []))),
  );
}
