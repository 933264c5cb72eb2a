// Parses a file of notes into fields, found under headings, after labels and as bullets or boxes. In a log
// the newest part counts.
import { statesNothing } from "./lines.ts";
import { type MarkdownLine, parseLabel } from "./markdown.ts";

/** Lists the fields that people keep in notes, with the headings and labels that name them. */
const FIELD_NAMES = {
  objective: /^(?:(?:primary |main )?(?:objective|goal)|goals|mission)$/,
  focus: /^(?:(?:current |session )?focus(?: area)?|working on|current work)$/,
  step: /^(?:(?:current )?step|current task|in progress|now|doing)$/,
  status: /^(?:(?:current )?status|state)$/,
  openWork:
    /^(?:(?:open|remaining|outstanding|pending)(?: work| items| tasks)?|to[ -]?dos?|tasks|backlog|what's left)$/,
  completed: /^(?:completed?(?: work| items)?|done|finished|what was done|accomplished|progress)$/,
  decisions: /^(?:(?:key |design |approved )?decisions|decision(?: log)?|decisions made)$/,
  pendingTests: /^(?:(?:pending|missing|open) tests?|tests (?:pending|to (?:run|write)))$/,
  blockers:
    /^(?:blockers?(?: ?[/&] ?risks| and risks)?|blocked(?: by| on)?|risks?|known issues|impediments|(?:carry-forward )?warnings)$/,
  questions:
    /^(?:(?:open )?questions?|unresolved(?: questions)?|(?:pending|open) decisions?(?: \/ open questions)?)$/,
  dependencies:
    /^(?:dependenc(?:y|ies)(?: \/ preconditions)?|depends on|preconditions|prerequisites|requires|waiting (?:for|on))$/,
  nextActions: /^(?:next(?: actions?| steps?| up)?|up next|what's next)$/,
} as const;

export type NoteField = keyof typeof FIELD_NAMES;

const NOTE_FIELDS = Object.keys(FIELD_NAMES) as readonly NoteField[];

/** Returns the field that a heading or a label names; null if it names none. */
function findField(name: string): NoteField | null {
  const words = name
    .slice(0, 200)
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/\([^()]*\)/g, "")
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "")
    .replace(/\s+/g, " ");
  return NOTE_FIELDS.find((field) => FIELD_NAMES[field].test(words)) ?? null;
}

/** Holds what a file of notes states, by field, in the words of the file. */
export interface Notes {
  readonly fields: Readonly<Record<NoteField, readonly string[]>>;
  /** Fields that the file has a section for, even one that states there is nothing. */
  readonly stated: ReadonlySet<NoteField>;
}

/** Fields that a log records for good; for any other field only the newest part that mentions it counts. */
const LASTING_FIELDS: ReadonlySet<NoteField> = new Set(["completed", "decisions", "dependencies"]);

/** Fields in which a ticked box means that the matter is settled. */
const SETTLEABLE_FIELDS: ReadonlySet<NoteField> = new Set([
  "blockers",
  "questions",
  "dependencies",
]);

/** The most entries per field, because a hostile file may be long. */
const MAX_ENTRIES = 400;

function createEmptyEntries(): Record<NoteField, string[]> {
  return Object.fromEntries(
    NOTE_FIELDS.map((field): [NoteField, string[]] => [field, []]),
  ) as Record<NoteField, string[]>;
}

/**
 * Parses notes. A file of dated parts is a log: for fields that change over time, only the newest statement
 * counts.
 */
export function parseNotes(lines: readonly MarkdownLine[]): Notes {
  const fields = createEmptyEntries();
  const stated = new Set<NoteField>();
  for (const part of orderPartsByTime(lines)) {
    const reader = new PartReader();
    for (const line of part) reader.takeLine(line);
    for (const field of reader.stated) {
      if (!LASTING_FIELDS.has(field)) fields[field] = [];
      stated.add(field);
      for (const entry of reader.fields[field]) fields[field].push(entry);
    }
  }
  for (const field of stated) {
    const entries = new Set(fields[field].filter((entry) => !statesNothing(entry)));
    fields[field] = [...entries].slice(-MAX_ENTRIES);
  }
  return { fields, stated };
}

/**
 * Splits the lines at dated headings, oldest part first; lines before the first such heading form the front
 * part.
 */
export function orderPartsByTime(
  lines: readonly MarkdownLine[],
): readonly (readonly MarkdownLine[])[] {
  const parts: { readonly date: string; readonly lines: MarkdownLine[] }[] = [];
  const front: MarkdownLine[] = [];
  for (const line of lines) {
    const date = line.level > 0 && /\b(\d{4}-\d{2}-\d{2})\b/.exec(line.text)?.[1];
    if (date) parts.push({ date, lines: [] });
    (parts.at(-1)?.lines ?? front).push(line);
  }
  const newestFirst = (parts[0]?.date ?? "") > (parts.at(-1)?.date ?? "");
  const inTime = newestFirst ? parts.toReversed() : parts;
  return [front, ...inTime.map((part) => part.lines)];
}

/**
 * Matches labels that name a single entry: `Decision: …` is an entry with its name; `Decisions: …` begins a
 * field.
 */
const ENTRY_NAME_PATTERN = /^(?:decision|risk)$/i;

class PartReader {
  readonly fields = createEmptyEntries();
  readonly stated = new Set<NoteField>();
  #title = "";
  #heading: { readonly field: NoteField | null; readonly level: number } = {
    field: null,
    level: 0,
  };
  /** Bullets indented further than the label belong to it; the indent is -1 for a label on a line of its own. */
  #label: { readonly field: NoteField; readonly indent: number } | null = null;
  /** The entry that the next line may continue. */
  #open: { readonly entries: string[]; readonly indent: number } | null = null;

  takeLine(line: MarkdownLine): void {
    if (line.afterGap) this.#open = null;
    if (line.level > 0) this.#takeHeading(line);
    else if (line.isItem) this.#takeItem(line);
    else this.#takeText(line);
  }

  #takeHeading({ level, text }: MarkdownLine): void {
    this.#label = null;
    const label = parseLabel(text);
    const field = findField(label?.name ?? text);
    this.#title = text;
    // An unknown heading below a field's own heading only divides the field.
    if (field === null && this.#heading.field !== null && level > this.#heading.level) return;
    this.#heading = { field, level };
    if (field) this.#add(field, label?.value ?? "", 0);
    this.#open = null;
  }

  #takeItem({ indent, box, text }: MarkdownLine): void {
    if (this.#label && indent <= this.#label.indent) this.#label = null;
    if (
      box === null &&
      (this.#takeLabel(text, indent, indent) || this.#tryContinueEntry(text, indent))
    )
      return;
    const field = this.#resolveField();
    if (box === "done" && field !== null && SETTLEABLE_FIELDS.has(field)) this.stated.add(field);
    else if (box !== null) this.#add(resolveBoxField(box, field), text, indent);
    else if (field) this.#add(field, text, indent);
    else this.#open = null;
  }

  #takeText({ indent, text, afterGap }: MarkdownLine): void {
    if (this.#takeLabel(text, -1, indent)) return;
    const named = indent === 0 ? findField(text) : null;
    if (named) {
      this.#label = { field: named, indent: -1 };
      this.#add(named, "", indent);
      return;
    }
    if (this.#open) {
      const { entries } = this.#open;
      entries.push(`${entries.pop() ?? ""} ${text}`);
      return;
    }
    if (afterGap) this.#label = null;
    const field = this.#resolveField();
    if (field) this.#add(field, text, indent);
  }

  /** Handles a line that gives a field's value or begins the field; returns false for any other line. */
  #takeLabel(text: string, scope: number, indent: number): boolean {
    const label = parseLabel(text);
    const field = label && findField(label.name);
    if (!label || !field) return false;
    const isEntry = ENTRY_NAME_PATTERN.test(label.name);
    if (!isEntry) this.#label = { field, indent: scope };
    this.#add(field, isEntry && label.value !== "" ? this.#prefixBatch(text) : label.value, indent);
    return true;
  }

  /** Appends a reason to the decision that it stands below; returns false for any other line. */
  #tryContinueEntry(text: string, indent: number): boolean {
    const name = parseLabel(text)?.name ?? "";
    if (!this.#open || indent <= this.#open.indent || !/^(?:rationale|reason|why)$/i.test(name)) {
      return false;
    }
    const { entries } = this.#open;
    entries.push(`${entries.pop() ?? ""} — ${text}`);
    return true;
  }

  /** Prefixes a text with the batch in which it was stated. */
  #prefixBatch(text: string): string {
    return /^batch\b/i.test(this.#title) ? `[${this.#title}] ${text}` : text;
  }

  #resolveField(): NoteField | null {
    return this.#label?.field ?? this.#heading.field;
  }

  #add(field: NoteField, text: string, indent: number): void {
    this.stated.add(field);
    const entries = this.fields[field];
    this.#open = text === "" ? null : { entries, indent };
    if (text !== "") entries.push(text);
  }
}

function resolveBoxField(box: "open" | "done", field: NoteField | null): NoteField {
  if (field === "decisions") return field;
  if (box === "done") return "completed";
  return field === null || field === "completed" || field === "status" ? "openWork" : field;
}
