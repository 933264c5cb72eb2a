// The store of memories, notes and workspaces in the runtime's own database.
import type { Driver } from "../storage/driver.ts";
import { applyChange } from "./sqlite-changes.ts";
import { noteRows } from "./sqlite-notes.ts";
import { projectRows } from "./sqlite-projects.ts";
import { membersOf, memoryOf, ownMemories, readableMemories, refsToOne } from "./sqlite-rows.ts";
import type { Change, MemoryStore } from "./store.ts";

/** Each connection counts by itself: what two of them say is never the same. */
const OPENING = 2 ** 32;
let openings = 0;

/** For `RuntimeDatabase.store`. Everything is done at once; the promises are the interface's. */
export function sqliteMemoryStore(driver: Driver): MemoryStore {
  openings += 1;
  const opening = openings * OPENING;
  let writes = 0;
  const written = <Result>(body: () => Result): Result => {
    writes += 1;
    return driver.transaction(body);
  };
  const projects = projectRows(driver);
  const notes = noteRows(driver);
  return {
    version: () => opening + writes + Number(driver.get("PRAGMA data_version")?.data_version),
    enter: async (project, nowMs) => written(() => projects.enter(project, nowMs)),
    knownAt: async (worktree) => projects.knownAt(worktree),
    readable: async (project, count) => readableMemories(driver, project, count),
    list: async (project) => ownMemories(driver, project),
    find: async (project, ref) => memoryOf(driver, project, ref),
    members: async (project) => membersOf(driver, project),
    apply: async (project, changes, by: Change) =>
      written(() => changes.map((change) => applyChange(driver, project, change, by))),
    async used(ids, nowMs) {
      // What is counted changes nothing that is shown.
      driver.transaction(() => {
        for (const id of ids) driver.run(COUNT_USE, nowMs, id);
      });
    },
    forget: async (project, id) =>
      written(() => {
        const all = refsToOne(driver, project, id);
        driver.run(FORGET, project, id);
        return all > 0;
      }),
    forgetProject: async (project) =>
      written(() => {
        projects.leave(project);
        driver.run("DELETE FROM memory_project WHERE id = ?", project);
      }),
    openNotes: async (project, sessionId) => notes.open(project, sessionId),
    addNote: async (note, nowMs) => written(() => notes.add(note, nowMs)),
    finishNote: async (project, sessionId, ref, nowMs) =>
      written(() => notes.finish(project, sessionId, ref, nowMs)),
    workspaceOf: async (project) => projects.workspaceOf(project),
    workspaces: async () => projects.workspaces(),
    createWorkspace: async (name, nowMs) => written(() => projects.create(name, nowMs)),
    joinWorkspace: async (project, name, shares, nowMs) =>
      written(() => projects.join(project, { name, shares }, nowMs)),
    leaveWorkspace: async (project) => written(() => projects.leave(project)),
  };
}

const COUNT_USE = "UPDATE memory SET uses = uses + 1, used_at_ms = ? WHERE id = ?";

/** What it supersedes goes by cascade. */
const FORGET = "DELETE FROM memory WHERE project = ? AND id = ?";
