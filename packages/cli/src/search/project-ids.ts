// Finds which project a folder belongs to, as the plugin does.
import { existsSync } from "node:fs";
import { GitFailure } from "@session-runtime/opencode/project/ask-git";
import type { KnownPlaces } from "@session-runtime/opencode/project/find-project";
import { type ProjectId, toCommitId, toFolderId } from "@session-runtime/opencode/project/project";
import { createProjectStore } from "@session-runtime/opencode/project/store";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import { openForReading } from "@session-runtime/opencode/storage/open-existing";
import { schema } from "../database/schema.ts";
import type { HostSession } from "../host-history/whole-sessions.ts";

const NOWHERE: KnownPlaces = {
  knownAt: () => null,
  readRemotes: () => [],
  readWorktree: () => null,
};

/** Runs `work` with the folders that the runtime's database knows; with none where it can't be read. */
export async function withPlaces<Result>(
  path: string,
  work: (places: KnownPlaces) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(path)) return work(NOWHERE);
  try {
    const driver = await openForReading(path, schema);
    try {
      return await work(createProjectStore(driver));
    } finally {
      driver.close();
    }
  } catch (error) {
    if (error instanceof StorageError) return work(NOWHERE);
    throw error;
  }
}

/** Maps folders to projects; `silent` where git gave no answer. */
export type FolderProjects = ReadonlyMap<string, ProjectId | "silent">;

/** Finds the projects of the folders in which the host's sessions worked. `ask` gets existing folders only. */
export async function findProjects(
  sessions: readonly Pick<HostSession, "directory" | "repository">[],
  ask: (directory: string) => Promise<ProjectId>,
): Promise<FolderProjects> {
  const projects = new Map<string, ProjectId | "silent">();
  for (const { directory, repository } of sessions) {
    if (projects.has(directory)) continue;
    projects.set(
      directory,
      existsSync(directory) ? await answerIn(directory, ask) : idOfGone(directory, repository),
    );
  }
  return projects;
}

async function answerIn(directory: string, ask: (directory: string) => Promise<ProjectId>) {
  try {
    return await ask(directory);
  } catch (error) {
    if (error instanceof GitFailure) return "silent";
    throw error;
  }
}

/** Derives the id of a folder that is gone from its repository's first commit, by which the host has named it. */
function idOfGone(directory: string, repository: string | null): ProjectId {
  return repository === null ? toFolderId(directory) : toCommitId(repository);
}
