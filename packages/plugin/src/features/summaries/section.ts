// Renders the section of the status about a session's summaries.
import type { ReadSection } from "../../status/section.ts";
import { renderCount } from "../../status/wording.ts";
import { isOpen } from "../../storage/job-records.ts";
import { createResummaryStore, describeProgress } from "./resummary.ts";
import { countBadAnswers, findPendingWork, MAX_BAD_ANSWERS } from "./work.ts";

export const readHistorianSection: ReadSection = (driver) => (sessionId) => {
  const written = driver.all(SELECT_WRITTEN, sessionId, sessionId);
  const batches = findPendingWork(driver, sessionId, "batch");
  const recomp = createResummaryStore(driver).newest(sessionId);
  if (written.length === 0 && batches.length === 0) return null;
  const sumColumn = (column: string) => written.reduce((all, row) => all + Number(row[column]), 0);
  const segments = sumColumn("segments");
  const models = written.map(({ model }) => String(model)).join(", ");
  const waiting = batches.filter(isOpen).length;
  const givenUp = batches.filter(({ state }) => state === "given_up").length;
  const lines = [
    segments === 0
      ? "Nothing is summarised yet."
      : `${renderCount(segments, "segment")} of ${renderCount(sumColumn("messages"), "message")}, by ${models}.`,
    ...(waiting > 0 ? [`${renderCount(waiting, "range")} to be summarised.`] : []),
    ...(givenUp > 0
      ? [`${renderCount(givenUp, "range")} given up: extracts are sent instead.`]
      : []),
    ...(countBadAnswers(driver, sessionId) >= MAX_BAD_ANSWERS ? [SUMMARIES_ENDED_TEXT] : []),
    ...(recomp ? [`Summarised again: ${describeProgress(recomp)}.`] : []),
  ];
  return {
    label: "Historian",
    text: lines.join("\n"),
    short: waiting > 0 ? "writing" : renderCount(segments, "segment"),
  };
};

const SUMMARIES_ENDED_TEXT =
  "Ended for this session after two unusable answers: the rest is quoted instead. `/ctx-resummarize` tries again.";

const SELECT_WRITTEN = `
  SELECT model, count(*) AS segments, sum(message_count) AS messages FROM written_segment
  WHERE session_id = ? AND generation =
    (SELECT max(generation) FROM written_segment WHERE session_id = ?)
  GROUP BY model ORDER BY model`;
