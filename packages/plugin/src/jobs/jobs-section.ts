// Writes the status section of a session's jobs.
import type { ReadSection } from "../status/section.ts";
import { formatCount, renderCount } from "../status/wording.ts";
import type { JobState } from "../storage/job-records.ts";
import { createJobStore } from "../storage/job-store.ts";
import { DAY_MS, listPausedSources, type PausedSource } from "./plan.ts";

/** Names the states as users read them. */
const STATE_GROUPS: readonly (readonly [string, readonly JobState[]])[] = [
  ["done", ["settled"]],
  ["running", ["running"]],
  ["waiting", ["due", "failed"]],
  ["given up", ["given_up"]],
];

export function describeState(state: JobState): string {
  return STATE_GROUPS.find(([, states]) => states.includes(state))?.[0] ?? state;
}

/** Renders a paused source of jobs, and until when it is paused. */
export function describePause(paused: PausedSource, nowMs: number): string {
  const { kind, code, failures, openUntilMs } = paused;
  const minutes = formatCount(Math.ceil((openUntilMs - nowMs) / 60_000));
  return `Jobs of the kind "${kind}" failed ${failures} times in a row (${code}); the next is tried in ${minutes} min.`;
}

export const readJobsSection: ReadSection = (driver) => (sessionId, nowMs) => {
  const rows = driver.all(SELECT_STATES, sessionId);
  const total = sum(rows.map(({ jobs }) => Number(jobs)));
  if (total === 0) return null;
  const groups = STATE_GROUPS.flatMap(([name, states]) => {
    const ofGroup = rows.filter(({ state }) => states.some((one) => one === state));
    const jobs = sum(ofGroup.map((row) => Number(row.jobs)));
    return jobs === 0 ? [] : [`${formatCount(jobs)} ${name}`];
  });
  const tokens = sum(rows.map((row) => Number(row.tokens)));
  const begun = createJobStore(driver).begunIn(sessionId, nowMs - DAY_MS);
  const paused = listPausedSources(begun, nowMs);
  const summary = `${renderCount(total, "job")} (${groups.join(", ")}), ${renderCount(tokens, "token")}.`;
  return {
    label: "Jobs",
    text: [summary, ...paused.map((one) => describePause(one, nowMs))].join("\n"),
    short: [...groups, ...(paused.length > 0 ? ["paused"] : [])].join(", "),
  };
};

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

const SELECT_STATES = `
  SELECT state, count(*) AS jobs, sum(input_tokens + output_tokens) AS tokens FROM job
  WHERE session_id = ? GROUP BY state`;
