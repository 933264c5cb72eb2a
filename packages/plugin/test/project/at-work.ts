// Projects as contexts of tests have them: found in a folder, or known from the start.
import { createKnownProject, type KnownProject } from "../../src/project/known-project.ts";
import type { HostProjectName, Project, ProjectId } from "../../src/project/project.ts";
import { createProjectStore, type ProjectStore } from "../../src/project/store.ts";
import type { RuntimeDatabase } from "../../src/storage/database.ts";

export const HOST_NAME = "project" as HostProjectName;

export const projectIn = (directory: string, store: () => ProjectStore, now: () => number) =>
  createKnownProject({ directory, hostName: HOST_NAME }, store, now);

/** The same, over whatever database is open then. */
export const projectOver = (
  directory: string,
  current: () => RuntimeDatabase,
  now: () => number = () => 1,
) => projectIn(directory, () => current().store(createProjectStore), now);

/** One that nobody has to look for. */
export function alreadyKnown(id: string): KnownProject {
  const project = { id: id as ProjectId, name: id, worktree: "/work" };
  return {
    known: project.id,
    id: async () => project.id,
    get: async () => project,
    looked: async () => project,
    whenFound: (found: (project: Project) => void) => found(project),
    whenLeft: () => undefined,
    leave: () => undefined,
  } as unknown as KnownProject;
}
