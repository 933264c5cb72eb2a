// Reads out of recall's index which files tools had to do with.

import { PASSAGES_PER_SHELF, type PassageRange } from "../../index/shelf.ts";
import { IndexStore } from "../../index/store.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { Touch } from "./rank.ts";

export function touchedInProject(driver: Driver, project: string): readonly Touch[] {
  const scope = { sessionId: "" as SessionId, project };
  const range = new IndexStore(driver).range(scope, "project");
  return range ? touchedIn(driver, range) : [];
}

export function touchedInSession(driver: Driver, sessionId: SessionId): readonly Touch[] {
  const range = new IndexStore(driver).range({ sessionId, project: "" }, "session");
  return range ? touchedIn(driver, range) : [];
}

function touchedIn(driver: Driver, { first, last }: PassageRange): readonly Touch[] {
  return driver.all(SELECT_TOUCHED, first, last).map((row) => ({
    session: Number(row.session),
    words: String(row.words),
    count: Number(row.count),
    lastAtMs: Number(row.last_at_ms),
  }));
}

const SELECT_TOUCHED = `
  SELECT id / ${PASSAGES_PER_SHELF} AS session, words, count(*) AS count, max(made_at_ms) AS last_at_ms FROM document
  WHERE id BETWEEN ? AND ? AND kind = 'output' AND digest <> ''
    AND (words GLOB 'read *' OR words GLOB 'edit *' OR words GLOB 'write *' OR words GLOB 'patch *')
  GROUP BY 1, 2`;
