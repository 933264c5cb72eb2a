// Reads, adds and removes entries of a config file's list of plugins.
import type { Node } from "jsonc-parser";
import { append } from "./append.ts";
import { type Document, propertiesNamed, readString } from "./document.ts";
import { prepend } from "./prepend.ts";
import type { ConfigFile } from "./read-file.ts";
import { applyEdit, type TextEdit } from "./text-edit.ts";

/** Describes how a host lists its plugins. */
export interface ListForm {
  readonly key: "plugin" | "plugins" | "packages";
  /** The property with the spec, where an entry is an object; null where entries never are. */
  readonly field: "package" | "source" | null;
}

/** The list of OpenCode 1, which 2 reads too: `"plugin": ["spec", ["spec", { …options }]]`. */
export const PLUGIN_LIST: ListForm = { key: "plugin", field: null };
/**
 * The list of OpenCode 2, with which 1 refuses a config: `"plugins": ["spec", { "package": "…", "options": {}
 * }]`.
 */
export const PLUGINS_LIST: ListForm = { key: "plugins", field: "package" };
/** The list of Pi: `"packages": ["source", { "source": "…", …filters }]`. */
export const PACKAGE_LIST: ListForm = { key: "packages", field: "source" };

/** Holds an entry of a list: the spec, and the position of its string. */
export interface PluginEntry {
  readonly spec: string;
  /** The whole entry: a string, or the tuple or object around it. */
  readonly node: Node;
  readonly specNode: Node;
}

/** Describes the list of a config file. */
type PluginList =
  | { readonly kind: "none" }
  | { readonly kind: "list"; readonly entries: readonly PluginEntry[] }
  /** The host refuses the whole file for this reason. */
  | { readonly kind: "unusable"; readonly reason: string };

type ListEdit =
  | { readonly kind: "edit"; readonly edit: TextEdit }
  | { readonly kind: "refused"; readonly reason: string };

/** Returns the entries of a file that has a list. */
export function pluginEntries(file: ConfigFile, form: ListForm): readonly PluginEntry[] {
  const list = file.kind === "present" ? readPlugins(file.document, form) : null;
  return list?.kind === "list" ? list.entries : [];
}

export function readPlugins(document: Document, form: ListForm): PluginList {
  const found = findList(document, form);
  switch (found.kind) {
    case "list":
      return { kind: "list", entries: listPluginEntries(document, found.node, form) };
    case "value":
      return { kind: "unusable", reason: `"${form.key}" is ${found.node.type}, not a list` };
    case "none":
    case "empty":
      return { kind: "none" };
    case "refused":
      return { kind: "unusable", reason: found.reason };
  }
}

/** The schema line that the host itself adds to a config without one. */
export const HOST_SCHEMA = "https://opencode.ai/config.json";
export const HOST_TERMINAL_SCHEMA = "https://opencode.ai/tui.json";

interface AddResult {
  readonly spec: string;
  readonly schema: string | null;
  readonly form: ListForm;
}

/**
 * Adds `spec` in the file's style: its indentation, line ends and trailing commas. A file without content also
 * gets `schema`; null adds none.
 */
export function addPlugin(document: Document, { spec, schema, form }: AddResult): ListEdit {
  const { text, eol } = document;
  const quoted = JSON.stringify(spec);
  const found = findList(document, form);
  switch (found.kind) {
    case "refused":
      return found;
    case "empty": {
      const lead = text === "" || /[\n\ufeff]$/.test(text) ? "" : eol;
      const head = schema === null ? "" : `  "$schema": ${JSON.stringify(schema)},${eol}`;
      const after = `${lead}{${eol}${head}  "${form.key}": [${quoted}]${eol}}${eol}`;
      return { kind: "edit", edit: { offset: text.length, before: "", after } };
    }
    case "none":
      return { kind: "edit", edit: append(document, found.root, `"${form.key}": [${quoted}]`) };
    case "list":
      return { kind: "edit", edit: added(document, found.node, quoted, form) };
    case "value":
      return wrapValue(document, found.node, quoted, form);
  }
}

/**
 * Adds the entry. OpenCode calls hooks in the order of its list: ours comes first, so that it sees the system
 * prompt before another plugin changes it. Pi's order has no such meaning.
 */
function added(document: Document, list: Node, member: string, form: ListForm): TextEdit {
  return form === PACKAGE_LIST ? append(document, list, member) : prepend(document, list, member);
}

/** Moves this entry, options and all, before the others of its list. */
export function movedToFront(document: Document, entry: PluginEntry): string {
  const { offset, length } = entry.node;
  const member = document.text.slice(offset, offset + length);
  const list = entry.node.parent;
  if (list === undefined || list.children?.[0] === entry.node) return document.text;
  const removed = removeEntry(document, entry);
  const placed = prepend(document, list, member);
  return applyEdit(applyEdit(document.text, removed), placed);
}

/** Replaces an entry's spec; its options stay. */
export function replaceSpec(document: Document, entry: PluginEntry, spec: string): TextEdit {
  const { offset, length } = entry.specNode;
  return {
    offset,
    before: document.text.slice(offset, offset + length),
    after: JSON.stringify(spec),
  };
}

/** Removes an entry, with the one comma that would be left over. */
export function removeEntry(document: Document, entry: PluginEntry): TextEdit {
  return removeNode(document, entry.node);
}

/** Removes an empty list; null where it has entries or does not exist. */
export function removeEmptyList(document: Document, form: ListForm): TextEdit | null {
  const found = findList(document, form);
  const isEmpty = found.kind === "list" && (found.node.children ?? []).length === 0;
  const property = isEmpty ? found.node.parent : undefined;
  return property === undefined ? null : removeNode(document, property);
}

function removeNode({ text }: Document, node: Node): TextEdit {
  let start = node.offset;
  let end = start + node.length;
  const commaAfter = /^[ \t]*,[ \t]*/.exec(text.slice(end));
  const commaBefore = /,\s*$/.exec(text.slice(0, start));
  if (commaAfter) end += commaAfter[0].length;
  else if (commaBefore) start -= commaBefore[0].length;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const isAlone = /^[ \t]*$/.test(text.slice(lineStart, start)) && /^\r?\n/.test(text.slice(end));
  if (isAlone && lineStart > 0) start = lineStart - (text[lineStart - 2] === "\r" ? 2 : 1);
  return { offset: start, before: text.slice(start, end), after: "" };
}

/** Turns `null` and a single string, which the host refuses, into the list that was meant. */
function wrapValue(document: Document, node: Node, quoted: string, form: ListForm): ListEdit {
  const before = document.text.slice(node.offset, node.offset + node.length);
  const edit = (after: string): ListEdit => ({
    kind: "edit",
    edit: { offset: node.offset, before, after },
  });
  if (node.type === "null") return edit(`[${quoted}]`);
  if (node.type === "string") {
    return edit(form === PACKAGE_LIST ? `[${before}, ${quoted}]` : `[${quoted}, ${before}]`);
  }
  return { kind: "refused", reason: `"${form.key}" is not a list, but ${before.slice(0, 40)}` };
}

type ListLocation =
  | { readonly kind: "list" | "value"; readonly node: Node }
  | { readonly kind: "none"; readonly root: Node }
  | { readonly kind: "empty" }
  | { readonly kind: "refused"; readonly reason: string };

function findList({ root }: Document, { key }: ListForm): ListLocation {
  if (root === null) return { kind: "empty" };
  if (root.type !== "object") return { kind: "refused", reason: "it is not a JSON object" };
  const [property, second] = propertiesNamed(root, key);
  if (second !== undefined) return { kind: "refused", reason: `it has "${key}" twice` };
  if (property === undefined) return { kind: "none", root };
  const node = property.children?.[1];
  if (node === undefined) return { kind: "refused", reason: `"${key}" has no value` };
  return { kind: node.type === "array" ? "list" : "value", node };
}

function listPluginEntries(
  document: Document,
  list: Node,
  { field }: ListForm,
): readonly PluginEntry[] {
  return (list.children ?? []).flatMap((node) => {
    const specNode = findSpecNode(node, field);
    const spec = specNode && readString(document, specNode);
    return specNode && spec ? [{ spec, node, specNode }] : [];
  });
}

function findSpecNode(node: Node, field: ListForm["field"]): Node | undefined {
  if (node.type === "array") return node.children?.[0];
  if (node.type !== "object" || field === null) return node;
  return propertiesNamed(node, field).at(-1)?.children?.[1];
}
