// References, MCP and skills: blocks that only the host can render.
// Folder: The built-in Context Sources and what they read, and the reader of the host's standing text.
import * as z from "zod";
import {
  absent,
  type LoadResult,
  type SourceDefinition,
  toWellFormed,
  Unavailable,
} from "../context/source.ts";

// Describes what changed in a long list of the host's, as text from which the current list follows.

/** Lists shorter than this are announced whole: a whole list is easier to follow than its changes. */
export const minLongListChars = 8192;

/** Changes are announced only up to this share of the current list; longer ones save nothing. */
const maxChangeShare = 0.5;

/**
 * Holds a host's list of skills, references or MCP servers: its entries by name, in order, and the surrounding
 * text.
 */
interface ParsedList {
  readonly around: string;
  readonly entries: ReadonlyMap<string, string>;
}

/** Lists the elements that can hold an entry, and how an entry's first lines name it. */
const entryElements = [
  { tag: "skill", name: /^ {2}<skill>\n( {4}<name>.*<\/name>)\n/ },
  { tag: "reference", name: /^ {2}<reference>\n( {4}<name>.*<\/name>)\n/ },
  { tag: "server", name: /^( {2}<server name=".*">)\n/ },
] as const;

/**
 * Describes the entries that were removed (by name), added and changed (whole) between two renderings of a
 * list, each kind in its own element. Null if the whole list is better, because it is short, most of it
 * changed, or these entries do not yield exactly the current list in the order of its names.
 */
export function renderListChange(previous: string, current: string): string | null {
  if (current.length < minLongListChars) return null;
  const [before, after] = [parseList(previous), parseList(current)];
  if (!before || !after || before.around !== after.around || !isSorted(after)) return null;
  const fresh = [...after.entries].filter(([name, text]) => before.entries.get(name) !== text);
  const change = [
    ...renderChangedEntries(
      "removed",
      [...before.entries.keys()].filter((name) => !after.entries.has(name)),
    ),
    ...renderChangedEntries(
      "added",
      pickTexts(fresh.filter(([name]) => !before.entries.has(name))),
    ),
    ...renderChangedEntries(
      "changed",
      pickTexts(fresh.filter(([name]) => before.entries.has(name))),
    ),
  ].join("\n");
  return change.length > current.length * maxChangeShare || fresh.some(isMisleading)
    ? null
    : change;
}

function renderChangedEntries(kind: string, entries: readonly string[]): readonly string[] {
  return entries.length === 0 ? [] : [`<${kind}>`, ...entries, `</${kind}>`];
}

function pickTexts(entries: readonly (readonly [string, string])[]): readonly string[] {
  return entries.map(([, text]) => text);
}

/**
 * Says whether an entry could be misread; the host indents all of an entry's lines except those of a
 * multi-line description.
 */
function isMisleading([, text]: readonly [string, string]): boolean {
  return text.includes("\n<");
}

function isSorted({ entries }: ParsedList): boolean {
  const names = [...entries.keys()];
  return names.every((name, index) => (names[index - 1] ?? "").localeCompare(name) < 0);
}

/** Parses a list; null if the text is not a sequence of entries, each with its own name. */
function parseList(text: string): ParsedList | null {
  for (const { tag, name } of entryElements) {
    const start = text.indexOf(`\n  <${tag}`) + 1;
    if (start === 0) continue;
    const close = `\n  </${tag}>\n`;
    const entries = new Map<string, string>();
    let at = start;
    while (text.startsWith(`  <${tag}`, at)) {
      const end = text.indexOf(close, at);
      const entry = end === -1 ? "" : text.slice(at, end + close.length - 1);
      const label = name.exec(entry)?.[1];
      if (label === undefined || entries.has(label)) return null;
      entries.set(label, entry);
      at = end + close.length;
    }
    return { around: `${text.slice(0, start)}${text.slice(at)}`, entries };
  }
  return null;
}

/** Lists blocks that only the host can render (permissions, live servers): they are observed, not loaded. */
export type ObservedKind = "references" | "mcp" | "skills";

/** Holds the blocks that one system text of the host had; a block that was not there is null or missing. */
type BlockSighting = Readonly<Partial<Record<ObservedKind, string | null>>>;

const changeAnnouncements: Readonly<Record<ObservedKind, string>> = {
  references:
    "The available project references have changed. This list supersedes the previous reference list.",
  mcp: "The instructions of the MCP servers have changed. These supersede all previous MCP instructions.",
  skills:
    "The available skills have changed. This list supersedes the previous available skills list.",
};

const listDescriptions: Readonly<Record<ObservedKind, string>> = {
  references: "project references",
  mcp: "MCP servers with instructions",
  skills: "available skills",
};

/** Renders an update; a long list is announced by its changes. */
function renderUpdate(kind: ObservedKind, previous: string, current: string): string {
  const change = renderListChange(previous, current);
  if (change === null) return `${changeAnnouncements[kind]}\n${current}`;
  return `The list of ${listDescriptions[kind]} has changed by these entries. The rest of the previous list still applies.\n${change}`;
}

const removalAnnouncements: Readonly<Record<ObservedKind, string>> = {
  references:
    "Project reference guidance is no longer available. Do not use previously listed references.",
  mcp: "No MCP server has instructions any more. Previously given MCP instructions no longer apply.",
  skills: "Skill guidance is no longer available. Do not use any previously listed skill.",
};

/** Returns the value of a block, for a snapshot taken from a frozen string. */
export function toObservedValue(block: string): string {
  return toWellFormed(block);
}

const blockSchema = z.string().min(1);

/** Remembers what the host last rendered, per session, because it depends on agents and permissions. */
export class ObservedBlocks {
  #last: BlockSighting | null = null;

  recordSighting(sighting: BlockSighting): void {
    this.#last = sighting;
  }

  createSource(kind: ObservedKind): SourceDefinition<string> {
    return {
      key: `core/${kind}`,
      schema: blockSchema,
      load: () => this.#load(kind),
      baseline: (current) => current,
      update: (previous, current) => renderUpdate(kind, previous, current),
      removed: () => removalAnnouncements[kind],
    };
  }

  createSources(): readonly SourceDefinition<string>[] {
    return [this.createSource("references"), this.createSource("mcp"), this.createSource("skills")];
  }

  #load(kind: ObservedKind): LoadResult<string> {
    if (this.#last === null) return new Unavailable("not yet observed");
    const block = this.#last[kind] ?? null;
    return block === null ? absent : toObservedValue(block);
  }
}
