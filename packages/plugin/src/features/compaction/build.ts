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
  dropRepeatedLines,
  findForeignLine,
  quoteUserText,
  stripFullStop,
  toForeignLines,
  toLine,
} from "./lines.ts";
import type { NoteField, Notes } from "./notes.ts";
import type { RecognisedWork } from "./recognise.ts";
import type { NewestRequest, RuntimeFacts, Todo, TouchedFile } from "./runtime-facts.ts";
import { buildWorkLines, type WorkLines } from "./work-lines.ts";

/** Holds everything that a brief is made from. */
export interface BriefInputs {
  /** Notes from SESSION.md. */
  readonly sessionNotes: Notes;
  readonly work: RecognisedWork | null;
  readonly facts: RuntimeFacts;
  /** The fields that the session's last brief passes on; null for the first brief. */
  readonly carried: CarriedFields | null;
  /** The relative path from the session's directory to the folder that contains the workflows' roots. */
  readonly prefix: string;
}

type LinesByHeading<Heading extends string> = Readonly<Record<Heading, readonly string[]>>;

/** The most decisions that are passed on from brief to brief. */
const MAX_CARRIED_LINES = 60;

/** Builds the brief; the same inputs give the same brief. */
export function buildBrief(inputs: BriefInputs): Brief {
  const { sessionNotes, work } = inputs;
  const said = work && buildWorkLines(work, inputs.prefix);
  const lines = buildGenericLines(inputs, said);
  return {
    source: work || sessionNotes.stated.size > 0 ? "files" : "session",
    generic: toSections(lines).map((section) =>
      section.lines.length > 0 ? section : { ...section, lines: [NONE_RECORDED] },
    ),
    workflow:
      work &&
      said &&
      toSections(buildWorkflowLines(sessionNotes, work, said)).filter(
        ({ lines }) => lines.length > 0,
      ),
    essentials: {
      stage: work?.stage.name ?? null,
      step: lines["Current Step"][0] ?? null,
      nextAction: lines["Next Action"][0] ?? null,
      gate: said?.gate ?? null,
    },
    carried: {
      // A workflow's own objective is not carried, because its files state it for as long as it is true.
      objective: work
        ? (findForeignLine(sessionNotes.fields.objective) ?? inputs.carried?.objective ?? null)
        : (lines["Primary Objective"][0] ?? null),
      decisions: lines.Decisions.slice(0, MAX_CARRIED_LINES),
    },
  };
}

function toSections<Heading extends Section["heading"]>(
  lines: LinesByHeading<Heading>,
): readonly Section[] {
  return Object.entries<readonly string[]>(lines).map(([heading, own]) => ({
    heading: heading as Heading,
    lines: dropRepeatedLines(own),
    omitted: 0,
  }));
}

/** Returns the generic fields in the order of the contract. */
function buildGenericLines(
  inputs: BriefInputs,
  work: WorkLines | null,
): LinesByHeading<GenericHeading> {
  const { sessionNotes, facts } = inputs;
  const { unanswered } = facts;
  const listFieldLines = (field: NoteField) => toForeignLines(sessionNotes.fields[field]);
  const listFieldArtifacts = (field: NoteField) => listArtifactLines(inputs.work, field);
  const asked = unanswered.slice(-1).map(quoteUserText);
  return {
    "Primary Objective": work
      ? [
          work.objective,
          ...listFieldLines("objective").slice(0, 1),
          ...listFieldLines("focus").slice(0, 1).map(renderFocus),
        ]
      : buildObjectiveLines(inputs),
    "Current Step": work
      ? [work.step, ...listFieldLines("step")]
      : pickFirstNonEmpty(
          listFieldLines("step").map(capitalize),
          listFieldLines("openWork").map((line) => `Current open work: ${line}`),
          listTodos(facts, "active").map((line) => `Current todo: ${line}`),
          asked.map((quote) => `Answer the user's request: ${quote}`),
        ).slice(0, 1),
    Status: work
      ? [work.status, ...listFieldLines("status").map(capitalize)]
      : pickFirstNonEmpty(
          listFieldLines("status").map(capitalize),
          listFieldLines("focus")
            .slice(0, 1)
            .map((focus) => `Active — working on ${stripFullStop(focus)}.`),
          renderSessionStatus(facts),
        ),
    Completed: [
      ...(work?.completed ?? []),
      ...listFieldLines("completed"),
      ...listTodos(facts, "done").map((line) => `Done todo: ${line}`),
    ],
    Remaining: [
      ...(work?.remaining ?? []),
      ...listFieldLines("openWork"),
      ...listOpenBoxes(inputs.work),
      ...listFieldLines("pendingTests").map((line) => `Pending tests: ${line}`),
      ...listTodos(facts, "active").map((line) => `Todo in progress: ${line}`),
      ...listTodos(facts, "open").map((line) => `Todo: ${line}`),
      ...unanswered.slice(0, -1).map((text) => `Unanswered request: ${quoteUserText(text)}`),
      ...facts.queued.map((text) => `Queued prompt: ${quoteUserText(text)}`),
    ],
    Decisions: statesDecisions(inputs)
      ? dropRepeatedLines([...listFieldLines("decisions"), ...listFieldArtifacts("decisions")])
      : (inputs.carried?.decisions ?? []),
    "Active Files": [
      ...(work?.sources ?? []),
      ...facts.files.map(({ path, touch }) => `${toLine(path)} (${touch})`),
    ],
    "Blockers / Risks": [
      ...listFieldLines("blockers"),
      ...listFieldArtifacts("blockers"),
      ...facts.failing.map(renderFailingCommand),
    ],
    "Next Action": [
      ...(work
        ? [work.nextAction, ...listFieldLines("nextActions")]
        : pickFirstNonEmpty(
            listFieldLines("nextActions"),
            listFieldLines("openWork").slice(0, 1),
            [...listTodos(facts, "active"), ...listTodos(facts, "open")]
              .slice(0, 1)
              .map((line) => `Go on with the todo: ${line}`),
          )),
      ...asked.map((quote) => `The user's last request has no answer yet: ${quote}`),
    ],
  };
}

/** Returns the first choice that has lines. */
function pickFirstNonEmpty(...choices: readonly (readonly string[])[]): readonly string[] {
  return choices.find((lines) => lines.length > 0) ?? [];
}

function renderFocus(focus: string): string {
  return `Focus: ${focus}`;
}

const REQUEST_LABEL = "The user's request: ";

/**
 * Returns the objective that the files state, or stated at the last brief; if there is none, the newest
 * request and what was done since.
 */
function buildObjectiveLines({ sessionNotes, facts, carried }: BriefInputs): readonly string[] {
  const { objective, openWork, focus } = sessionNotes.fields;
  const stated = findForeignLine(objective) ?? findForeignLine([...openWork, ...focus]);
  if (stated !== null) return [capitalize(stated)];
  const former = carried?.objective ?? null;
  if (former !== null && !(facts.request && former.startsWith(REQUEST_LABEL))) return [former];
  return facts.request
    ? [REQUEST_LABEL + quoteUserText(facts.request.text), ...renderDoneWork(facts.request)]
    : [];
}

/** The most files, and the most commands of each kind, that are listed. */
const MAX_LISTED_ACTIONS = 6;

function renderDoneWork({ files, commands }: NewestRequest): readonly string[] {
  const listPaths = (touch: TouchedFile["touch"]) =>
    files.flatMap((file) => (file.touch === touch ? [toLine(file.path, 80)] : []));
  const done = [
    renderActions("edited", listPaths("edited")),
    renderActions("ran", commands.map((command) => renderCode(command, 60)).toReversed()),
    renderActions("read", listPaths("read")),
  ].filter((text) => text !== "");
  return done.length === 0 ? [] : [toLine(`Done since: ${done.join("; ")}.`)];
}

function renderActions(verb: string, things: readonly string[]): string {
  if (things.length === 0) return "";
  const more =
    things.length > MAX_LISTED_ACTIONS ? ` and ${things.length - MAX_LISTED_ACTIONS} more` : "";
  return `${verb} ${things.slice(0, MAX_LISTED_ACTIONS).join(", ")}${more}`;
}

function renderSessionStatus({ todos, request }: RuntimeFacts): readonly string[] {
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
function statesDecisions({ sessionNotes, work }: BriefInputs): boolean {
  return [sessionNotes, ...(work?.artifacts ?? [])].some(({ stated }) => stated.has("decisions"));
}

/** Returns the workflow's fields in the order of the contract. */
function buildWorkflowLines(
  session: Notes,
  work: RecognisedWork,
  said: WorkLines,
): LinesByHeading<WorkflowHeading> {
  const mergeField = (field: NoteField) => [
    ...toForeignLines(session.fields[field]),
    ...listArtifactLines(work, field),
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

function listArtifactLines(work: RecognisedWork | null, field: NoteField): readonly string[] {
  return (work?.artifacts ?? []).flatMap(({ fields }) => toForeignLines(fields[field]));
}

/** Lists open boxes of notes and logs; those of the tasks artifact are listed as tasks. */
function listOpenBoxes(work: RecognisedWork | null): readonly string[] {
  return (work?.artifacts ?? [])
    .filter(({ artifact: { role } }) => role === "notes" || role === "log")
    .flatMap(({ tasks }) => tasks.filter(({ state }) => state === "open"))
    .flatMap(({ text }) => toForeignLines([text]));
}

function listTodos({ todos }: RuntimeFacts, wanted: Todo["state"]): readonly string[] {
  return todos.flatMap(({ text, state }) => (state === wanted ? [toLine(text)] : []));
}

function renderFailingCommand({ command, exitCode }: RuntimeFacts["failing"][number]): string {
  const how = exitCode === null ? "did not complete" : `failed last with exit code ${exitCode}`;
  return `${renderCode(command, 200)} ${how}.`;
}

function renderCode(command: string, limit: number): string {
  return `\`${toLine(command, limit).replaceAll("`", "'")}\``;
}
