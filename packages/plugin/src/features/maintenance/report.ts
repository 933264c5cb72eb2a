// Reports memory maintenance to people who ask for it, and in a session's status.
import { toSingleLine } from "../../context/frames.ts";
import type { ReadSection } from "../../status/section.ts";
import { formatAgo, formatCount, renderCount } from "../../status/wording.ts";
import { createRunStore } from "./run-store.ts";
import { type ChangeRecord, type RunRecord, runTable } from "./run-table.ts";
import type { Proposal, TaskName } from "./task.ts";

export interface RunView extends RunRecord {
  readonly looked: number;
  readonly tokens: number;
  /** The number of changes in each state. */
  readonly counts: Readonly<Record<string, number>>;
}

export function renderRunList(
  project: string,
  tasks: readonly TaskName[],
  runs: readonly RunView[],
  nowMs: number,
): string {
  const set = tasks.length === 0 ? "No task is set." : `Set: ${tasks.join(", ")}.`;
  if (runs.length === 0) return [set, `There has been no run for ${project} yet.`].join(" ");
  return [set, ...runs.map((run) => renderRunLine(run, nowMs))].join("\n");
}

function renderRunLine(run: RunView, nowMs: number): string {
  const { id, task, looked, tokens, begunAtMs, undoneAtMs, patch, counts } = run;
  const did = ["done", "refused", "undone", "left"].flatMap((state) => {
    const number = counts[state] ?? 0;
    if (number === 0) return [];
    return [
      state === "done"
        ? renderCount(number, "change")
        : `${formatCount(number)} ${STATE_LABELS[state]}`,
    ];
  });
  const parts = [
    `${id}  ${task}, ${describeRunState(run)}`,
    formatAgo(begunAtMs, nowMs),
    `${renderCount(looked, "item")} checked`,
    ...did,
    renderCount(tokens, "token"),
    ...(patch === null ? [] : ["a patch"]),
    ...(undoneAtMs === null ? [] : [`undone ${formatAgo(undoneAtMs, nowMs)}`]),
  ];
  return parts.join("; ");
}

const STATE_LABELS: Readonly<Record<string, string>> = {
  refused: "refused",
  undone: "undone",
  left: "not undone",
};

export function describeRunState({ endedAtMs, code }: RunRecord): string {
  if (endedAtMs === null) return "running";
  return code === null ? "done" : (END_LABELS[code] ?? `ended: ${code}`);
}

const END_LABELS: Readonly<Record<string, string>> = {
  budget: "ended: its budget is used up",
  no_model: "ended: there is no model for it",
  bad_answer: "ended: the model's answers could not be read",
  task_off: "ended: the task is not set",
  elsewhere: "ended: another machine of the team is running it",
  store_away: "ended: the team's store can't be reached, so another machine may be running it",
  stopped: "stopped",
  abandoned: "given up: no session ran it",
  killed: "given up: killed three times",
};

export function renderRun(run: RunView, changes: readonly ChangeRecord[], nowMs: number): string {
  const refused = new Map<string, string[]>();
  for (const { state, code, ref } of changes) {
    if (state !== "refused" || code === null) continue;
    refused.set(code, [...(refused.get(code) ?? []), ref]);
  }
  return [
    renderRunLine(run, nowMs),
    ...(run.model === null ? [] : [`Asked ${run.model}.`]),
    ...(run.patch === null
      ? []
      : [`The patch is in ${run.patch}: read it; \`apply ${run.id}\` puts it into the documents.`]),
    ...changes.flatMap((change) => (change.state === "refused" ? [] : renderChangeLines(change))),
    ...[...refused].map(
      ([code, refs]) =>
        `refused ${formatCount(refs.length)}, ${REASON_LABELS[code] ?? code}${renderRefs(refs)}`,
    ),
  ].join("\n");
}

const MAX_REFS = 8;

function renderRefs(refs: readonly string[]): string {
  const named = [...new Set(refs.filter((ref) => ref !== ""))];
  if (named.length === 0) return "";
  const more = named.length > MAX_REFS ? " …" : "";
  return `: ${named.slice(0, MAX_REFS).map(toSingleLine).join(", ")}${more}`;
}

const REASON_LABELS: Readonly<Record<string, string>> = {
  not_in_format: "not in the format",
  not_of_this_task: "not of this task",
  unknown_memory: "about memories that were not shown",
  twice: "about a memory that was changed already",
  permanent: "about permanent memories",
  not_alike: "about memories that don't belong together",
  older_stands: "in favour of the older one",
  loses: "as a part of the old text was missing",
  invents: "as neither the old text nor the file says so",
  not_shorter: "as it was not shorter",
  no_evidence: "without evidence in a file",
  empty: "without a text",
  too_long: "too long",
  secret: "as it holds what looks like a secret",
  too_many: "as one run may remove no more",
  changed_since: "as the memory was changed in between",
  said_already: "as another memory says so already",
  not_made: "as the run ended first",
};

function renderChangeLines({ state, proposal, before, ref }: ChangeRecord): readonly string[] {
  if (proposal === null || proposal.kind === "checked") return [];
  const mark = state === "done" ? "" : ` (${state === "left" ? "not undone" : state})`;
  const why = proposal.why === "" ? "" : ` Why: ${toSingleLine(proposal.why)}`;
  return [
    `${describeProposal(proposal)}${ref === "" ? "" : ` ${ref}`}${mark}.${why}`,
    ...before.map(({ ref: one, text }) => `  was ${one}: ${toSingleLine(text)}`),
    ...("text" in proposal ? [`  now: ${toSingleLine(proposal.text)}`] : []),
  ];
}

function describeProposal(proposal: Proposal): string {
  switch (proposal.kind) {
    case "merge":
      return "merged";
    case "supersede":
      return "superseded";
    case "archive":
      return "archived";
    case "rewrite":
      return "rewritten";
    case "checked":
      return "confirmed";
    case "document":
      return `proposed for ${proposal.path}`;
  }
}

// Reports the memory maintenance of a session's folder in the status.

export const readMaintenanceSection: ReadSection = (driver) => (sessionId) => {
  const row = driver.get(SELECT_NEWEST_RUN, sessionId);
  if (!row) return null;
  const run = runTable.read(row);
  const store = createRunStore(driver);
  const changes = store.changes(run.id);
  const countChangesInState = (state: string) =>
    changes.filter((change) => change.state === state).length;
  const state = describeRunState(run);
  const parts = [
    `${run.task}: ${state}`,
    `${renderCount(countChangesInState("done"), "change")}, ${formatCount(countChangesInState("refused"))} refused`,
    renderCount(store.tokens(run.id), "token"),
  ];
  return {
    label: "Upkeep",
    text: `Run ${run.id}, ${parts.join("; ")}.`,
    short: run.endedAtMs === null ? `${run.task} is running` : null,
  };
};

const SELECT_NEWEST_RUN = `
  SELECT ${runTable.columns} FROM upkeep_run WHERE directory =
    (SELECT directory FROM epoch WHERE session_id = ? ORDER BY seq DESC LIMIT 1)
  ORDER BY id DESC LIMIT 1`;
