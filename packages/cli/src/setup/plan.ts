// Plans the changes that add the plugin to the config.
import { existsSync } from "node:fs";
import { CliError } from "../cli-error.ts";
import { type Document, parseDocument } from "../config-file/document.ts";
import {
  addPlugin,
  HOST_SCHEMA,
  HOST_TERMINAL_SCHEMA,
  movedToFront,
  PACKAGE_LIST,
  PLUGINS_LIST,
  type PluginEntry,
  pluginEntries,
  readPlugins,
  removeEmptyList,
  removeEntry,
  replaceSpec,
} from "../config-file/plugin-list.ts";
import { readConfigFile } from "../config-file/read-file.ts";
import { setValues } from "../config-file/set-value.ts";
import { applyEdit, editBetween, type TextEdit } from "../config-file/text-edit.ts";
import type { ScopeFiles } from "../host/config-places.ts";
import { isOpenCode2 } from "../host/version-range.ts";
import { type FileChange, planEdit, requireEditable } from "./file-change.ts";
import {
  isGone,
  isMovedFrom,
  isOurs,
  type KnownSpecs,
  type Listing,
  OPENCODE_2_LISTING,
  OPENCODE_LISTING,
} from "./plugin-identity.ts";

/** Holds the settings that setup asks about; others keep their defaults. */
export type Settings = ReadonlyMap<"recovery" | "lowering", string>;

interface Wish {
  readonly spec: string;
  readonly hasTerminalPart: boolean;
  readonly settings: Settings;
  /** The URL where an editor finds the schema of our settings; null where it is unknown. */
  readonly settingsSchema: string | null;
  /** The specs of other plugins that are taken out. */
  readonly takenOut: ReadonlySet<string>;
}

/** Plans the changes that fulfil the wish; none if it is fulfilled already. */
export function planSetup(
  files: ScopeFiles,
  wish: Wish,
  written: ReadonlySet<string>,
  listing: Listing,
): readonly FileChange[] {
  const all = [...files.server, ...files.terminal];
  return planLists(files, wish, {
    server: addKnown(all, wish.spec, { listing, written }),
    terminal: addKnown(all, wish.spec, { listing: OPENCODE_LISTING, written }),
  });
}

/** Returns the list for a host of this version: OpenCode 2's own only where one of the files has it. */
export function listingFor(version: string, { server }: ScopeFiles): Listing {
  const hasIts = (path: string) => {
    const file = readConfigFile(path);
    return file.kind === "present" && readPlugins(file.document, PLUGINS_LIST).kind !== "none";
  };
  return isOpenCode2(version) && server.some(hasIts) ? OPENCODE_2_LISTING : OPENCODE_LISTING;
}

/** Adds to the known specs the entries of a clone that has moved, whatever wrote them. */
export function addKnown(paths: readonly string[], spec: string, known: KnownSpecs): KnownSpecs {
  return { ...known, written: new Set([...known.written, ...movedSpecs(paths, spec, known)]) };
}

interface KnownInBoth {
  readonly server: KnownSpecs;
  readonly terminal: KnownSpecs;
}

function planLists(files: ScopeFiles, wish: Wish, known: KnownInBoth): readonly FileChange[] {
  const isIts = known.server.listing === OPENCODE_2_LISTING;
  const counts = isIts ? "every-list" : files.counts;
  const server = fileFor(files.server, counts, files.newServer, known.server);
  const terminal = fileFor(files.terminal, "every-list", files.newTerminal, known.terminal);
  const others = [...files.server, ...files.terminal].filter(
    (path) => path !== server && path !== terminal && existsSync(path),
  );
  const clearing = (path: string, known: KnownSpecs) =>
    planEdit(path, (document) => cleared(path, document, wish, known));
  const list = listEdit(server, { ...wish, schema: HOST_SCHEMA }, known.server);
  const changes = [
    planEdit(server, isIts ? inOneList(server, list, known.terminal) : list),
    wish.hasTerminalPart
      ? planEdit(
          terminal,
          listEdit(terminal, { ...wish, schema: HOST_TERMINAL_SCHEMA }, known.terminal),
        )
      : clearing(terminal, known.terminal),
    ...others.map((path) => {
      const isServers = files.server.includes(path);
      if (isIts && isServers)
        return planEdit(
          path,
          inOneList(path, () => null, known.terminal),
        );
      return clearing(path, isServers ? known.server : known.terminal);
    }),
    planEdit(files.settings, (document) => settingsEdit(document, wish)),
  ];
  return changes.filter((change) => change !== null);
}

/** Removes our entries from the other list, because OpenCode 2 reads both and would load us twice. */
function inOneList(
  path: string,
  edit: (document: Document) => TextEdit | null,
  other: KnownSpecs,
): (document: Document) => TextEdit | null {
  return (document) => {
    const made = edit(document);
    const { text } = document;
    const after = withoutOurs(path, made === null ? text : applyEdit(text, made), other);
    return after === text ? null : editBetween(text, after);
  };
}

function movedSpecs(
  paths: readonly string[],
  spec: string,
  { listing }: KnownSpecs,
): readonly string[] {
  return paths.flatMap((path) =>
    pluginEntries(readConfigFile(path), listing.form)
      .filter((entry) => isMovedFrom(entry.spec, spec, path))
      .map((entry) => entry.spec),
  );
}

/** Returns the entries of ours without an existing path that the changes take out: a file and a spec each. */
export function deadEntries(
  changes: readonly FileChange[],
  listing: Listing,
): readonly { readonly file: string; readonly spec: string }[] {
  return changes.flatMap(({ path, before, after }) => {
    const stays = new Set(entriesIn(after ?? "", listing).map(({ spec }) => spec));
    return entriesIn(before ?? "", listing)
      .filter(({ spec }) => isGone(spec, path) && !stays.has(spec))
      .map(({ spec }) => ({ file: path, spec }));
  });
}

/**
 * Chooses the file to write to: the one that names the plugin already; else the last one with a `plugin` list; else
 * the last one that exists. Where only the last list counts, an entry in another one would do nothing (the host's own
 * `opencode plugin` doesn't check that).
 */
function fileFor(
  paths: readonly string[],
  counts: ScopeFiles["counts"],
  fresh: string,
  known: KnownSpecs,
): string {
  const present = paths.flatMap((path) => {
    const file = readConfigFile(path);
    if (file.kind === "absent") return [];
    const { document } = requireEditable(file);
    return [
      {
        path,
        list: readPlugins(document, known.listing.form),
        ours: ourEntries(path, document.text, known),
      },
    ];
  });
  const naming = counts === "every-list" ? present.filter(({ ours }) => ours.length > 0) : [];
  const listing = present.filter(({ list }) => list.kind !== "none");
  return (naming.at(-1) ?? listing.at(-1) ?? present.at(-1))?.path ?? fresh;
}

interface ListWish {
  readonly spec: string;
  readonly takenOut: ReadonlySet<string>;
  readonly schema: string | null;
}

/** Builds the edit of a list: our one entry names the spec, and the specs to take out are removed. */
export function listEdit(path: string, wish: ListWish, known: KnownSpecs) {
  return ({ text }: Document): TextEdit | null => {
    const [first, ...more] = ourEntries(path, text, known);
    const surplus = new Set(more.map(({ spec }) => spec).filter((spec) => spec !== first?.spec));
    const without = withoutEntries(
      text,
      known.listing,
      ({ spec }) => surplus.has(spec) || wish.takenOut.has(spec),
    );
    const named = withSpec(path, without, wish, known);
    return named === text ? null : editBetween(text, named);
  };
}

function withSpec(
  path: string,
  text: string,
  { spec, schema }: ListWish,
  known: KnownSpecs,
): string {
  const document = parseValidDocument(text);
  const { form } = known.listing;
  const [ours] = ourEntries(path, text, known);
  if (ours !== undefined) {
    const named = ours.spec === spec ? text : applyEdit(text, replaceSpec(document, ours, spec));
    return inFront(path, named, known);
  }
  const result = addPlugin(document, { spec, schema, form });
  switch (result.kind) {
    case "edit":
      return applyEdit(text, result.edit);
    case "refused":
      throw new CliError(
        "config-unusable",
        `${path} can't be edited: ${result.reason}.`,
        `Add ${JSON.stringify(spec)} to its "${form.key}" list yourself. Nothing was changed.`,
      );
  }
}

/** Moves our entry to the front, because plugins before it change the prompt before our hooks see it. */
function inFront(path: string, text: string, known: KnownSpecs): string {
  const [ours] = ourEntries(path, text, known);
  if (ours === undefined || known.listing.form === PACKAGE_LIST) return text;
  const [entry] = entriesIn(text, known.listing).filter(({ spec }) => spec === ours.spec);
  return entry === undefined ? text : movedToFront(parseValidDocument(text), entry);
}

/** Builds the edit of another file: our entries whose folder is gone and the specs to take out are removed. */
function cleared(
  path: string,
  { text }: Document,
  { takenOut }: Wish,
  known: KnownSpecs,
): TextEdit | null {
  const dead = ourEntries(path, text, known).filter(({ spec }) => isGone(spec, path));
  const specs = new Set([...takenOut, ...dead.map(({ spec }) => spec)]);
  const without = withoutEntries(text, known.listing, ({ spec }) => specs.has(spec));
  return without === text ? null : editBetween(text, without);
}

function settingsEdit(document: Document, { settings, settingsSchema }: Wish): TextEdit | null {
  const isNew = document.root === null && settings.size > 0 && settingsSchema !== null;
  const values = new Map<string, string>(isNew ? [["$schema", settingsSchema]] : []);
  for (const [key, value] of settings) values.set(key, value);
  return setValues(document, values);
}

/** Returns the entries of a config text that are Session Runtime. */
export function ourEntries(path: string, text: string, known: KnownSpecs): readonly PluginEntry[] {
  return entriesIn(text, known.listing).filter(({ spec }) => isOurs(spec, path, known));
}

/** Returns the text without our entries. */
export function withoutOurs(path: string, text: string, known: KnownSpecs): string {
  return withoutEntries(text, known.listing, ({ spec }) => isOurs(spec, path, known));
}

/** Returns the text without a list that has become empty. */
export function withoutEmptyList(text: string, { form }: Listing): string {
  const parsed = parseDocument(text);
  const edit = parsed.kind === "document" ? removeEmptyList(parsed.document, form) : null;
  return edit === null ? text : applyEdit(text, edit);
}

function withoutEntries(
  text: string,
  listing: Listing,
  isMeant: (entry: PluginEntry) => boolean,
): string {
  let current = text;
  for (;;) {
    const meant = entriesIn(current, listing).find(isMeant);
    if (meant === undefined) return current;
    current = applyEdit(current, removeEntry(parseValidDocument(current), meant));
  }
}

function entriesIn(text: string, { form }: Listing): readonly PluginEntry[] {
  const parsed = parseDocument(text);
  const list = parsed.kind === "document" ? readPlugins(parsed.document, form) : null;
  return list?.kind === "list" ? list.entries : [];
}

function parseValidDocument(text: string): Document {
  const parsed = parseDocument(text);
  if (parsed.kind === "document") return parsed.document;
  throw new Error("A config text was valid a moment ago.");
}
