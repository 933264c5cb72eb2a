// Defines the archive task: memories that are old and unused, or about files that are gone, are archived.
import type { Memory } from "../memory/record.ts";
import {
  composeQuestion,
  countDaysSince,
  findMemory,
  findNamedPaths,
  type ProjectState,
  renderMemory,
  renderSection,
  splitIntoChunks,
  type Task,
  toRejection,
} from "./task.ts";

const MAX_ARCHIVE_MEMORIES = 40;
/** A memory is stale if it has been neither changed nor used for this many days. */
const STALE_DAYS = 90;

export const archiveTask: Task = {
  name: "archive",
  inspect(state) {
    const stale = state.memories.filter(
      (memory) =>
        memory.permanence === "ordinary" &&
        !state.fresh.has(memory.id) &&
        (isUnused(memory, state.nowMs) || findMissingFiles(memory, state.files).length > 0),
    );
    return splitIntoChunks(stale, MAX_ARCHIVE_MEMORIES).map((memories) => ({
      memories,
      groups: [],
      paths: [],
    }));
  },
  question: ({ memories, files, nowMs }) =>
    composeQuestion(ARCHIVE_PROMPT, [
      renderSection(
        "memories",
        memories.map((memory) => ({
          ...renderMemory(memory, nowMs),
          daysSinceUse:
            memory.usedAtMs === null ? "never used" : countDaysSince(memory.usedAtMs, nowMs),
          filesGone: findMissingFiles(memory, files),
        })),
      ),
    ]),
  check(said, asked) {
    if (said.do !== "archive")
      return toRejection("not_of_this_task", "ref" in said ? said.ref : "");
    const memory = findMemory(asked, said.ref);
    if (!memory) return toRejection("unknown_memory", said.ref);
    return { kind: "archive", id: memory.id, why: said.why };
  },
};

const ARCHIVE_PROMPT = `The memories below are old and were not used for long, or name files that are gone. Archive those that are about something that is over or gone, a passing state, a task that is done, or a file that is not there any more: {"do": "archive", "ref": "m:…", "why": "…"}. A rule, a reason or a value that may hold still stays: leave it out of your answer.`;

function isUnused(memory: Memory, nowMs: number): boolean {
  const lastMs = Math.max(memory.changedAtMs, memory.checkedAtMs, memory.usedAtMs ?? 0);
  return countDaysSince(lastMs, nowMs) >= STALE_DAYS;
}

function findMissingFiles({ text }: Memory, files: ProjectState["files"]): readonly string[] {
  return findNamedPaths(text).filter((path) => files.get(path) === "gone");
}
