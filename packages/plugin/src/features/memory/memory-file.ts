// Implements `session-runtime memory export` and `import`: a project's memories as a Markdown file.
import { readFileSync, writeFileSync } from "node:fs";
import { toSingleLine } from "../../context/frames.ts";
import type { CliAnswer } from "../../feature-api/command.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { Project } from "../../project/project.ts";
import { renderCount } from "../../status/wording.ts";
import { MAX_IMPORTANCE } from "./actions.ts";
import { fromMarkdown, type ParsedLine, type ParsedMemory, toMarkdown } from "./markdown.ts";
import { MAX_MODEL_IMPORTANCE, type Memory, type MemoryChange } from "./record.ts";
import type { MemoryStore } from "./sqlite-store.ts";
import { cleanText, describeRefusal, MAX_MEMORY_CHARS, MAX_NOTE_CHARS } from "./text.ts";

// Imports the lines of a Markdown file into a project's memories and notes.

interface ImportResult {
  readonly added: number;
  readonly changed: number;
  /** The number of lines that the project knows already, word for word. */
  readonly unchanged: number;
  readonly notes: number;
  /** Each refused line, with the reason. */
  readonly refused: readonly string[];
}

/** Imports line by line; a refused line doesn't affect the others. */
export function importMemories(
  store: MemoryStore,
  project: Project,
  lines: readonly ParsedLine[],
  nowMs: number,
): ImportResult {
  const counts = { added: 0, changed: 0, unchanged: 0, notes: 0 };
  const refused: string[] = [];
  const noted = new Set(store.openNotes(project.id, null).map(({ text }) => text));
  for (const line of lines) {
    const [text, most] =
      line.kind === "note" ? [line.text, MAX_NOTE_CHARS] : [line.wording.text, MAX_MEMORY_CHARS];
    const cleaned = cleanText(text, most);
    if (cleaned.kind === "refused") {
      refused.push(
        `"${toSingleLine(renderRejection(text, cleaned.why))}": ${describeRefusal(cleaned.why, most)}`,
      );
    } else if (line.kind === "note") {
      if (noted.has(cleaned.text)) continue;
      const note = { project: project.id, sessionId: null, text: cleaned.text } as const;
      store.addNote({ ...note, by: "import" }, nowMs);
      counts.notes += 1;
    } else {
      const wording = { ...line.wording, text: cleaned.text };
      counts[importMemory(store, project, { ...line, wording }, nowMs)] += 1;
    }
  }
  return { ...counts, refused };
}

/** Quotes the beginning of a refused text, unless the text holds a secret. */
function renderRejection(text: string, why: string): string {
  return why === "secret" ? "…" : text.slice(0, 60);
}

function importMemory(
  store: MemoryStore,
  project: Project,
  line: ParsedMemory,
  nowMs: number,
): "added" | "changed" | "unchanged" {
  const { source } = line;
  const most = source === "user" ? 100 : MAX_MODEL_IMPORTANCE;
  const wording = { ...line.wording, importance: Math.min(line.wording.importance, most) };
  const origin = { sessionId: null, segment: null } as const;
  const known = line.ref && store.find(project.id, line.ref);
  if (known && known.state.kind !== "superseded") {
    const changes = listChanges(known, { ...line, wording });
    if (changes.length === 0) return "unchanged";
    // The author is `import`, no matter who wrote the memory, because a person has changed it in the file.
    store.apply(project.id, changes, { ...origin, by: "import", nowMs });
    return "changed";
  }
  const writtenAtMs = line.writtenAtMs ?? nowMs;
  const by = { ...origin, by: line.by, nowMs: writtenAtMs };
  // A memory with the same text stays as it is: an archived line must not archive it.
  const all = store.list(project.id);
  const twin = all.find((one) => one.text === wording.text && one.state.kind !== "superseded");
  if (twin) return "unchanged";
  const state = line.state === "candidate" ? "candidate" : "active";
  const learnt = { kind: "learn", wording, source, state, segment: null } as const;
  const [outcome] = store.apply(project.id, [learnt], by);
  if (outcome?.kind !== "done") return "unchanged";
  if (line.state === "archived") {
    store.apply(project.id, [{ kind: "archive", id: outcome.memory.id }], by);
  }
  return "added";
}

function listChanges(known: Memory, { wording, state }: ParsedMemory): readonly MemoryChange[] {
  const { id } = known;
  const isSaid =
    known.text === wording.text &&
    known.category === wording.category &&
    known.importance === wording.importance &&
    known.permanence === wording.permanence;
  const edits: readonly MemoryChange[] = isSaid ? [] : [{ kind: "edit", id, wording }];
  // A confirmed memory stays confirmed, even if the file lists it as a candidate.
  if (known.state.kind === state || state === "candidate") return edits;
  return [...edits, { kind: state === "active" ? "restore" : "archive", id }];
}

interface ExportTarget {
  /** The path of the file to write; null to print the Markdown instead. */
  readonly file: string | null;
  /** What happens to an existing file with other content, such as an edited export. */
  readonly existing: "kept" | "overwritten";
}

/** @throws UserFacingError */
export function exportMemories(
  store: MemoryStore,
  project: Project,
  { file, existing }: ExportTarget,
): CliAnswer {
  const memories = store.list(project.id);
  const markdown = toMarkdown(project.name, memories, store.openNotes(project.id, null));
  if (file === null) return { text: markdown, values: { markdown } };
  writeMarkdown(file, markdown, existing);
  return { text: `Wrote ${file}.`, values: { file } };
}

/** @throws UserFacingError */
function writeMarkdown(file: string, markdown: string, existing: ExportTarget["existing"]): void {
  const flag = existing === "kept" ? "wx" : "w";
  try {
    // A new file is as private as the database; an existing one keeps its mode.
    writeFileSync(file, markdown, { mode: 0o600, flag });
  } catch (error) {
    const code = toErrorCode(error);
    if (code !== "EEXIST")
      throw new UserFacingError(
        `${file} can't be written (${code}): check its folder and permissions, or name another file.`,
      );
    if (readText(file) === markdown) return;
    throw new UserFacingError(
      `${file} already exists with other content. Import it with memory import, or overwrite it with --force.`,
    );
  }
}

/** @throws UserFacingError */
export function importFile(
  store: MemoryStore,
  project: Project,
  file: string | null,
  nowMs: number,
): CliAnswer {
  if (file === null) throw new UserFacingError("Name the file to import.");
  const defaults = { importance: MAX_IMPORTANCE.user, by: "import" } as const;
  const lines = fromMarkdown(readText(file), defaults);
  const values = importMemories(store, project, lines, nowMs);
  const { added, changed: edited, unchanged, notes, refused } = values;
  const summary = `Added ${added}, changed ${edited}, left ${unchanged} as they are; ${renderCount(notes, "new note")}.`;
  return { text: [summary, ...refused].join("\n"), values };
}

/** @throws UserFacingError */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserFacingError(
      `${file} can't be read (${toErrorCode(error)}): check the path and its permissions.`,
    );
  }
}

function toErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no reason given";
}
