// The project that a command of the shell is about.
import type { ShellCall } from "../features/shell-word.ts";
import { projectOf } from "./identity.ts";
import type { Project } from "./record.ts";
import { sqliteMemoryStore } from "./sqlite-store.ts";
import type { MemoryStore } from "./store.ts";

export async function openProject({
  driver,
  directory,
  nowMs,
}: ShellCall): Promise<{ readonly store: MemoryStore; readonly project: Project }> {
  const store = sqliteMemoryStore(driver);
  const project = await projectOf(directory, (worktree) => store.knownAt(worktree));
  await store.enter(project, nowMs);
  return { store, project };
}
