// The project that a command of the shell is about.
import type { ShellAnswer, ShellCall } from "../../features/shell-word.ts";
import { enterProject } from "../../project/find-project.ts";
import type { Project } from "../../project/project.ts";
import { type MemoryStore, sqliteMemoryStore } from "./sqlite-store.ts";

/** Runs a word's action on the project of its folder. */
export async function onProject(
  call: ShellCall,
  action: (
    call: ShellCall,
    store: MemoryStore,
    project: Project,
  ) => ShellAnswer | Promise<ShellAnswer>,
): Promise<ShellAnswer> {
  const { driver, directory, nowMs } = call;
  const store = sqliteMemoryStore(driver);
  return action(call, store, await enterProject(store, directory, nowMs));
}
