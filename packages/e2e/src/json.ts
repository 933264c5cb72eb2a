// Types of JSON values, and careful ways to read them.

/** A value as JSON has it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of an array; anything else counts as none. */
export function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A string as it is; anything else counts as empty. */
export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
