// Builds a brief from notes, work, facts and the previous brief; pure.
import type { ArtifactState } from "./artifact-state.ts";
import {
  type Brief,
  type CarriedFields,
  type GenericHeading,
  type Heading,
  NONE_RECORDED,
  type Section,
  type WorkflowHeading,
} from "./brief.ts";
import type { NoteField } from "./fields.ts";
import { inert } from "./inert.ts";
import {
  capitalised,
  foreignLine,
  foreignLines,
  unended,
  userQuote,
  withoutRepeats,
} from "./lines.ts";
import type { Notes } from "./notes.ts";
import type { Work } from "./recognise.ts";
import type { RuntimeFacts } from "./runtime-facts.ts";
import { type WorkLines, workLines } from "./work-lines.ts";

/** All that a brief is made from. */
export interface BriefInput {
  /** SESSION.md. */
  readonly session: Notes;
  readonly work: Work | null;
  readonly facts: RuntimeFacts;
  /** Of the session's last brief; null for the first. */
  readonly carried: CarriedFields | null;
  /** Leads from the session's directory to the folder that the workflows' roots lie in. */
  readonly prefix: string;
}

/** Most decisions that go on from brief to brief. */
const MOST_CARRIED = 60;

/** The same input gives the same brief. */
export function buildBrief(input: BriefInput): Brief {
  const work = input.work ? workLines(input.work, input.prefix) : null;
  const lines = genericLines(input, work);
  const augmentation = input.work && work ? workflowLines(input, input.work, work) : null;
  return {
    generic: sections(lines).map((section) =>
      section.lines.length > 0 ? section : { ...section, lines: [NONE_RECORDED] },
    ),
    workflow: augmentation && sections(augmentation).filter((section) => section.lines.length > 0),
    essentials: {
      stage: input.work?.stage.name ?? null,
      step: lines["Current Step"][0] ?? null,
      nextAction: lines["Next Action"][0] ?? null,
      gate: work?.gate ?? null,
    },
    carried: {
      objective: objectiveToCarry(input, lines),
      decisions: lines.Decisions.slice(0, MOST_CARRIED),
    },
  };
}

function sections(
  lines: Readonly<Partial<Record<Heading, readonly string[]>>>,
): readonly Section[] {
  return Object.entries(lines).map(([heading, own]) => ({
    heading: heading as Heading,
    lines: withoutRepeats(own),
    omitted: 0,
  }));
}

/** In the order of the contract. */
function genericLines(
  input: BriefInput,
  work: WorkLines | null,
): Readonly<Record<GenericHeading, readonly string[]>> {
  const { session, facts } = input;
  const of = (field: NoteField) => foreignLines(session.fields[field]);
  return {
    "Primary Objective": objective(input, work),
    "Current Step": work ? [work.step, ...of("step")] : one(step(input)),
    Status: status(input, work),
    Completed: [
      ...(work?.completed ?? []),
      ...of("completed"),
      ...todoLines(facts, "done", "Done todo: "),
    ],
    Remaining: remaining(input, work),
    Decisions: decisions(input),
    "Active Files": [
      ...(work?.sources ?? []),
      ...facts.files.map(({ path, touch }) => `${inert(path)} (${touch})`),
    ],
    "Blockers / Risks": [
      ...of("blockers"),
      ...artifactLines(input.work, "blockers"),
      ...facts.failing.map(failingLine),
    ],
    "Next Action": nextAction(input, work),
  };
}

function objective({ session, facts, carried }: BriefInput, work: WorkLines | null) {
  const stated = foreignLine(session.fields.objective);
  const focus = foreignLine(session.fields.focus);
  if (work) return [work.objective, ...one(stated), ...one(focus && `Focus: ${focus}`)];
  if (stated) return [capitalised(stated)];
  const written = foreignLine([...session.fields.openWork, ...session.fields.focus]);
  if (written) return [capitalised(written)];
  if (carried?.objective) return [carried.objective];
  return one(facts.firstRequest && `The user's request: ${userQuote(facts.firstRequest)}`);
}

/** The workflow's own objective stands in its files for as long as it is true. */
function objectiveToCarry(
  input: BriefInput,
  lines: Readonly<Record<GenericHeading, readonly string[]>>,
): string | null {
  if (!input.work) return lines["Primary Objective"][0] ?? null;
  return foreignLine(input.session.fields.objective) ?? input.carried?.objective ?? null;
}

function step({ session, facts }: BriefInput): string | null {
  const stated = foreignLine(session.fields.step);
  if (stated) return capitalised(stated);
  const [open] = foreignLines(session.fields.openWork);
  if (open) return `Current open work: ${open}`;
  const todo = facts.todos.find(({ state }) => state === "active");
  if (todo) return `Current todo: ${inert(todo.text)}`;
  const request = facts.unanswered.at(-1);
  return request ? `Answer the user's request: ${userQuote(request)}` : null;
}

function status({ session, facts }: BriefInput, work: WorkLines | null): readonly string[] {
  const stated = foreignLines(session.fields.status).map(capitalised);
  if (work) return [work.status, ...stated];
  if (stated.length > 0) return stated;
  const focus = foreignLine(session.fields.focus);
  if (focus) return [`Active — working on ${unended(focus)}.`];
  const open = facts.todos.filter(({ state }) => state !== "done").length;
  if (facts.todos.length > 0) return [`Active — ${open} of ${facts.todos.length} todo(s) open.`];
  return facts.unanswered.length > 0 ? ["Active — a request of the user is not answered yet."] : [];
}

function remaining({ session, work, facts }: BriefInput, lines: WorkLines | null) {
  return [
    ...(lines?.remaining ?? []),
    ...foreignLines(session.fields.openWork),
    ...artifactBoxes(work),
    ...foreignLines(session.fields.pendingTests).map((line) => `Pending tests: ${line}`),
    ...todoLines(facts, "active", "Todo in progress: "),
    ...todoLines(facts, "open", "Todo: "),
    ...facts.unanswered.slice(0, -1).map((text) => `Unanswered request: ${userQuote(text)}`),
    ...facts.queued.map((text) => `Queued prompt: ${userQuote(text)}`),
  ];
}

/** What the files say now; else what the last brief said. */
function decisions({ session, work, carried }: BriefInput): readonly string[] {
  const states = work?.artifacts ?? [];
  const stated = [session.stated, ...states.map((state) => state.stated)];
  if (!stated.some((fields) => fields.has("decisions"))) return carried?.decisions ?? [];
  return withoutRepeats([
    ...foreignLines(session.fields.decisions),
    ...artifactLines(work, "decisions"),
  ]);
}

function nextAction({ session, facts }: BriefInput, work: WorkLines | null): readonly string[] {
  const stated = foreignLines(session.fields.nextActions);
  const request = facts.unanswered.at(-1);
  const answer = one(request && `The user's last request has no answer yet: ${userQuote(request)}`);
  if (work) return [work.nextAction, ...stated, ...answer];
  if (stated.length > 0) return [...stated, ...answer];
  const [open] = foreignLines(session.fields.openWork);
  if (open) return [open, ...answer];
  const todo = facts.todos.find(({ state }) => state !== "done");
  return todo ? [`Go on with the todo: ${inert(todo.text)}`, ...answer] : answer;
}

/** In the order of the contract. */
function workflowLines(
  { session }: BriefInput,
  work: Work,
  lines: WorkLines,
): Readonly<Record<WorkflowHeading, readonly string[]>> {
  return {
    "Workflow Type": [work.workflow.type],
    "Canonical Workflow Stage": [work.stage.name],
    "Source Artifacts": lines.sources,
    "Current Artifact": one(lines.current),
    "Artifact Status": one(lines.artifactStatus),
    "Transition Gate": [lines.gate],
    "Approved Decisions": lines.approved,
    "Pending Decisions / Open Questions": [
      ...lines.pendingApproval,
      ...foreignLines(session.fields.questions),
      ...artifactLines(work, "questions"),
    ],
    "Dependencies / Preconditions": [
      ...lines.missing,
      ...foreignLines(session.fields.dependencies),
      ...artifactLines(work, "dependencies"),
    ],
    "Verification / Done Criteria": lines.done,
  };
}

function artifactLines(work: Work | null, field: NoteField): readonly string[] {
  return (work?.artifacts ?? []).flatMap((state) => foreignLines(state.fields[field]));
}

/** Open boxes of a document or a log: of the tasks artifact they are the tasks. */
function artifactBoxes(work: Work | null): readonly string[] {
  const isList = ({ artifact }: ArtifactState) =>
    artifact.role === "notes" || artifact.role === "log";
  return (work?.artifacts ?? [])
    .filter(isList)
    .flatMap(({ tasks }) => tasks)
    .flatMap(({ text, state }) => (state === "open" ? foreignLines([text]) : []));
}

function todoLines({ todos }: RuntimeFacts, wanted: "open" | "active" | "done", opening: string) {
  return todos.flatMap(({ text, state }) => (state === wanted ? [opening + inert(text)] : []));
}

function failingLine({ command, exitCode }: RuntimeFacts["failing"][number]): string {
  const how = exitCode === null ? "did not complete" : `failed last with exit code ${exitCode}`;
  return `\`${inert(command, 200).replaceAll("`", "'")}\` ${how}.`;
}

function one(line: string | null | undefined): readonly string[] {
  return line ? [line] : [];
}
