// The project that a command of the shell is about.
import type { ShellAnswer, ShellCall } from "../features/shell-word.ts";
import { projectOf } from "./identity.ts";
import type { Project } from "./record.ts";
import { sqliteMemoryStore } from "./sqlite-store.ts";
import type { MemoryStore } from "./store.ts";

/** Runs a word's action on the project of its folder. */
export async function onProject(
  call: ShellCall,
  action: (call: ShellCall, store: MemoryStore, project: Project) => Promise<ShellAnswer>,
): Promise<ShellAnswer> {
  const { driver, directory, nowMs } = call;
  const store = sqliteMemoryStore(driver);
  const project = await projectOf(directory, (worktree) => store.knownAt(worktree));
  await store.enter(project, nowMs);
  return action(call, store, project);
}
