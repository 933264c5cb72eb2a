// Gives each key of the configuration its default, which is declared in one place only.
import * as z from "zod";

type Keys = Readonly<Record<string, z.ZodType>>;

/** Adds defaults. @param values the defaults by key; for a section, those of its keys. */
export function withDefaults(keys: Keys, values: object): Keys {
  return Object.fromEntries(
    Object.entries(keys).map(([key, schema]) => [
      key,
      withDefault(schema, Reflect.get(values, key)),
    ]),
  );
}

function withDefault(schema: z.ZodType, value: unknown): z.ZodType {
  const optional =
    schema instanceof z.ZodObject
      ? z.strictObject(withDefaults(schema.shape, Object(value))).prefault({})
      : schema.default(value);
  return schema.description === undefined ? optional : optional.describe(schema.description);
}
