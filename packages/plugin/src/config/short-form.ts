// Other spellings that a file may use: `"memory": false` for `"memory": { "enabled": false }`, in every section that
// can be switched off, and the former names of keys. Pure.
import type * as z from "zod";
import { type ConfigLayer, createWarning, isRecord, unwrapSection } from "./layer.ts";
import type { ConfigWarning } from "./warning.ts";

/** Names the key that switches a section on and off. */
const ENABLED_KEY = "enabled";

/** Says whether `true` or `false` may replace the section. */
export function hasSwitch(section: z.ZodObject): boolean {
  return Object.hasOwn(section.shape, ENABLED_KEY);
}

/**
 * Expands each short form in a layer. A setting's line is still found, through the deepest part of its path
 * that the file contains.
 */
export function expandShortForms(file: z.ZodObject, layer: ConfigLayer): ConfigLayer {
  if (!isRecord(layer.value)) return layer;
  const entries = Object.entries(layer.value).map(([name, value]) => {
    const schema = Object.hasOwn(file.shape, name) ? file.shape[name] : undefined;
    const section = schema === undefined ? null : unwrapSection(schema);
    const isShort = typeof value === "boolean" && section !== null && hasSwitch(section);
    return [name, isShort ? { [ENABLED_KEY]: value } : value] as const;
  });
  return { ...layer, value: Object.fromEntries(entries) };
}

/** Maps each key's name in the previous version to its present name; both are dotted. */
export type FormerKeys = ReadonlyMap<string, string>;

interface RenamedLayer {
  readonly layer: ConfigLayer;
  readonly warnings: readonly ConfigWarning[];
}

/**
 * Returns the layer with the present names of its keys. If it has both names of a key, the present one
 * counts.
 */
export function renameFormerKeys(former: FormerKeys, layer: ConfigLayer): RenamedLayer {
  const start: RenamedLayer = { layer, warnings: [] };
  return [...former].reduce((renamed, [from, to]) => renameKey(renamed, from, to), start);
}

function renameKey({ layer, warnings }: RenamedLayer, from: string, to: string): RenamedLayer {
  const [[section = "", before = ""], [, now = ""]] = [from.split("."), to.split(".")];
  const values = isRecord(layer.value) ? layer.value[section] : undefined;
  if (!(isRecord(layer.value) && isRecord(values) && Object.hasOwn(values, before))) {
    return { layer, warnings };
  }
  const { [before]: value, ...rest } = values;
  const reason = `is now called ${to}; the old name works in this version only`;
  return {
    layer: {
      ...layer,
      value: { ...layer.value, [section]: { [now]: value, ...rest } },
      findLine: (path) => {
        const isRenamed = path[0] === section && path[1] === now && !Object.hasOwn(rest, now);
        return layer.findLine(isRenamed ? [section, before, ...path.slice(2)] : path);
      },
    },
    warnings: [...warnings, createWarning(layer, [section, before], { kind: "renamed", reason })],
  };
}
