// Brings what a Markdown file says into a project's memories.
import { toSingleLine } from "../../context/neutralize.ts";
import type { Project } from "../../project/project.ts";
import type { ReadLine, WrittenMemory } from "./markdown.ts";
import { MAX_FROM_MODEL, type Memory, type MemoryChange } from "./record.ts";
import type { MemoryStore } from "./sqlite-store.ts";
import { cleanText, MAX_MEMORY_CHARS, MAX_NOTE_CHARS, refusalText } from "./text.ts";

interface ImportResult {
  readonly added: number;
  readonly changed: number;
  /** Counts the lines that the project knows already, word for word. */
  readonly unchanged: number;
  readonly notes: number;
  /** Each refused line, with the reason. */
  readonly refused: readonly string[];
}

/** Line by line: one that is refused costs no other. */
export function importMemories(
  store: MemoryStore,
  project: Project,
  lines: readonly ReadLine[],
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
        `"${toSingleLine(renderRejected(text, cleaned.why))}": ${refusalText(cleaned.why, most)}`,
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

/** A secret is not repeated. */
function renderRejected(text: string, why: string): string {
  return why === "secret" ? "…" : text.slice(0, 60);
}

function importMemory(
  store: MemoryStore,
  project: Project,
  line: WrittenMemory,
  nowMs: number,
): "added" | "changed" | "unchanged" {
  const { source } = line;
  const most = source === "user" ? 100 : MAX_FROM_MODEL;
  const wording = { ...line.wording, importance: Math.min(line.wording.importance, most) };
  const origin = { sessionId: null, segment: null } as const;
  const known = line.ref && store.find(project.id, line.ref);
  if (known && known.state.kind !== "superseded") {
    const changes = changesTo(known, { ...line, wording });
    if (changes.length === 0) return "unchanged";
    // The author is `import`, whoever wrote the memory first: a person has changed it in the file.
    store.apply(project.id, changes, { ...origin, by: "import", nowMs });
    return "changed";
  }
  const writtenAtMs = line.writtenAtMs ?? nowMs;
  const by = { ...origin, by: line.by, nowMs: writtenAtMs };
  // An archived one takes nothing away that is known to be true.
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

function changesTo(known: Memory, { wording, state }: WrittenMemory): readonly MemoryChange[] {
  const { id } = known;
  const isSaid =
    known.text === wording.text &&
    known.category === wording.category &&
    known.importance === wording.importance &&
    known.permanence === wording.permanence;
  const edits: readonly MemoryChange[] = isSaid ? [] : [{ kind: "edit", id, wording }];
  // A memory that was confirmed stays confirmed.
  if (known.state.kind === state || state === "candidate") return edits;
  return [...edits, { kind: state === "active" ? "restore" : "archive", id }];
}
