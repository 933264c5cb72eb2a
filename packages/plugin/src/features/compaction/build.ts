// Builds a brief from notes, a recognised piece of work, the session's history and the last brief. Pure.
import {
  type Brief,
  type CarriedFields,
  type GenericHeading,
  NONE_RECORDED,
  type Section,
  type WorkflowHeading,
} from "./brief.ts";
import {
  capitalize,
  dropRepeats,
  foreignLine,
  foreignLines,
  stripFullStop,
  toLine,
  userQuote,
} from "./lines.ts";
import type { NoteField, Notes } from "./notes.ts";
import type { RecognisedWork } from "./recognise.ts";
import type { NewestRequest, RuntimeFacts, Todo, TouchedFile } from "./runtime-facts.ts";
import { type WorkLines, workLines } from "./work-lines.ts";

/** Holds everything that a brief is made from. */
export interface BriefInputs {
  /** Notes from SESSION.md. */
  readonly session: Notes;
  readonly work: RecognisedWork | null;
  readonly facts: RuntimeFacts;
  /** The fields that the session's last brief passes on; null for the first brief. */
  readonly carried: CarriedFields | null;
  /** The relative path from the session's directory to the folder that contains the workflows' roots. */
  readonly prefix: string;
}

type Lines<Heading extends string> = Readonly<Record<Heading, readonly string[]>>;

/** The most decisions that are passed on from brief to brief. */
const MAX_CARRIED_LINES = 60;

/** Builds the brief; the same inputs give the same brief. */
export function buildBrief(inputs: BriefInputs): Brief {
  const { session, work } = inputs;
  const said = work && workLines(work, inputs.prefix);
  const lines = genericLines(inputs, said);
  return {
    source: work || session.stated.size > 0 ? "files" : "session",
    generic: sections(lines).map((section) =>
      section.lines.length > 0 ? section : { ...section, lines: [NONE_RECORDED] },
    ),
    workflow:
      work &&
      said &&
      sections(workflowLines(session, work, said)).filter(({ lines }) => lines.length > 0),
    essentials: {
      stage: work?.stage.name ?? null,
      step: lines["Current Step"][0] ?? null,
      nextAction: lines["Next Action"][0] ?? null,
      gate: said?.gate ?? null,
    },
    carried: {
      // A workflow's own objective is not carried, because its files state it for as long as it is true.
      objective: work
        ? (foreignLine(session.fields.objective) ?? inputs.carried?.objective ?? null)
        : (lines["Primary Objective"][0] ?? null),
      decisions: lines.Decisions.slice(0, MAX_CARRIED_LINES),
    },
  };
}

function sections<Heading extends Section["heading"]>(lines: Lines<Heading>): readonly Section[] {
  return Object.entries<readonly string[]>(lines).map(([heading, own]) => ({
    heading: heading as Heading,
    lines: dropRepeats(own),
    omitted: 0,
  }));
}

/** Returns the generic fields in the order of the contract. */
function genericLines(inputs: BriefInputs, work: WorkLines | null): Lines<GenericHeading> {
  const { session, facts } = inputs;
  const { unanswered } = facts;
  const fieldLines = (field: NoteField) => foreignLines(session.fields[field]);
  const artifacts = (field: NoteField) => artifactLines(inputs.work, field);
  const asked = unanswered.slice(-1).map(userQuote);
  return {
    "Primary Objective": work
      ? [
          work.objective,
          ...fieldLines("objective").slice(0, 1),
          ...fieldLines("focus").slice(0, 1).map(renderFocus),
        ]
      : objectiveLines(inputs),
    "Current Step": work
      ? [work.step, ...fieldLines("step")]
      : firstNonEmpty(
          fieldLines("step").map(capitalize),
          fieldLines("openWork").map((line) => `Current open work: ${line}`),
          listTodos(facts, "active").map((line) => `Current todo: ${line}`),
          asked.map((quote) => `Answer the user's request: ${quote}`),
        ).slice(0, 1),
    Status: work
      ? [work.status, ...fieldLines("status").map(capitalize)]
      : firstNonEmpty(
          fieldLines("status").map(capitalize),
          fieldLines("focus")
            .slice(0, 1)
            .map((focus) => `Active — working on ${stripFullStop(focus)}.`),
          sessionStatus(facts),
        ),
    Completed: [
      ...(work?.completed ?? []),
      ...fieldLines("completed"),
      ...listTodos(facts, "done").map((line) => `Done todo: ${line}`),
    ],
    Remaining: [
      ...(work?.remaining ?? []),
      ...fieldLines("openWork"),
      ...openBoxes(inputs.work),
      ...fieldLines("pendingTests").map((line) => `Pending tests: ${line}`),
      ...listTodos(facts, "active").map((line) => `Todo in progress: ${line}`),
      ...listTodos(facts, "open").map((line) => `Todo: ${line}`),
      ...unanswered.slice(0, -1).map((text) => `Unanswered request: ${userQuote(text)}`),
      ...facts.queued.map((text) => `Queued prompt: ${userQuote(text)}`),
    ],
    Decisions: statesDecisions(inputs)
      ? dropRepeats([...fieldLines("decisions"), ...artifacts("decisions")])
      : (inputs.carried?.decisions ?? []),
    "Active Files": [
      ...(work?.sources ?? []),
      ...facts.files.map(({ path, touch }) => `${toLine(path)} (${touch})`),
    ],
    "Blockers / Risks": [
      ...fieldLines("blockers"),
      ...artifacts("blockers"),
      ...facts.failing.map(failingLine),
    ],
    "Next Action": [
      ...(work
        ? [work.nextAction, ...fieldLines("nextActions")]
        : firstNonEmpty(
            fieldLines("nextActions"),
            fieldLines("openWork").slice(0, 1),
            [...listTodos(facts, "active"), ...listTodos(facts, "open")]
              .slice(0, 1)
              .map((line) => `Go on with the todo: ${line}`),
          )),
      ...asked.map((quote) => `The user's last request has no answer yet: ${quote}`),
    ],
  };
}

/** Returns the first choice that has lines. */
function firstNonEmpty(...choices: readonly (readonly string[])[]): readonly string[] {
  return choices.find((lines) => lines.length > 0) ?? [];
}

function renderFocus(focus: string): string {
  return `Focus: ${focus}`;
}

const REQUEST_LABEL = "The user's request: ";

/**
 * Returns what the files state, or stated at the last brief; otherwise the newest request and what was done since.
 */
function objectiveLines({ session, facts, carried }: BriefInputs): readonly string[] {
  const { objective, openWork, focus } = session.fields;
  const stated = foreignLine(objective) ?? foreignLine([...openWork, ...focus]);
  if (stated !== null) return [capitalize(stated)];
  const former = carried?.objective ?? null;
  if (former !== null && !(facts.request && former.startsWith(REQUEST_LABEL))) return [former];
  return facts.request
    ? [REQUEST_LABEL + userQuote(facts.request.text), ...renderDone(facts.request)]
    : [];
}

/** The most files and commands of each kind that are listed. */
const MAX_LISTED = 6;

function renderDone({ files, commands }: NewestRequest): readonly string[] {
  const paths = (touch: TouchedFile["touch"]) =>
    files.flatMap((file) => (file.touch === touch ? [toLine(file.path, 80)] : []));
  const done = [
    listDone("edited", paths("edited")),
    listDone("ran", commands.map((command) => renderCode(command, 60)).toReversed()),
    listDone("read", paths("read")),
  ].filter((deed) => deed !== "");
  return done.length === 0 ? [] : [toLine(`Done since: ${done.join("; ")}.`)];
}

function listDone(deed: string, things: readonly string[]): string {
  if (things.length === 0) return "";
  const more = things.length > MAX_LISTED ? ` and ${things.length - MAX_LISTED} more` : "";
  return `${deed} ${things.slice(0, MAX_LISTED).join(", ")}${more}`;
}

function sessionStatus({ todos, request }: RuntimeFacts): readonly string[] {
  const open = todos.filter(({ state }) => state !== "done").length;
  if (todos.length > 0) return [`Active — ${open} of ${todos.length} todo(s) open.`];
  if (!request) return [];
  return [
    request.isAnswered
      ? "The user's newest request is answered."
      : "Active — a request of the user is not answered yet.",
  ];
}

/** Returns true if a file has a section for decisions, even one that states there are none. */
function statesDecisions({ session, work }: BriefInputs): boolean {
  return [session, ...(work?.artifacts ?? [])].some(({ stated }) => stated.has("decisions"));
}

/** Returns the workflow's fields in the order of the contract. */
function workflowLines(
  session: Notes,
  work: RecognisedWork,
  said: WorkLines,
): Lines<WorkflowHeading> {
  const mergeField = (field: NoteField) => [
    ...foreignLines(session.fields[field]),
    ...artifactLines(work, field),
  ];
  return {
    "Workflow Type": [work.workflow.type],
    "Canonical Workflow Stage": [work.stage.name],
    "Source Artifacts": said.sources,
    "Current Artifact": said.current,
    "Artifact Status": said.artifactStatus,
    "Transition Gate": [said.gate],
    "Approved Decisions": said.approved,
    "Pending Decisions / Open Questions": [...said.pendingApproval, ...mergeField("questions")],
    "Dependencies / Preconditions": [...said.missing, ...mergeField("dependencies")],
    "Verification / Done Criteria": said.done,
  };
}

function artifactLines(work: RecognisedWork | null, field: NoteField): readonly string[] {
  return (work?.artifacts ?? []).flatMap(({ fields }) => foreignLines(fields[field]));
}

/** Lists open boxes of notes and logs; those of the tasks artifact are listed as tasks. */
function openBoxes(work: RecognisedWork | null): readonly string[] {
  return (work?.artifacts ?? [])
    .filter(({ artifact: { role } }) => role === "notes" || role === "log")
    .flatMap(({ tasks }) => tasks.filter(({ state }) => state === "open"))
    .flatMap(({ text }) => foreignLines([text]));
}

function listTodos({ todos }: RuntimeFacts, wanted: Todo["state"]): readonly string[] {
  return todos.flatMap(({ text, state }) => (state === wanted ? [toLine(text)] : []));
}

function failingLine({ command, exitCode }: RuntimeFacts["failing"][number]): string {
  const how = exitCode === null ? "did not complete" : `failed last with exit code ${exitCode}`;
  return `${renderCode(command, 200)} ${how}.`;
}

function renderCode(command: string, limit: number): string {
  return `\`${toLine(command, limit).replaceAll("`", "'")}\``;
}
