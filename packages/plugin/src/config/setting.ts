// Facts about each setting besides its schema, and a feature's section of settings.
import type * as z from "zod";

/**
 * Says what a project's own file may do with a setting. The file comes with the clone: it never overrides what
 * the user switched off or set stricter, and never chooses what is spent, run or written.
 */
export type ProjectPermission =
  /** Allows any value, because no value costs anything or reveals anything. */
  | { readonly kind: "set" }
  | { readonly kind: "switch-off" }
  /** Allows lower values; null stands for no limit at all. */
  | { readonly kind: "lower" }
  | { readonly kind: "make-stricter"; readonly strictestFirst: readonly string[] }
  /** Allows additions to a list, after the user's entries. */
  | { readonly kind: "add" }
  /** Allows a table of Context Sources new names with files of the project. */
  | { readonly kind: "add-own-files" }
  | { readonly kind: "nothing" };

/** Says how much of a value warnings and reports may show; `names` shows only what names a file. */
export type Visibility = "plain" | "names" | "secret";

export interface Setting<Value = unknown> {
  /** The value where nothing is configured. */
  readonly default: Value;
  readonly project: ProjectPermission;
  readonly shown: Visibility;
}

/** Keeps literals' types, and lists writable. */
type Literal = string | number | boolean | unknown[] | object | null;

export function allowAny<const Value extends Literal>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "set" }, shown: "plain" };
}

export function allowSwitchOff(value: boolean): Setting<boolean> {
  return { default: value, project: { kind: "switch-off" }, shown: "plain" };
}

export function allowLower<Value extends number | null>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "lower" }, shown: "plain" };
}

export function allowStricter<const Word extends string>(
  value: Word,
  strictestFirst: readonly Word[],
): Setting<Word> {
  return { default: value, project: { kind: "make-stricter", strictestFirst }, shown: "plain" };
}

export function allowAdditions<Value extends readonly unknown[]>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "add" }, shown: "plain" };
}

export function allowOwnFiles<Value extends object>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "add-own-files" }, shown: "plain" };
}

/** Reserves a setting for the user: models, batches, budgets, places, commands, addresses. */
export function reserveForUser<const Value extends Literal>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "nothing" }, shown: "plain" };
}

export function markSecret<Value>(setting: Setting<Value>): Setting<Value> {
  return { ...setting, shown: "secret" };
}

/** Marks a setting whose texts are the user's own words; only what names a file is shown. */
export function markUserText<Value>(setting: Setting<Value>): Setting<Value> {
  return { ...setting, shown: "names" };
}

/** Holds a section's settings, by key. */
export type Settings<Values> = { readonly [Key in keyof Values]: Setting<Values[Key]> };

type AnySettings = Readonly<Record<string, Setting>>;

export function collectDefaults<Values>(settings: Settings<Values>): Values {
  const entries = Object.entries<Setting>(settings).map(([key, one]) => [key, one.default]);
  return Object.fromEntries(entries) as Values;
}

/** Holds every setting: those of the top level, and those of sections. */
export type SettingsTree = Readonly<Record<string, Setting | AnySettings>>;

export function isSetting(node: Setting | AnySettings): node is Setting {
  return "project" in node && "kind" in node.project;
}

/** Returns the setting that a path leads to, or into (an entry of a table); null where there is none. */
export function findSetting(tree: SettingsTree, path: readonly string[]): Setting | null {
  const [section = "", name = ""] = path;
  const node = Object.hasOwn(tree, section) ? tree[section] : undefined;
  if (node === undefined) return null;
  if (isSetting(node)) return node;
  return (Object.hasOwn(node, name) ? node[name] : undefined) ?? null;
}

// A feature's section of the configuration: its keys, descriptions, defaults and permissions.

/** Declares a section with a key of its own. */
export interface SettingsSection<Values extends object = object> {
  readonly key: string;
  /** Says what the section is for. */
  readonly description: string;
  /** Each key's default, and what a project's file may do with it. */
  readonly settings: AnySettings;
  /** The values where nothing is configured. */
  readonly defaults: Values;
  /** Maps keys' names in the previous version to the current ones: they work, with a notice, and are not listed. */
  readonly formerKeys?: Readonly<Record<string, string>>;
  /**
   * Declares each key with its bounds and description. Zod is a parameter, so that the host's start needn't
   * load it.
   */
  readonly keys: (zod: typeof z) => Keys | Promise<Keys>;
}

export type Keys = Readonly<Record<string, z.ZodType>>;
