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

/** All strings in it, each as whoever reads it has it. */
export function allTextIn(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(allTextIn).join("\n\n");
}
