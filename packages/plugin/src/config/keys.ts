// The keys of the schema: sections, tables and their dotted names.
import * as z from "zod";

/** Returns the object that a section's default wraps; null for a schema of a value. */
export function unwrapSection(schema: z.core.$ZodType): z.ZodObject | null {
  if (schema instanceof z.ZodPrefault) return unwrapSection(schema.unwrap());
  return schema instanceof z.ZodObject ? schema : null;
}

/** Returns the table (entries with user-defined names) that a default wraps; null for any other schema. */
export function unwrapTable(schema: z.core.$ZodType): z.ZodRecord | null {
  if (schema instanceof z.ZodDefault) return unwrapTable(schema.unwrap());
  return schema instanceof z.ZodRecord ? schema : null;
}

/** Joins a path with dots, for people. */
export function toDottedKey(path: readonly string[]): string {
  return path.join(".");
}

/** Lists all keys of a section and its nested sections, themselves included, in dotted form. */
export function listKeys(section: z.ZodObject, prefix: readonly string[] = []): readonly string[] {
  return Object.entries(section.shape).flatMap(([name, schema]) => {
    const path = [...prefix, name];
    const inner = unwrapSection(schema);
    return inner === null ? [toDottedKey(path)] : [toDottedKey(path), ...listKeys(inner, path)];
  });
}
