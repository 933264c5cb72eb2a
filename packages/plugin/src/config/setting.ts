// What each setting says beside its schema: its default, what a project's file may do with it, and whether it is secret.

/**
 * What a project's own file may do with a setting. It comes with the clone: it never overrules what the
 * user switched off or set stricter, and never chooses what is spent, run or written.
 */
export type ProjectPermission =
  /** Any value: none costs anything or lets anything out. */
  | { readonly kind: "set" }
  | { readonly kind: "switch-off" }
  /** Null stands for no limit at all. */
  | { readonly kind: "lower" }
  | { readonly kind: "make-stricter"; readonly strictestFirst: readonly string[] }
  /** Of a list: the user's entries stand before those of the project. */
  | { readonly kind: "add" }
  /** Of a table of Context Sources: entries under new names, for files of the project. */
  | { readonly kind: "add-own-files" }
  | { readonly kind: "nothing" };

/** How much of a value others may read in warnings and reports; `names`: only what names a file. */
export type Visibility = "plain" | "names" | "secret";

export interface Setting<Value = unknown> {
  /** What counts where nothing is configured. */
  readonly default: Value;
  readonly project: ProjectPermission;
  readonly shown: Visibility;
}

/** Literals keep their types, and lists stay writable. */
type Literal = string | number | boolean | unknown[] | object | null;

export function free<const Value extends Literal>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "set" }, shown: "plain" };
}

export function onlyOff(value: boolean): Setting<boolean> {
  return { default: value, project: { kind: "switch-off" }, shown: "plain" };
}

export function onlyLower<Value extends number | null>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "lower" }, shown: "plain" };
}

export function onlyStricter<const Word extends string>(
  value: Word,
  strictestFirst: readonly Word[],
): Setting<Word> {
  return { default: value, project: { kind: "make-stricter", strictestFirst }, shown: "plain" };
}

export function onlyMore<Value extends readonly unknown[]>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "add" }, shown: "plain" };
}

export function onlyOwnFiles<Value extends object>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "add-own-files" }, shown: "plain" };
}

/** The user's alone: models, batches, budgets, places, commands, addresses. */
export function usersOwn<const Value extends Literal>(value: Value): Setting<Value> {
  return { default: value, project: { kind: "nothing" }, shown: "plain" };
}

export function secret<Value>(setting: Setting<Value>): Setting<Value> {
  return { ...setting, shown: "secret" };
}

/** Its texts are the user's own words; what names a file is shown. */
export function ownWords<Value>(setting: Setting<Value>): Setting<Value> {
  return { ...setting, shown: "names" };
}

/** A section's settings, by key. */
export type Settings<Values> = { readonly [Key in keyof Values]: Setting<Values[Key]> };

export type AnySettings = Readonly<Record<string, Setting>>;

export function collectDefaults<Values>(settings: Settings<Values>): Values {
  const entries = Object.entries<Setting>(settings).map(([key, one]) => [key, one.default]);
  return Object.fromEntries(entries) as Values;
}

/** Every setting there is: those of the top level, and those of sections. */
export type SettingsTree = Readonly<Record<string, Setting | AnySettings>>;

export function isSetting(node: Setting | AnySettings): node is Setting {
  return "project" in node && "kind" in node.project;
}

/** The setting that a path leads to, or into, as into an entry of a table; null: there is none. */
export function settingAt(tree: SettingsTree, path: readonly string[]): Setting | null {
  const [section = "", name = ""] = path;
  const node = Object.hasOwn(tree, section) ? tree[section] : undefined;
  if (node === undefined) return null;
  if (isSetting(node)) return node;
  return (Object.hasOwn(node, name) ? node[name] : undefined) ?? null;
}
