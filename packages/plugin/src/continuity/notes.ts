// Reads a notes file into fields; of a dated log, the newest part.
import { fieldOf, type NoteField } from "./fields.ts";
import { isNothing } from "./nothing.ts";
import { labelOf, type OutlineLine, outline } from "./outline.ts";

/** What a file of notes states, by field, as it is written there. */
export interface Notes {
  readonly fields: Readonly<Record<NoteField, readonly string[]>>;
  /** Fields that the file has a place for, be it to say that there is nothing. */
  readonly stated: ReadonlySet<NoteField>;
}

/** Most entries that are taken of one field. */
const MOST_ENTRIES = 400;

/** Of a log these hold what is true now, so that only its newest part that has them counts. */
const PRESENT: ReadonlySet<NoteField> = new Set<NoteField>([
  "objective",
  "focus",
  "step",
  "status",
  "openWork",
  "pendingTests",
  "blockers",
  "questions",
  "nextActions",
]);

/** Most dated parts of a log that are looked at: the newest. */
const MOST_PARTS = 400;

/** Fields in which a ticked box means that the matter is settled. */
const SETTLED: ReadonlySet<NoteField> = new Set<NoteField>([
  "blockers",
  "questions",
  "dependencies",
]);

const NO_ENTRIES = (): Record<NoteField, string[]> => ({
  objective: [],
  focus: [],
  step: [],
  status: [],
  openWork: [],
  completed: [],
  decisions: [],
  pendingTests: [],
  blockers: [],
  questions: [],
  dependencies: [],
  nextActions: [],
});

export const noNotes: Notes = { fields: NO_ENTRIES(), stated: new Set() };

/**
 * Reads a file of notes: fields under headings, behind labels, as bullets or boxes. A file of dated
 * parts is a log, and of what is true at one time only the newest statement counts.
 */
export function parseNotes(text: string): Notes {
  const fields = NO_ENTRIES();
  const stated = new Set<NoteField>();
  for (const part of partsInTime(outline(text))) {
    const reader = new PartReader();
    for (const line of part) reader.take(line);
    for (const field of reader.stated) {
      if (PRESENT.has(field)) fields[field] = [];
      stated.add(field);
    }
    for (const [field, entries] of Object.entries(reader.fields)) {
      fields[field as NoteField].push(...entries);
    }
  }
  const clean = Object.entries(fields).map(([field, entries]) => [
    field,
    [...new Set(entries)].filter((entry) => !isNothing(entry)).slice(-MOST_ENTRIES),
  ]);
  return { fields: Object.fromEntries(clean), stated };
}

/** The parts under dated headings, oldest first; what stands before the first of them goes in front. */
export function partsInTime(lines: readonly OutlineLine[]): readonly (readonly OutlineLine[])[] {
  const parts: { readonly date: string; readonly lines: OutlineLine[] }[] = [];
  const front: OutlineLine[] = [];
  for (const line of lines) {
    const date = line.kind === "heading" ? /\b(\d{4}-\d{2}-\d{2})\b/.exec(line.text)?.[1] : null;
    if (date) parts.push({ date, lines: [] });
    (parts.at(-1)?.lines ?? front).push(line);
  }
  const first = parts[0]?.date ?? "";
  const newestFirst = first > (parts.at(-1)?.date ?? "");
  const inTime = newestFirst ? parts.toReversed() : parts;
  return [front, ...inTime.slice(-MOST_PARTS).map((part) => part.lines)];
}

/** What following lines belong to. */
interface Place {
  readonly field: NoteField | null;
  /** Of a heading; null for a label. */
  readonly level: number | null;
  /** Of a label's bullet: deeper bullets belong to it. -1 for a label on a line of its own. */
  readonly indent: number;
}

const NOWHERE: Place = { field: null, level: null, indent: -1 };

class PartReader {
  readonly fields = NO_ENTRIES();
  readonly stated = new Set<NoteField>();
  #heading: Place = NOWHERE;
  #title = "";
  #label: Place | null = null;
  /** Whether the line before can go on in this one. */
  #open: { readonly entries: string[]; readonly indent: number } | null = null;
  #blank = false;

  take(line: OutlineLine): void {
    switch (line.kind) {
      case "blank":
        this.#blank = true;
        this.#open = null;
        return;
      case "heading":
        this.#takeHeading(line);
        break;
      case "item":
        this.#takeItem(line);
        break;
      case "text":
        this.#takeText(line);
        break;
    }
    this.#blank = false;
  }

  #takeHeading({ level, text }: OutlineLine & { readonly kind: "heading" }): void {
    this.#label = null;
    this.#open = null;
    const label = labelOf(text);
    const field = fieldOf(label?.name ?? text);
    const { level: above, field: current } = this.#heading;
    this.#title = text;
    // A heading below a field's own, of no meaning to us, divides the field.
    if (field === null && current !== null && above !== null && level > above) return;
    this.#heading = { field, level, indent: -1 };
    if (field) this.#add(field, label?.value ?? "");
  }

  #takeItem({ indent, box, text }: OutlineLine & { readonly kind: "item" }): void {
    if (this.#label && indent <= this.#label.indent) this.#label = null;
    const label = labelOf(text);
    const named = label && box === null ? fieldOf(label.name) : null;
    if (label && named) {
      const single = isEntryName(label.name);
      if (!single) this.#label = { field: named, level: null, indent };
      this.#add(named, single && label.value !== "" ? this.#entry(text) : label.value, indent);
      return;
    }
    if (label && this.#goesOn(label.name, text, indent)) return;
    const field = this.#label?.field ?? this.#heading.field;
    if (box === null) {
      if (field) this.#add(field, text, indent);
      else this.#open = null;
      return;
    }
    const settled = box === "done" && field !== null && SETTLED.has(field);
    if (settled) this.#stated(field);
    else this.#add(boxField(box, field), text, indent);
  }

  #takeText({ indent, text }: OutlineLine & { readonly kind: "text" }): void {
    const label = labelOf(text);
    const field = fieldOf(label?.name ?? text);
    if (field && (label || indent === 0)) {
      const single = label !== null && isEntryName(label.name);
      if (!single) this.#label = { field, level: null, indent: -1 };
      this.#add(field, label && single ? this.#entry(text) : (label?.value ?? ""), indent);
      return;
    }
    if (this.#open && !this.#blank) {
      const { entries } = this.#open;
      entries.push(`${entries.pop() ?? ""} ${text}`.trim());
      return;
    }
    if (this.#blank) this.#label = null;
    const current = this.#label?.field ?? this.#heading.field;
    if (current) this.#add(current, text, indent);
  }

  /** A reason below a decision is part of it. */
  #goesOn(name: string, text: string, indent: number): boolean {
    if (!this.#open || indent <= this.#open.indent || !/^(?:rationale|reason|why)$/i.test(name)) {
      return false;
    }
    const { entries } = this.#open;
    entries.push(`${entries.pop() ?? ""} — ${text}`);
    return true;
  }

  /** With the batch that it was said in. */
  #entry(text: string): string {
    return /^batch\b/i.test(this.#title) ? `[${this.#title}] ${text}` : text;
  }

  #stated(field: NoteField): void {
    this.stated.add(field);
  }

  #add(field: NoteField, text: string, indent = 0): void {
    this.#stated(field);
    const entries = this.fields[field];
    this.#open = { entries, indent };
    if (text === "") this.#open = null;
    else if (entries.length < MOST_ENTRIES * 4) entries.push(text);
    else this.#open = null;
  }
}

/** `Decision: …` is one entry with its name; `Decisions: …` begins a field. */
function isEntryName(name: string): boolean {
  return /^(?:decision|risk)$/i.test(name.trim());
}

function boxField(box: "open" | "done", field: NoteField | null): NoteField {
  if (field === "decisions") return field;
  if (box === "done") return "completed";
  return field === null || field === "completed" || field === "status" ? "openWork" : field;
}
