// Runs `ctx_memory` and `ctx_note`.
import { frameRecalledQuotes } from "../../context/frames.ts";
import { openTool } from "../../feature-api/open-tool.ts";
import type { OpenTool } from "../../feature-api/tool.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import {
  type ChangeResult,
  DEFAULT_CATEGORY,
  isActive,
  MAX_IMPORTANCE,
  MemoryActions,
  renderMemoryLine,
} from "./actions.ts";
import { renderChange, renderFinishedNotes, renderStoredAnswer } from "./change-text.ts";
import { addNote, finishNotes } from "./note-answers.ts";
import type { ProjectMemory } from "./project-memory.ts";
import type { Category } from "./record.ts";
import { memoryTool, noteTool } from "./tools.ts";

/** One list costs at most this many tokens. */
const MAX_LIST_TOKENS = 1_500;
const MAX_TITLE_CHARS = 80;

export function openTools(memory: ProjectMemory, now: () => number): readonly OpenTool[] {
  return [
    openTool(memoryTool, async ({ action, text, category, refs }, { sessionId }) => {
      const title = `${action} ${refs ?? text ?? ""}`.trim().slice(0, MAX_TITLE_CHARS);
      if (action === "list") return { title, text: await listActiveMemories(memory, category) };
      const by = { by: "model", sessionId, segment: null, nowMs: now() } as const;
      const actions = new MemoryActions(memory.store, await memory.findProject(), by);
      const said = { text: text ?? "", category, refs: refs ?? "" };
      const changed = runChange(actions, action, said);
      await memory.reload(sessionId);
      return { title, text: renderChange(changed, "model") };
    }),
    openTool(noteTool, async ({ text, for: scope, done }, { sessionId }) => {
      if (text === null && done === null) {
        throw new UserFacingError("Give a text to add, or refs of done notes.");
      }
      const { store } = memory;
      const project = await memory.findProject();
      const writer = { project, sessionId, by: "model", nowMs: now() } as const;
      const answer = runAll([
        ...(done === null ? [] : [() => renderFinishedNotes(finishNotes(store, writer, done))]),
        ...(text === null
          ? []
          : [
              () =>
                renderStoredAnswer(addNote(store, writer, { text, scope: scope ?? "session" }).ref),
            ]),
      ]);
      await memory.reload(sessionId);
      return { title: (text ?? done ?? "").slice(0, MAX_TITLE_CHARS), text: answer };
    }),
  ];
}

interface MemoryToolInput {
  readonly text: string;
  readonly category: Category | null;
  readonly refs: string;
}

function runChange(
  actions: MemoryActions,
  action: "write" | "update" | "archive" | "merge",
  { text, category, refs }: MemoryToolInput,
): ChangeResult {
  const kind = category === null ? {} : { category };
  switch (action) {
    case "write": {
      const ordinary = { importance: MAX_IMPORTANCE.model, permanence: "ordinary" } as const;
      return actions.write({ ...ordinary, category: category ?? DEFAULT_CATEGORY, text });
    }
    case "update":
      if (text === "" && category === null) {
        throw new UserFacingError("Nothing to change: give a text, a category or both.");
      }
      return actions.edit(refs, text === "" ? kind : { ...kind, text });
    case "archive":
      return actions.archive(refs);
    case "merge":
      return actions.merge(refs, { ...kind, text });
  }
}

/** Lists the project's active memories, as many as fit. */
async function listActiveMemories(
  memory: ProjectMemory,
  category: Category | null,
): Promise<string> {
  const { id } = await memory.findProject();
  const all = memory.store.list(id).filter(isActive);
  const asked = all.filter((one) => category === null || one.category === category);
  if (asked.length === 0) return "There are no memories of this kind.";
  const lines = asked.map(renderMemoryLine);
  const renderFirst = (count: number) => frameRecalledQuotes(lines.slice(0, count));
  let count = lines.length;
  while (count > 1 && estimateTokens(renderFirst(count)) > MAX_LIST_TOKENS) count -= 1;
  const rest = lines.length - count;
  return rest === 0 ? renderFirst(count) : `${renderFirst(count)}\n${rest} more; ask by category.`;
}

/** Runs all tasks; if one is refused, the others still run. @throws UserFacingError if all are refused */
function runAll(tasks: readonly (() => string)[]): string {
  let refused = 0;
  const said = tasks.map((task) => {
    try {
      return task();
    } catch (error) {
      if (!(error instanceof UserFacingError)) throw error;
      refused += 1;
      return error.message;
    }
  });
  if (refused === tasks.length) throw new UserFacingError(said.join(" "));
  return said.join(" ");
}
