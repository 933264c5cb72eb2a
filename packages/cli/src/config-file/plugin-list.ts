// The `plugin` list of a config file: reads, adds and removes entries.
import type { Node } from "jsonc-parser";
import { append } from "./append.ts";
import { type Document, propertiesNamed, stringOf } from "./document.ts";
import type { ConfigFile } from "./read-file.ts";
import type { TextEdit } from "./text-edit.ts";

/** An entry of a `plugin` list: the spec, and where its string stands. */
export interface PluginEntry {
  readonly spec: string;
  /** The whole entry: a string, or a tuple of it and options. */
  readonly node: Node;
  readonly specNode: Node;
}

/** The `plugin` list of a config file. */
type PluginList =
  | { readonly kind: "none" }
  | { readonly kind: "list"; readonly entries: readonly PluginEntry[] }
  /** The host refuses the whole file over this. */
  | { readonly kind: "unusable"; readonly reason: string };

type ListEdit =
  | { readonly kind: "edit"; readonly edit: TextEdit }
  | { readonly kind: "refused"; readonly reason: string };

/** The entries of a file that has a list. */
export function pluginEntries(file: ConfigFile): readonly PluginEntry[] {
  const list = file.kind === "present" ? readPlugins(file.document) : null;
  return list?.kind === "list" ? list.entries : [];
}

export function readPlugins(document: Document): PluginList {
  const found = findList(document);
  switch (found.kind) {
    case "list":
      return { kind: "list", entries: entriesOf(document, found.node) };
    case "value":
      return { kind: "unusable", reason: `"plugin" is ${found.node.type}, not a list` };
    case "none":
    case "empty":
      return { kind: "none" };
    case "refused":
      return { kind: "unusable", reason: found.reason };
  }
}

/** The host's config gets this line from the host itself where it lacks it. */
export const HOST_SCHEMA = "https://opencode.ai/config.json";
export const HOST_TERMINAL_SCHEMA = "https://opencode.ai/tui.json";

/**
 * Adds `spec`, in the way of the file: its indentation, line ends and trailing commas. `schema` is
 * named in a file that says nothing yet; null names none.
 */
export function addPlugin(document: Document, spec: string, schema: string | null): ListEdit {
  const { text, eol } = document;
  const quoted = JSON.stringify(spec);
  const found = findList(document);
  switch (found.kind) {
    case "refused":
      return found;
    case "empty": {
      const lead = text === "" || /[\n\ufeff]$/.test(text) ? "" : eol;
      const head = schema === null ? "" : `  "$schema": ${JSON.stringify(schema)},${eol}`;
      const after = `${lead}{${eol}${head}  "plugin": [${quoted}]${eol}}${eol}`;
      return { kind: "edit", edit: { offset: text.length, before: "", after } };
    }
    case "none":
      return { kind: "edit", edit: append(document, found.root, `"plugin": [${quoted}]`) };
    case "list":
      return { kind: "edit", edit: append(document, found.node, quoted) };
    case "value":
      return wrapValue(document, found.node, quoted);
  }
}

/** Puts `spec` in the place of an entry's own; its options stay. */
export function replaceSpec(document: Document, entry: PluginEntry, spec: string): TextEdit {
  const { offset, length } = entry.specNode;
  return {
    offset,
    before: document.text.slice(offset, offset + length),
    after: JSON.stringify(spec),
  };
}

/** Takes an entry out, with the one comma that would be left over. */
export function removeEntry(document: Document, entry: PluginEntry): TextEdit {
  return removeNode(document, entry.node);
}

/** Takes out a `plugin` list with nothing in it; null where it has entries or is not there. */
export function removeEmptyList(document: Document): TextEdit | null {
  const found = findList(document);
  const isEmpty = found.kind === "list" && (found.node.children ?? []).length === 0;
  const property = isEmpty ? found.node.parent : undefined;
  return property === undefined ? null : removeNode(document, property);
}

function removeNode({ text }: Document, node: Node): TextEdit {
  let start = node.offset;
  let end = start + node.length;
  const commaBehind = /^[ \t]*,[ \t]*/.exec(text.slice(end));
  const commaBefore = /,\s*$/.exec(text.slice(0, start));
  if (commaBehind) end += commaBehind[0].length;
  else if (commaBefore) start -= commaBefore[0].length;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const isAlone = /^[ \t]*$/.test(text.slice(lineStart, start)) && /^\r?\n/.test(text.slice(end));
  if (isAlone && lineStart > 0) start = lineStart - (text[lineStart - 2] === "\r" ? 2 : 1);
  return { offset: start, before: text.slice(start, end), after: "" };
}

/** `null` and a single string, which the host refuses, become the list that was meant. */
function wrapValue(document: Document, node: Node, quoted: string): ListEdit {
  const before = document.text.slice(node.offset, node.offset + node.length);
  const edit = (after: string): ListEdit => ({
    kind: "edit",
    edit: { offset: node.offset, before, after },
  });
  if (node.type === "null") return edit(`[${quoted}]`);
  if (node.type === "string") return edit(`[${before}, ${quoted}]`);
  return { kind: "refused", reason: `"plugin" is not a list, but ${before.slice(0, 40)}` };
}

type Found =
  | { readonly kind: "list" | "value"; readonly node: Node }
  | { readonly kind: "none"; readonly root: Node }
  | { readonly kind: "empty" }
  | { readonly kind: "refused"; readonly reason: string };

function findList({ root }: Document): Found {
  if (root === null) return { kind: "empty" };
  if (root.type !== "object") return { kind: "refused", reason: "it is not a JSON object" };
  const [property, second] = propertiesNamed(root, "plugin");
  if (second !== undefined) return { kind: "refused", reason: 'it has "plugin" twice' };
  if (property === undefined) return { kind: "none", root };
  const node = property.children?.[1];
  if (node === undefined) return { kind: "refused", reason: '"plugin" has no value' };
  return { kind: node.type === "array" ? "list" : "value", node };
}

function entriesOf(document: Document, list: Node): readonly PluginEntry[] {
  return (list.children ?? []).flatMap((node) => {
    const specNode = node.type === "array" ? node.children?.[0] : node;
    const spec = specNode && stringOf(document, specNode);
    return specNode && spec ? [{ spec, node, specNode }] : [];
  });
}
