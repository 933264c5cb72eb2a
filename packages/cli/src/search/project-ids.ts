// Which project folders are of, as the plugin knows it.
import { existsSync } from "node:fs";
import { type Places, projectOf } from "../../../plugin/src/project/find-project.ts";
import { commitId, folderId, type ProjectId } from "../../../plugin/src/project/project.ts";
import { projectStore } from "../../../plugin/src/project/store.ts";
import { StorageError } from "../../../plugin/src/storage/errors.ts";
import { openForReading } from "../../../plugin/src/storage/open-existing.ts";
import { schema } from "../database/schema.ts";
import type { HostSession } from "../host-history/whole-sessions.ts";

const NOWHERE: Places = { knownAt: () => null, remotesOf: () => [], worktreeOf: () => null };

/** By what the runtime's database knows of folders; one that can't be read knows none. */
export async function withPlaces<Result>(
  path: string,
  work: (places: Places) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(path)) return work(NOWHERE);
  try {
    const driver = await openForReading(path, schema);
    try {
      return await work(projectStore(driver));
    } finally {
      driver.close();
    }
  } catch (error) {
    if (error instanceof StorageError) return work(NOWHERE);
    throw error;
  }
}

/** Of the folders that sessions of the host were at work in. */
export async function projectsOf(
  sessions: readonly HostSession[],
  places: Places,
): Promise<ReadonlyMap<string, ProjectId>> {
  const projects = new Map<string, ProjectId>();
  for (const session of sessions) {
    const { directory } = session;
    if (!projects.has(directory)) projects.set(directory, await projectAt(session, places));
  }
  return projects;
}

/** A folder that is gone can't be asked: the host has named a repository by its first commit. */
async function projectAt({ directory, repository }: HostSession, places: Places) {
  if (existsSync(directory)) return (await projectOf(directory, places)).id;
  return repository === null ? folderId(directory) : commitId(repository);
}
