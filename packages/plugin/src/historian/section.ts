// What the status says of a session's summaries.
import type { ReadSection } from "../status/section.ts";
import { counted } from "../status/wording.ts";
import { progressWords, recompStore } from "./recomp.ts";
import { HISTORIAN } from "./work.ts";

export const historianSection: ReadSection = (driver) => (sessionId) => {
  const written = driver.all(SELECT_WRITTEN, sessionId, sessionId);
  const jobs = driver.all(SELECT_JOBS, HISTORIAN, sessionId);
  const recomp = recompStore(driver).newest(sessionId);
  if (written.length === 0 && jobs.length === 0) return null;
  const sum = (rows: typeof written, column: string) =>
    rows.reduce((all, row) => all + Number(row[column]), 0);
  const segments = sum(written, "segments");
  const models = written.map(({ model }) => String(model)).join(", ");
  const waiting = sum(jobs, "open");
  const givenUp = sum(jobs, "given_up");
  const lines = [
    segments === 0
      ? "Nothing is summarised yet."
      : `${counted(segments, "segment")} of ${counted(sum(written, "messages"), "message")}, by ${models}.`,
    ...(waiting > 0 ? [`${counted(waiting, "range")} to be summarised.`] : []),
    ...(givenUp > 0
      ? [`${counted(givenUp, "range")} given up: extracts stand in their place.`]
      : []),
    ...(recomp ? [`Summarised again: ${progressWords(recomp)}.`] : []),
  ];
  return {
    label: "Historian",
    text: lines.join("\n"),
    short: waiting > 0 ? "writing" : counted(segments, "segment"),
  };
};

const SELECT_WRITTEN = `
  SELECT model, count(*) AS segments, sum(message_count) AS messages FROM written_segment
  WHERE session_id = ? AND generation =
    (SELECT max(generation) FROM written_segment WHERE session_id = ?)
  GROUP BY model ORDER BY model`;

const SELECT_JOBS = `
  SELECT sum(state IN ('due', 'running', 'failed')) AS open, sum(state = 'given_up') AS given_up
  FROM job
  WHERE kind = ? AND session_id = ? AND json_extract(input, '$.purpose') = 'batch'
  GROUP BY session_id`;
