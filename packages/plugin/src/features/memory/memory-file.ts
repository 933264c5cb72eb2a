// `session-runtime memory export` and `import`: a project's memories in a file of Markdown.
import { readFileSync, writeFileSync } from "node:fs";
import type { CliAnswer } from "../../feature-api/cli-command.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { Project } from "../../project/project.ts";
import { counted } from "../../status/wording.ts";
import { IMPORTANCE } from "./actions.ts";
import { importMemories } from "./import-memories.ts";
import { fromMarkdown, toMarkdown } from "./markdown.ts";
import type { MemoryStore } from "./sqlite-store.ts";

interface Target {
  /** The file to write; null to print instead. */
  readonly file: string | null;
  /** Decides about a file that exists with other content: an edited export, perhaps. */
  readonly existing: "kept" | "overwritten";
}

/** @throws UserFacingError */
export function exportTo(
  store: MemoryStore,
  project: Project,
  { file, existing }: Target,
): CliAnswer {
  const memories = store.list(project.id);
  const markdown = toMarkdown(project.name, memories, store.openNotes(project.id, null));
  if (file === null) return { text: markdown, values: { markdown } };
  write(file, markdown, existing);
  return { text: `Wrote ${file}.`, values: { file } };
}

/** @throws UserFacingError */
function write(file: string, markdown: string, existing: Target["existing"]): void {
  const flag = existing === "kept" ? "wx" : "w";
  try {
    // Memories are private as the database is; a file that is there keeps its own mode.
    writeFileSync(file, markdown, { mode: 0o600, flag });
  } catch (error) {
    const code = errorCode(error);
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
export function importFrom(
  store: MemoryStore,
  project: Project,
  file: string | null,
  nowMs: number,
): CliAnswer {
  if (file === null) throw new UserFacingError("Name the file to import.");
  const defaults = { importance: IMPORTANCE.user, by: "import" } as const;
  const lines = fromMarkdown(readText(file), defaults);
  const values = importMemories(store, project, lines, nowMs);
  const { added, changed: edited, unchanged, notes, refused } = values;
  const said = `Added ${added}, changed ${edited}, left ${unchanged} as they are; ${counted(notes, "new note")}.`;
  return { text: [said, ...refused].join("\n"), values };
}

/** @throws UserFacingError */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserFacingError(
      `${file} can't be read (${errorCode(error)}): check the path and its permissions.`,
    );
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no reason given";
}
