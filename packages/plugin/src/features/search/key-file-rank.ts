// Ranks the files that a project's sessions keep coming back to, and renders them for people.
import { classifyTool, namesOneFile } from "../../ledger/host-tools.ts";
import { PASSAGES_PER_COLLECTION, type PassageRange } from "../../search-index/collection.ts";
import type { IndexStore } from "../../search-index/store.ts";
import { makeVisible, renderCount } from "../../status/wording.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";

/** Counts how often tools touched one file in one session. */
export interface FileTouch {
  /** A number that identifies the session. */
  readonly session: number;
  /** The call in its own words: `read src/a.ts`. */
  readonly words: string;
  readonly count: number;
  readonly lastAtMs: number;
}

export interface KeyFile {
  /** The path as it was given to the tool. */
  readonly path: string;
  readonly sessions: number;
  readonly reads: number;
  readonly edits: number;
  readonly score: number;
}

/** A key file was touched in at least this many sessions; a single one may have touched it by chance. */
const MIN_SESSIONS = 2;
/** One session adds at most this much: many reads in a single session are not a habit. */
const MAX_SCORE_PER_SESSION = 4;
const EDIT_WEIGHT = 2;
const TOUCH_HALF_LIFE_MS = 30 * 24 * 3_600_000;

const TOUCH_PATTERN = /^(\w+) (.+)$/;

interface TouchTotals {
  readonly bySession: Map<number, number>;
  reads: number;
  edits: number;
  lastAtMs: number;
}

/**
 * Ranks best first. A file's weight halves for each month by which its last touch is older than the newest of
 * all, so that time alone never changes the order of two files.
 */
export function rankFiles(touches: readonly FileTouch[]): readonly KeyFile[] {
  const newestMs = touches.reduce((newest, { lastAtMs }) => Math.max(newest, lastAtMs), 0);
  const sums = new Map<string, TouchTotals>();
  for (const { session, words, count, lastAtMs } of touches) {
    const [, tool, path] = TOUCH_PATTERN.exec(words) ?? [];
    // A call's words are cut if they are long, and a cut path is of no use.
    if (tool === undefined || path === undefined || path.endsWith("…")) continue;
    if (!namesOneFile(tool)) continue;
    const sum = sums.get(path) ?? { bySession: new Map(), reads: 0, edits: 0, lastAtMs: 0 };
    sums.set(path, sum);
    const isRead = classifyTool(tool) === "read";
    if (isRead) sum.reads += count;
    else sum.edits += count;
    const before = sum.bySession.get(session) ?? 0;
    sum.bySession.set(session, before + count * (isRead ? 1 : EDIT_WEIGHT));
    sum.lastAtMs = Math.max(sum.lastAtMs, lastAtMs);
  }
  const files = [...sums].map(([path, sum]): KeyFile => {
    const { bySession, reads, edits, lastAtMs } = sum;
    const weight = [...bySession.values()].reduce(
      (all, own) => all + Math.min(own, MAX_SCORE_PER_SESSION),
      0,
    );
    const score = weight * 2 ** ((lastAtMs - newestMs) / TOUCH_HALF_LIFE_MS);
    return { path, sessions: bySession.size, reads, edits, score };
  });
  return files
    .filter(({ sessions }) => sessions >= MIN_SESSIONS)
    .sort((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1));
}

// Reads out of recall's index which files tools have touched.

export function readProjectTouches(store: IndexStore, project: ProjectId): readonly FileTouch[] {
  return readTouches(store, store.findRange({ sessionId: "" as SessionId, project }, "project"));
}

export function readSessionTouches(store: IndexStore, sessionId: SessionId): readonly FileTouch[] {
  return readTouches(store, store.findRange({ sessionId, project: "" as ProjectId }, "session"));
}

function readTouches({ driver }: IndexStore, { first, last }: PassageRange): readonly FileTouch[] {
  return driver.all(SELECT_TOUCHES, first, last).map((row) => ({
    session: Number(row.session),
    words: String(row.words),
    count: Number(row.count),
    lastAtMs: Number(row.last_at_ms),
  }));
}

const SELECT_TOUCHES = `
  SELECT id / ${PASSAGES_PER_COLLECTION} AS session, words, count(*) AS count, max(made_at_ms) AS last_at_ms FROM document
  WHERE id BETWEEN ? AND ? AND kind = 'output' AND digest <> ''
    AND (words GLOB 'read *' OR words GLOB 'edit *' OR words GLOB 'write *' OR words GLOB 'patch *')
  GROUP BY 1, 2`;

// Renders key files for people.

const MAX_SHOWN_FILES = 30;

export const NO_FILES_TEXT =
  "No file has been read or edited in two sessions of this project yet, as far as they are indexed.";

/** @param isShown whether sessions are given a file's outline */
export function renderFiles(
  files: readonly KeyFile[],
  isShown: (path: string) => boolean,
  pinned: readonly string[],
): string {
  const lines = files
    .slice(0, MAX_SHOWN_FILES)
    .map(({ path, sessions, reads, edits }) =>
      [
        `${isShown(path) ? "*" : " "} ${makeVisible(path)}: ${renderCount(sessions, "session")}`,
        renderCount(reads, "read"),
        renderCount(edits, "edit"),
      ].join(", "),
    );
  const first = pinned.map((path) => `${isShown(path) ? "*" : " "} ${makeVisible(path)}: pinned`);
  return [...first, ...lines].join("\n");
}
