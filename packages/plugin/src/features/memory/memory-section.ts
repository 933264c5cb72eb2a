// Reports a project's memories and a session's notes in the status.
import type { ReadSection } from "../../status/section.ts";
import { count, counted } from "../../status/wording.ts";
import { candidateCount, memoryCount } from "./memory-text.ts";

export const memorySection: ReadSection = (driver) => (sessionId) => {
  const row = driver.get(SELECT_COUNTS, sessionId, sessionId, sessionId, sessionId);
  const [active, own, notes] = [Number(row?.active), Number(row?.own), Number(row?.notes)];
  const candidates = Number(row?.candidates);
  if (active + own + notes + candidates === 0) return null;
  const written = own === 0 ? "" : ` (${count(own)} written by this session)`;
  return {
    label: "Memory",
    text: `${memoryCount(active)} of this project${written}${candidateCount(candidates)}, ${counted(notes, "open note")}.`,
    ...(row?.newest != null && { mark: { word: "remembered", atMs: Number(row.newest) } }),
    short: [memoryCount(active), ...(notes === 0 ? [] : [counted(notes, "note")])].join(", "),
  };
};

/** A session's project is the one that was last at work where the session's newest epoch is. */
const SELECT_COUNTS = `
  WITH place AS (
    SELECT directory, worktree FROM epoch WHERE session_id = ? ORDER BY seq DESC LIMIT 1
  ), project AS (
    SELECT project AS id FROM project_place, place
    WHERE project_place.worktree IN (place.worktree, place.directory)
    ORDER BY project_place.seen_at_ms DESC LIMIT 1
  )
  SELECT
    (SELECT count(*) FROM memory WHERE project = (SELECT id FROM project) AND state = 'active')
      AS active,
    (SELECT count(*) FROM memory WHERE project = (SELECT id FROM project) AND candidate = 1)
      AS candidates,
    (SELECT count(*) FROM memory WHERE session_id = ? AND state = 'active'
      AND project = (SELECT id FROM project)) AS own,
    (SELECT max(written_at_ms) FROM memory WHERE session_id = ? AND state = 'active') AS newest,
    (SELECT count(*) FROM note WHERE project = (SELECT id FROM project) AND state = 'open'
      AND condition IS NULL AND (session_id IS NULL OR session_id = ?)) AS notes`;
