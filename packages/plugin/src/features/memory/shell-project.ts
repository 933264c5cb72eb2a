// The project that a command of the shell is about.
import type { CliAnswer, CliCall } from "../../feature-api/cli-command.ts";
import { enterProject, findProject } from "../../project/find-project.ts";
import type { Project } from "../../project/project.ts";
import { StorageError } from "../../storage/errors.ts";
import { type MemoryStore, sqliteMemoryStore } from "./sqlite-store.ts";

/** Runs a word's action on the project of its folder. */
export async function onProject(
  call: CliCall,
  action: (call: CliCall, store: MemoryStore, project: Project) => CliAnswer | Promise<CliAnswer>,
): Promise<CliAnswer> {
  const { driver, directory, nowMs } = call;
  const store = sqliteMemoryStore(driver);
  return action(call, store, await projectHere(store, directory, nowMs));
}

/** Without write access the project stays as it is known: what is stored is read, and a change is refused as ever. */
async function projectHere(store: MemoryStore, directory: string, nowMs: number): Promise<Project> {
  try {
    return await enterProject(store, directory, nowMs);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "read_only") throw error;
    return findProject(directory, store);
  }
}
