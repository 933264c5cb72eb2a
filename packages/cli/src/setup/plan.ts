// What has to change to add the plugin to the config.
import { CliError } from "../cli-error.ts";
import { parseDocument } from "../config-file/document.ts";
import {
  addPlugin,
  HOST_SCHEMA,
  type PluginEntry,
  readPlugins,
  removeEntry,
  replaceSpec,
} from "../config-file/plugin-list.ts";
import { readConfigFile } from "../config-file/read-file.ts";
import { setValues } from "../config-file/set-value.ts";
import type { TextEdit } from "../config-file/text-edit.ts";
import { EXIT } from "../exit-codes.ts";
import type { ScopeFiles } from "../host/config-places.ts";
import { type FileChange, planEdit, usable } from "./file-change.ts";
import { isOurs } from "./plugin-identity.ts";

/** Settings that are worth a question; what is left out keeps its default. */
export type Settings = ReadonlyMap<"recovery" | "lowering", string>;

export interface Wish {
  readonly spec: string;
  readonly hasTerminalPart: boolean;
  readonly settings: Settings;
}

/** What has to change so that the wish comes true; nothing, if it is true already. */
export function planSetup(files: ScopeFiles, wish: Wish): readonly FileChange[] {
  const server = fileFor(files.server, files.counts, files.newServer);
  const terminal = fileFor(files.terminal, "every-list", files.newTerminal);
  const changes = [
    planEdit(server, (document) => pluginEdit(server, document.text, wish.spec, HOST_SCHEMA)),
    wish.hasTerminalPart
      ? planEdit(terminal, (document) => pluginEdit(terminal, document.text, wish.spec, null))
      : null,
    planEdit(files.settings, (document) => setValues(document, wish.settings)),
  ];
  return changes.filter((change) => change !== null);
}

/**
 * The file to write to: the one that names the plugin already; else the last one with a `plugin`
 * list; else the last that is there. Where only the last list counts, an entry in another one would
 * do nothing (the host's own `opencode plugin` doesn't look at that).
 */
function fileFor(paths: readonly string[], counts: ScopeFiles["counts"], fresh: string): string {
  const present = paths.flatMap((path) => {
    const file = readConfigFile(path);
    if (file.kind === "absent") return [];
    const { document } = usable(file);
    return [{ path, list: readPlugins(document), ours: ourEntries(path, document.text) }];
  });
  const naming = counts === "every-list" ? present.filter(({ ours }) => ours.length > 0) : [];
  const listing = present.filter(({ list }) => list.kind !== "none");
  return (naming.at(-1) ?? listing.at(-1) ?? present.at(-1))?.path ?? fresh;
}

function pluginEdit(
  path: string,
  text: string,
  spec: string,
  schema: string | null,
): TextEdit | null {
  const parsed = parseDocument(text);
  if (parsed.kind === "invalid") throw new Error(`${path} was valid a moment ago.`);
  const { document } = parsed;
  const [ours] = ourEntries(path, text);
  if (ours !== undefined) return ours.spec === spec ? null : replaceSpec(document, ours, spec);
  const result = addPlugin(document, spec, schema);
  switch (result.kind) {
    case "edit":
      return result.edit;
    case "unchanged":
      return null;
    case "refused":
      throw new CliError(
        "config-unusable",
        `${path} can't be edited: ${result.reason}.`,
        `Put this into its "plugin" list yourself: ${JSON.stringify(spec)}. Nothing was changed.`,
        EXIT.failed,
      );
  }
}

/** The entries of a config text that are Session Runtime. */
export function ourEntries(path: string, text: string): readonly PluginEntry[] {
  const parsed = parseDocument(text);
  if (parsed.kind === "invalid") return [];
  const list = readPlugins(parsed.document);
  return list.kind === "list" ? list.entries.filter(({ spec }) => isOurs(spec, path)) : [];
}

/** The text without any entry of ours. */
export function withoutOurs(path: string, text: string): string {
  let current = text;
  for (;;) {
    const parsed = parseDocument(current);
    const [ours] = ourEntries(path, current);
    if (parsed.kind === "invalid" || ours === undefined) return current;
    const { offset, before, after } = removeEntry(parsed.document, ours);
    current = current.slice(0, offset) + after + current.slice(offset + before.length);
  }
}
