// The project that a command of the shell is about.
import { type ShellAnswer, type ShellCall, ShellMisuse } from "../features/shell-word.ts";
import { Refused } from "./answers.ts";
import { projectOf } from "./identity.ts";
import type { Project } from "./record.ts";
import { sqliteMemoryStore } from "./sqlite-store.ts";
import type { MemoryStore } from "./store.ts";

/** Runs a word's action on the project of its folder; what the action refuses is the user's mistake. */
export async function onProject(
  call: ShellCall,
  action: (call: ShellCall, store: MemoryStore, project: Project) => Promise<ShellAnswer>,
): Promise<ShellAnswer> {
  const { store, project } = await openProject(call);
  try {
    return await action(call, store, project);
  } catch (error) {
    throw error instanceof Refused ? new ShellMisuse(error.message) : error;
  }
}

async function openProject({
  driver,
  directory,
  nowMs,
}: ShellCall): Promise<{ readonly store: MemoryStore; readonly project: Project }> {
  const store = sqliteMemoryStore(driver);
  const project = await projectOf(directory, (worktree) => store.knownAt(worktree));
  await store.enter(project, nowMs);
  return { store, project };
}
