// Renders a project's memories and notes as Markdown, and parses them back. Pure.
import { type Ref, readRef } from "../../ledger/ref.ts";
import { renderInstalledCommand } from "../../log/notices.ts";
import {
  AUTHORS,
  type Author,
  CATEGORIES,
  type Category,
  type Memory,
  type MemoryContent,
  resolveAuthorSource,
  SOURCES,
  type Source,
} from "./record.ts";
import type { Note } from "./schema.ts";

/** A parsed line of a Markdown file. */
export type ParsedLine = ParsedMemory | ParsedNote;

export interface ParsedMemory {
  readonly kind: "memory";
  /** The ref that the line states; null if it states none. */
  readonly ref: Ref | null;
  readonly wording: MemoryContent;
  readonly state: WrittenState;
  readonly by: Author;
  readonly source: Source;
  readonly writtenAtMs: number | null;
}

type WrittenState = Exclude<Memory["state"]["kind"], "superseded">;

interface ParsedNote {
  readonly kind: "note";
  readonly text: string;
}

const FILE_HEAD = `Each list item is one memory: edit, add or move lines, and \`${renderInstalledCommand("memory import")}\` reads
the file. The comment at a line's end may be left out. Removing a line changes nothing; moving it below
"Archived" archives the memory. Sessions get none below "Candidates": move a line to its category to confirm it.`;

const ARCHIVED_TITLE = "Archived";
const CANDIDATES_TITLE = "Candidates";
const NOTES_TITLE = "Notes";

/**
 * Renders active and archived memories, candidates and the project's open notes; superseded memories are left
 * out.
 */
export function toMarkdown(
  name: string,
  memories: readonly Memory[],
  notes: readonly Note[],
): string {
  const filterMemories = (state: Memory["state"]["kind"], category: Category) =>
    memories.filter((memory) => memory.state.kind === state && memory.category === category);
  const active = CATEGORIES.flatMap((category) =>
    renderSection(`## ${category}`, filterMemories("active", category)),
  );
  const renderSections = (title: string, state: Memory["state"]["kind"]) => {
    const all = CATEGORIES.flatMap((category) =>
      renderSection(`### ${category}`, filterMemories(state, category)),
    );
    return all.length === 0 ? [] : [`## ${title}`, "", ...all];
  };
  const noted = notes.map(({ text }) => `- ${text}`);
  return [
    ...[`# Memories of ${name.replace(/\s+/g, " ")}`, "", FILE_HEAD, ""],
    ...active,
    ...renderSections(CANDIDATES_TITLE, "candidate"),
    ...renderSections(ARCHIVED_TITLE, "archived"),
    ...(noted.length === 0 ? [] : [`## ${NOTES_TITLE}`, "", ...noted, ""]),
  ].join("\n");
}

function renderSection(title: string, memories: readonly Memory[]): readonly string[] {
  return memories.length === 0 ? [] : [title, "", ...memories.map(formatMemory), ""];
}

function formatMemory({
  ref,
  text,
  importance,
  permanence,
  by,
  source,
  writtenAtMs,
}: Memory): string {
  const kept = permanence === "permanent" ? " permanent" : "";
  const written = new Date(writtenAtMs).toISOString();
  return `- ${text} <!-- ${ref} importance=${importance}${kept} by=${by} source=${source} written=${written} -->`;
}

/** Holds the values for lines that don't state their own. */
interface LineDefaults {
  readonly importance: number;
  readonly by: Author;
}

/** Parses the list items below the headings of an exported file; everything else is skipped. */
export function fromMarkdown(file: string, defaults: LineDefaults): readonly ParsedLine[] {
  const read: ParsedLine[] = [];
  let place: Category | "notes" | null = null;
  let state: WrittenState = "active";
  for (const line of file.split(/\r?\n/)) {
    const heading = /^(#{1,6})\s+(.*?)\s*$/.exec(line);
    if (heading) {
      const [, level, title = ""] = heading;
      if (level === "##") state = parseState(title);
      place = title === NOTES_TITLE ? "notes" : (CATEGORIES.find((one) => one === title) ?? null);
      continue;
    }
    const item = /^[-*+]\s+(.*?)\s*$/.exec(line)?.[1];
    if (item === undefined || item === "" || place === null) continue;
    if (place === "notes") read.push({ kind: "note", text: item });
    else read.push(parseMemory(item, { category: place, state, defaults }));
  }
  return read;
}

function parseState(title: string): WrittenState {
  if (title === ARCHIVED_TITLE) return "archived";
  return title === CANDIDATES_TITLE ? "candidate" : "active";
}

const COMMENT_PATTERN =
  /\s*<!--\s*((?:m:\w{6}|permanent|[a-z]+=[^\s>]+)(?:\s+(?:permanent|[a-z]+=[^\s>]+))*)\s*-->$/;

function parseMemory(
  item: string,
  given: {
    readonly category: Category;
    readonly state: WrittenState;
    readonly defaults: LineDefaults;
  },
): ParsedMemory {
  const { category, state, defaults } = given;
  const words = COMMENT_PATTERN.exec(item)?.[1]?.split(/\s+/) ?? [];
  const readValue = (name: string) =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const importance = Number(readValue("importance") ?? Number.NaN);
  const writtenAtMs = Date.parse(readValue("written") ?? "");
  const by = AUTHORS.find((author) => author === readValue("by")) ?? defaults.by;
  return {
    kind: "memory",
    ref: words[0]?.startsWith("m:") ? readRef(words[0], "m") : null,
    wording: {
      category,
      text: item.replace(COMMENT_PATTERN, ""),
      importance:
        importance >= 0 && importance <= 100 ? Math.round(importance) : defaults.importance,
      permanence: words.includes("permanent") ? "permanent" : "ordinary",
    },
    state,
    by,
    // A line that a person has written usually states no source.
    source: SOURCES.find((source) => source === readValue("source")) ?? resolveAuthorSource(by),
    writtenAtMs: Number.isNaN(writtenAtMs) ? null : writtenAtMs,
  };
}
