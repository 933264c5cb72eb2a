// Reads out of recall's index which files tools have touched.

import { PASSAGES_PER_COLLECTION, type PassageRange } from "../../search-index/collection.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import type { Touch } from "./key-file-rank.ts";

export function touchedInProject(store: IndexStore, project: ProjectId): readonly Touch[] {
  return readTouches(store, store.range({ sessionId: "" as SessionId, project }, "project"));
}

export function touchedInSession(store: IndexStore, sessionId: SessionId): readonly Touch[] {
  return readTouches(store, store.range({ sessionId, project: "" as ProjectId }, "session"));
}

function readTouches({ driver }: IndexStore, { first, last }: PassageRange): readonly Touch[] {
  return driver.all(SELECT_TOUCHED, first, last).map((row) => ({
    session: Number(row.session),
    words: String(row.words),
    count: Number(row.count),
    lastAtMs: Number(row.last_at_ms),
  }));
}

const SELECT_TOUCHED = `
  SELECT id / ${PASSAGES_PER_COLLECTION} AS session, words, count(*) AS count, max(made_at_ms) AS last_at_ms FROM document
  WHERE id BETWEEN ? AND ? AND kind = 'output' AND digest <> ''
    AND (words GLOB 'read *' OR words GLOB 'edit *' OR words GLOB 'write *' OR words GLOB 'patch *')
  GROUP BY 1, 2`;
