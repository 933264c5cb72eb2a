// Facts about each setting besides its schema, and a feature's section of settings.
import type * as z from "zod";

/**
 * Says what a project's own file may do with a setting. That file comes with the clone, so it never overrides
 * what the user switched off or made stricter, and never chooses what is spent, run or written.
 */
export type ProjectPermission =
  /** Allows any value, because no value costs or reveals anything. */
  | { readonly kind: "set" }
  | { readonly kind: "switch-off" }
  /** Allows lower values; null stands for no limit. */
  | { readonly kind: "lower" }
  | { readonly kind: "make-stricter"; readonly strictestFirst: readonly string[] }
  /** Allows additions to a list, after the user's entries. */
  | { readonly kind: "add" }
  /** Allows new entries in the table of Context Sources if they name only the project's own files. */
  | { readonly kind: "add-own-files" }
  | { readonly kind: "nothing" };

/** Says how much of a value warnings and reports may show; `names` shows only the parts that name a file. */
export type Visibility = "plain" | "names" | "secret";

export interface Setting<Value = unknown> {
  /** The value if nothing is configured. */
  readonly default: Value;
  readonly project: ProjectPermission;
  readonly shown: Visibility;
}

/** The type of a default: literals keep their own types, and lists stay writable. */
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

/** Reserves a setting for the user, such as models, batches, budgets, places, commands and addresses. */
export function reserveForUser<const Value extends Literal>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "nothing" }, shown: "plain" };
}

export function markSecret<Value>(setting: Setting<Value>): Setting<Value> {
  return { ...setting, shown: "secret" };
}

/** Marks a setting whose texts are the user's own words; only the parts that name a file are shown. */
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

/** Holds all settings: those of the top level, and those of the sections. */
export type SettingsTree = Readonly<Record<string, Setting | AnySettings>>;

export function isSetting(node: Setting | AnySettings): node is Setting {
  return "project" in node && "kind" in node.project;
}

/** Returns the setting at a path, or the table that contains the path; null if there is none. */
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
  /** The values if nothing is configured. */
  readonly defaults: Values;
  /**
   * Maps the previous version's names of keys to the current ones: they work, with a notice, and are not
   * listed.
   */
  readonly formerKeys?: Readonly<Record<string, string>>;
  /**
   * Declares each key with its bounds and description. Zod is a parameter so that it need not be loaded when
   * the host starts.
   */
  readonly keys: (zod: typeof z) => KeySchemas | Promise<KeySchemas>;
}

export type KeySchemas = Readonly<Record<string, z.ZodType>>;
