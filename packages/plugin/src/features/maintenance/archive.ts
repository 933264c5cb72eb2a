// Archive: what is old and unused, or about files that are gone, goes out of view.
import type { Memory } from "../memory/record.ts";
import {
  chunks,
  composeQuestion,
  daysSince,
  memoryNamed,
  namedPaths,
  type ProjectState,
  section,
  shownMemory,
  type Task,
  toRejection,
} from "./task.ts";

const MAX_MEMORIES = 40;
/** Neither changed nor used for so long. */
const STALE_DAYS = 90;

export const archive: Task = {
  name: "archive",
  inspect(state) {
    const stale = state.memories.filter(
      (memory) =>
        memory.permanence === "ordinary" &&
        !state.fresh.has(memory.id) &&
        (isUnused(memory, state.nowMs) || lostFiles(memory, state.files).length > 0),
    );
    return chunks(stale, MAX_MEMORIES).map((memories) => ({ memories, groups: [], paths: [] }));
  },
  question: ({ memories, files, nowMs }) =>
    composeQuestion(TASK, [
      section(
        "memories",
        memories.map((memory) => ({
          ...shownMemory(memory, nowMs),
          daysSinceUse: memory.usedAtMs === null ? "never used" : daysSince(memory.usedAtMs, nowMs),
          filesGone: lostFiles(memory, files),
        })),
      ),
    ]),
  check(said, asked) {
    if (said.do !== "archive")
      return toRejection("not_of_this_task", "ref" in said ? said.ref : "");
    const memory = memoryNamed(asked, said.ref);
    if (!memory) return toRejection("unknown_memory", said.ref);
    return { kind: "archive", id: memory.id, why: said.why };
  },
};

const TASK = `The memories below are old and were not used for long, or name files that are gone. Archive those that are about something that is over or gone, a passing state, a task that is done, or a file that is not there any more: {"do": "archive", "ref": "m:…", "why": "…"}. A rule, a reason or a value that may hold still stays: leave it out of your answer.`;

function isUnused(memory: Memory, nowMs: number): boolean {
  const lastMs = Math.max(memory.changedAtMs, memory.checkedAtMs, memory.usedAtMs ?? 0);
  return daysSince(lastMs, nowMs) >= STALE_DAYS;
}

function lostFiles({ text }: Memory, files: ProjectState["files"]): readonly string[] {
  return namedPaths(text).filter((path) => files.get(path) === "gone");
}
