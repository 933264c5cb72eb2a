// `"memory": false` stands for `"memory": { "enabled": false }`, in every section that can be switched off. Pure.
import type * as z from "zod";
import { unwrapSection } from "./keys.ts";
import { type ConfigLayer, isRecord } from "./layer.ts";

/** The key that switches a section on and off. */
const SWITCH = "enabled";

/** Whether `true` and `false` may stand in the place of the section. */
export function hasSwitch(section: z.ZodObject): boolean {
  return Object.hasOwn(section.shape, SWITCH);
}

/** The layer with each short form written out. Lines are found all the same: by the deepest part that is there. */
export function spelledOut(file: z.ZodObject, layer: ConfigLayer): ConfigLayer {
  if (!isRecord(layer.value)) return layer;
  const entries = Object.entries(layer.value).map(([name, value]) => {
    const schema = Object.hasOwn(file.shape, name) ? file.shape[name] : undefined;
    const section = schema === undefined ? null : unwrapSection(schema);
    const isShort = typeof value === "boolean" && section !== null && hasSwitch(section);
    return [name, isShort ? { [SWITCH]: value } : value] as const;
  });
  return { ...layer, value: Object.fromEntries(entries) };
}
