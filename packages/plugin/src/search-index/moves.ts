// Moves index data when a project's key changes or a session belongs to another project.
import type { ProjectId } from "../storage/records.ts";
import { type CollectionScope, ownKey, PROJECT_KINDS, SESSIONS_PER_PROJECT } from "./collection.ts";
import type { IndexStore } from "./store.ts";

/**
 * Gives a project what is indexed under its other name, if it has nothing yet. Otherwise its sessions move
 * when they are next active, and its other documents are indexed again.
 */
export function adopt(store: IndexStore, project: ProjectId, names: readonly string[]): void {
  const { driver } = store;
  const isKnown = (key: string) => driver.get(SELECT_PROJECT, key) !== null;
  const known = names.filter(isKnown);
  if (known.length === 0) return;
  driver.transaction(() => {
    for (const name of known) {
      const isFirst = !isKnown(project);
      if (isFirst) driver.run("UPDATE project SET key = ? WHERE key = ?", project, name);
      for (const kind of PROJECT_KINDS) {
        if (isFirst) driver.run(RENAME_COLLECTION, ownKey(project, kind), ownKey(name, kind));
        else store.removeSession(ownKey(name, kind));
      }
    }
  });
}

/** Removes a session that belonged to another project, to be indexed again. @returns whether it did */
export function adoptCollection(
  store: IndexStore,
  { sessionId, project }: CollectionScope,
): boolean {
  const collection = store.driver.get("SELECT id FROM shelf WHERE key = ?", sessionId);
  if (!collection) return false;
  const own = store.driver.get(SELECT_PROJECT, project);
  if (Math.floor(Number(collection.id) / SESSIONS_PER_PROJECT) === Number(own?.id)) return false;
  store.removeSession(sessionId);
  return true;
}

const SELECT_PROJECT = "SELECT id FROM project WHERE key = ?";

const RENAME_COLLECTION = "UPDATE shelf SET key = ? WHERE key = ?";
