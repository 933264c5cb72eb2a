// Defines a brief: its headings and sections, the lines that must not get lost, its text within a budget.
import { estimateTokens } from "../../ledger/tokens.ts";
import { cutLine, isQuoted } from "./lines.ts";

/** The sections, in order; the contract fixes their names. */
export const GENERIC_HEADINGS = [
  "Primary Objective",
  "Current Step",
  "Status",
  "Completed",
  "Remaining",
  "Decisions",
  "Active Files",
  "Blockers / Risks",
  "Next Action",
] as const;

export const WORKFLOW_HEADINGS = [
  "Workflow Type",
  "Canonical Workflow Stage",
  "Source Artifacts",
  "Current Artifact",
  "Artifact Status",
  "Transition Gate",
  "Approved Decisions",
  "Pending Decisions / Open Questions",
  "Dependencies / Preconditions",
  "Verification / Done Criteria",
] as const;

export type GenericHeading = (typeof GENERIC_HEADINGS)[number];
export type WorkflowHeading = (typeof WORKFLOW_HEADINGS)[number];

/**
 * Holds a field of the brief with its neutralized lines. The most useful lines are at the end that bounding
 * keeps.
 */
export interface Section {
  readonly heading: GenericHeading | WorkflowHeading;
  readonly lines: readonly string[];
  /** The number of lines that were left out for length. */
  readonly omitted: number;
}

/** Holds the lines that a compaction must not lose; a field is null if there is no such line. */
export interface Essentials {
  readonly stage: string | null;
  readonly step: string | null;
  readonly nextAction: string | null;
  readonly gate: string | null;
}

/** Holds the fields that each brief passes on to the next until the files state otherwise. */
export interface CarriedFields {
  readonly objective: string | null;
  readonly decisions: readonly string[];
}

/** Describes a session's work as a compaction receives it. */
export interface Brief {
  /** `files` are notes and artifacts that people keep; `session` is the session's history alone. */
  readonly source: "files" | "session";
  /** All nine sections, in order. */
  readonly generic: readonly Section[];
  /** Only sections that have lines; null outside a workflow. */
  readonly workflow: readonly Section[] | null;
  readonly essentials: Essentials;
  readonly carried: CarriedFields;
}

/** The line of a generic field about which nothing is known. */
export const NONE_RECORDED = "none recorded";

const BRIEF_TITLE = "## Stage-Aware Continuation";

/** The text above the fields, by source: only files that people keep have authority. */
const BRIEF_OPENINGS: Readonly<Record<Brief["source"], string>> = {
  files:
    "Preserve the canonical workflow names exactly. Treat this as the authoritative resume brief for compaction continuity.",
  session:
    "Gathered from the session's own history. Where the conversation says otherwise, the conversation is right.",
};

const AUGMENTATION_LINES = [
  "---",
  "## Workflow-Aware Augmentation",
  "The following sections apply because this session is part of a canonical workflow. Preserve these fields for workflow continuity.",
];

/**
 * Renders the brief as it is sent. A brief made from the session alone leaves out fields with nothing recorded,
 * unless that would leave none.
 */
export function renderBrief({ source, generic, workflow }: Brief): string {
  const known = generic.filter(({ lines }) => lines[0] !== NONE_RECORDED);
  const shown = source === "session" && known.length > 0 ? known : generic;
  const lines = [BRIEF_TITLE, BRIEF_OPENINGS[source], ...shown.flatMap(renderSection)];
  if (workflow) lines.push(...AUGMENTATION_LINES, ...workflow.flatMap(renderSection));
  return lines.join("\n");
}

function renderSection({ heading, lines, omitted }: Section): readonly string[] {
  const rest = omitted > 0 ? [`- (${omitted} more left out for length)`] : [];
  return [`## ${heading}`, ...lines.map((line) => `- ${line}`), ...rest];
}

/**
 * Renders a compaction prompt that replaces the host's. The host adds the conversation after it and leaves out an
 * earlier summary, so the prompt has to contain that summary.
 */
export function renderReplacementPrompt(brief: string, previousSummary: string | null): string {
  const summaryIntro =
    "An earlier part of the session was compacted before. Its summary; keep what still holds:";
  return [
    "Summarize the conversation below so that another agent can take the work over from your summary alone.",
    "State, each under a heading of its own: the objective; the workflow stage and its gate, by their exact names; what is done; what is in progress; what remains; decisions with their reasons; files that matter, with paths; blockers; the next action. Keep paths, commands, names and error messages as they are. Where the conversation is newer than the brief, the conversation is right. Answer with the summary only; do not go on with the work.",
    ...(previousSummary === null ? [] : [summaryIntro, previousSummary]),
    "The state of the work, from its files and the session:",
    brief,
  ].join("\n\n");
}

// Cuts a brief to its budget, least useful lines first.

type Heading = Section["heading"];

/** Ranks the fields by what it would cost to lose their lines. */
const HEADING_WEIGHTS: Readonly<Record<Heading, number>> = {
  "Primary Objective": 100,
  "Current Step": 100,
  Status: 80,
  Completed: 35,
  Remaining: 65,
  Decisions: 60,
  "Active Files": 30,
  "Blockers / Risks": 70,
  "Next Action": 95,
  "Workflow Type": 80,
  "Canonical Workflow Stage": 100,
  "Source Artifacts": 28,
  "Current Artifact": 70,
  "Artifact Status": 70,
  "Transition Gate": 90,
  "Approved Decisions": 45,
  "Pending Decisions / Open Questions": 55,
  "Dependencies / Preconditions": 50,
  "Verification / Done Criteria": 40,
};

/** In these fields the newest lines, at the end, matter most; in all others the first lines do. */
const HEADINGS_NEWEST_LAST: ReadonlySet<Heading> = new Set<Heading>(["Completed"]);

/** If dropping lines is not enough, lines are cut to these lengths in turn, in UTF-16 units. */
const LAST_RESORT_LINE_UNITS = [200, 100, 50, 24];

/** Cuts the brief to the budget: the least useful lines are dropped first, and each field keeps one. */
export function boundBrief(brief: Brief, budgetTokens: number): Brief {
  const excess = estimateTokens(renderBrief(brief)) - budgetTokens;
  if (excess <= 0) return brief;
  const dropped = selectLeastUsefulLines(brief, excess);
  const shorter = dropLines(brief, dropped);
  let bounded = shorter;
  for (const limit of LAST_RESORT_LINE_UNITS) {
    if (estimateTokens(renderBrief(bounded)) <= budgetTokens) return bounded;
    bounded = cutLines(shorter, limit);
  }
  return bounded;
}

interface Candidate {
  readonly heading: Heading;
  readonly line: string;
  readonly worth: number;
}

/** The number of tokens that the note about omitted lines takes. */
const OMISSION_NOTE_TOKENS = 10;

function selectLeastUsefulLines(
  brief: Brief,
  excess: number,
): ReadonlyMap<Heading, ReadonlySet<string>> {
  const candidates = [...brief.generic, ...(brief.workflow ?? [])]
    .flatMap(listCandidates)
    .sort((left, right) => left.worth - right.worth);
  const dropped = new Map<Heading, Set<string>>();
  let left = excess;
  for (const { heading, line } of candidates) {
    if (left <= 0) break;
    const lines = dropped.get(heading) ?? new Set<string>();
    if (lines.size === 0) left += OMISSION_NOTE_TOKENS;
    dropped.set(heading, lines.add(line));
    // Counts one token less than dropping a line saves, because counts are rounded.
    left -= Math.max(estimateTokens(`- ${line}\n`) - 1, 0);
  }
  return dropped;
}

function listCandidates({ heading, lines }: Section): readonly Candidate[] {
  const ranked = HEADINGS_NEWEST_LAST.has(heading) ? lines.toReversed() : lines;
  return ranked.slice(1).map((line, index) => ({
    heading,
    line,
    worth: isQuoted(line) ? 0 : HEADING_WEIGHTS[heading] / (index + 2),
  }));
}

function dropLines(brief: Brief, dropped: ReadonlyMap<Heading, ReadonlySet<string>>): Brief {
  return mapSections(brief, (section) => {
    const gone = dropped.get(section.heading);
    if (!gone) return section;
    const lines = section.lines.filter((line) => !gone.has(line));
    return { ...section, lines, omitted: section.lines.length - lines.length };
  });
}

function cutLines(brief: Brief, limit: number): Brief {
  return mapSections(brief, (section) =>
    section.heading === "Canonical Workflow Stage"
      ? section
      : { ...section, lines: section.lines.map((line) => cutLine(line, limit)) },
  );
}

function mapSections(brief: Brief, change: (section: Section) => Section): Brief {
  return {
    ...brief,
    generic: brief.generic.map(change),
    workflow: brief.workflow?.map(change) ?? null,
  };
}
