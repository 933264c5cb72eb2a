// Projects as houses of tests have them: found in a folder, or known from the start.
import { KnownProject, projectAtWork } from "../../src/project/known-project.ts";
import type { HostProject, ProjectId } from "../../src/project/project.ts";
import { type ProjectStore, projectStore } from "../../src/project/store.ts";
import type { RuntimeDatabase } from "../../src/storage/store.ts";

export const HOST_NAME = "project" as HostProject;

export const projectIn = (directory: string, store: () => ProjectStore, now: () => number) =>
  projectAtWork({ directory, hostName: HOST_NAME }, store, now);

/** The same, over whatever database is open then. */
export const projectOver = (
  directory: string,
  current: () => RuntimeDatabase,
  now: () => number = () => 1,
) => projectIn(directory, () => current().store(projectStore), now);

/** One that nobody has to look for. */
export function alreadyKnown(id: string): KnownProject {
  const project = { id: id as ProjectId, name: id, worktree: "/work" };
  const store = { worktreeOf: () => project.worktree } as unknown as ProjectStore;
  return new KnownProject(
    () => store,
    async () => project,
  );
}
